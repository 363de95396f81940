kernel void tf_copy_rows(global const float* x, global float* y, uint width) {
  const uint i = get_group_id(0) * width + get_local_id(0);
  y[i] = x[i];
}
