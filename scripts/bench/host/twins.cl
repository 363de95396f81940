// The benchmark's kernels in OpenCL C without sub-groups, which PoCL 3.1 lacks: a reduction is a tree in local memory.
// Each has the form or forms that may be the fastest there; sizes are multiples of what a work-item reads at once.

#define THREADS 256
#define GROUP_OF_THREADS __attribute__((reqd_work_group_size(THREADS, 1, 1)))

static inline float8 from_bf16(ushort8 v) { return as_float8(convert_uint8(v) << 16); }
static inline float one_from_bf16(ushort v) { return as_float((uint)v << 16); }
static inline ushort8 to_bf16(float8 v) {
  const uint8 bits = as_uint8(v);
  const uint8 rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
  return convert_ushort8(select(rounded, (uint8)(0x7fff), isnan(v)));
}
static inline ushort one_to_bf16(float v) {
  const uint bits = as_uint(v);
  return isnan(v) ? (ushort)0x7fff : (ushort)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}
static inline float larger(float a, float b) { return a > b || isnan(a) ? a : b; }
static inline float fma_each(float8 a, float8 b, float sum) {
  sum = fma(a.s0, b.s0, sum), sum = fma(a.s1, b.s1, sum), sum = fma(a.s2, b.s2, sum), sum = fma(a.s3, b.s3, sum);
  sum = fma(a.s4, b.s4, sum), sum = fma(a.s5, b.s5, sum), sum = fma(a.s6, b.s6, sum), sum = fma(a.s7, b.s7, sum);
  return sum;
}
static inline float add_each(float8 a, float sum) {
  return sum + a.s0 + a.s1 + a.s2 + a.s3 + a.s4 + a.s5 + a.s6 + a.s7;
}

// Every work-item of a kernel comes here: the barriers are the work-group's.
#define REDUCE_TREE(partials, value, expression)                                                                       \
  partials[get_local_id(0)] = value;                                                                                   \
  barrier(CLK_LOCAL_MEM_FENCE);                                                                                        \
  for (uint half_size = THREADS / 2; half_size > 0; half_size /= 2) {                                                  \
    if (get_local_id(0) < half_size) {                                                                                 \
      const float a = partials[get_local_id(0)], b = partials[get_local_id(0) + half_size];                            \
      partials[get_local_id(0)] = expression;                                                                          \
    }                                                                                                                  \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
  }
// A tree of 32 work-items, then eight partials: fewer barriers.
#define REDUCE_WARPS(partials, value, expression, total)                                                               \
  partials[get_local_id(0)] = value;                                                                                   \
  barrier(CLK_LOCAL_MEM_FENCE);                                                                                        \
  for (uint half_size = 16; half_size > 0; half_size /= 2) {                                                           \
    if (get_local_id(0) % 32 < half_size) {                                                                            \
      const float a = partials[get_local_id(0)], b = partials[get_local_id(0) + half_size];                            \
      partials[get_local_id(0)] = expression;                                                                          \
    }                                                                                                                  \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
  }                                                                                                                    \
  float total = partials[0];                                                                                           \
  for (uint warp = 1; warp < THREADS / 32; warp++) {                                                                   \
    const float a = total, b = partials[warp * 32];                                                                    \
    total = expression;                                                                                                \
  }
// One work-item adds what the others left: two barriers.
#define REDUCE_ONE(partials, value, expression)                                                                        \
  partials[get_local_id(0)] = value;                                                                                   \
  barrier(CLK_LOCAL_MEM_FENCE);                                                                                        \
  if (get_local_id(0) == 0) {                                                                                          \
    for (uint half_size = THREADS / 2; half_size > 0; half_size /= 2)                                                  \
      for (uint i = 0; i < half_size; i++) {                                                                           \
        const float a = partials[i], b = partials[i + half_size];                                                      \
        partials[i] = expression;                                                                                      \
      }                                                                                                                \
  }                                                                                                                    \
  barrier(CLK_LOCAL_MEM_FENCE);

// --- rms: y = bf16(x * rsqrt(mean(x * x) + eps) * w) ---

#define RMS_VECTOR_SUM                                                                                                 \
  const size_t row = get_group_id(0) * (size_t)width;                                                                  \
  float sum = 0.0f;                                                                                                    \
  for (uint first = get_local_id(0) * 8; first < width; first += THREADS * 8) {                                        \
    const float8 v = from_bf16(*(global const ushort8*)(x + row + first));                                             \
    sum = fma_each(v, v, sum);                                                                                         \
  }
#define RMS_VECTOR_SCALE(total)                                                                                        \
  const float scale = rsqrt(total / (float)width + eps);                                                               \
  for (uint first = get_local_id(0) * 8; first < width; first += THREADS * 8) {                                        \
    const float8 v = from_bf16(*(global const ushort8*)(x + row + first));                                             \
    *(global ushort8*)(y + row + first) = to_bf16(v * scale * from_bf16(*(global const ushort8*)(w + first)));         \
  }

kernel GROUP_OF_THREADS void rms_tree(global const ushort* restrict x, global const ushort* restrict w,
                                      global ushort* restrict y, uint width, float eps) {
  local float partials[THREADS];
  RMS_VECTOR_SUM
  REDUCE_TREE(partials, sum, a + b)
  RMS_VECTOR_SCALE(partials[0])
}

kernel GROUP_OF_THREADS void rms_warps(global const ushort* restrict x, global const ushort* restrict w,
                                       global ushort* restrict y, uint width, float eps) {
  local float partials[THREADS];
  RMS_VECTOR_SUM
  REDUCE_WARPS(partials, sum, a + b, total)
  RMS_VECTOR_SCALE(total)
}

kernel GROUP_OF_THREADS void rms_one(global const ushort* restrict x, global const ushort* restrict w,
                                     global ushort* restrict y, uint width, float eps) {
  local float partials[THREADS];
  RMS_VECTOR_SUM
  REDUCE_ONE(partials, sum, a + b)
  RMS_VECTOR_SCALE(partials[0])
}

// Neighbouring work-items read neighbouring values, one each.
kernel GROUP_OF_THREADS void rms_scalar(global const ushort* restrict x, global const ushort* restrict w,
                                        global ushort* restrict y, uint width, float eps) {
  local float partials[THREADS];
  const size_t row = get_group_id(0) * (size_t)width;
  float sum = 0.0f;
  for (uint i = get_local_id(0); i < width; i += THREADS) {
    const float v = one_from_bf16(x[row + i]);
    sum = fma(v, v, sum);
  }
  REDUCE_TREE(partials, sum, a + b)
  const float scale = rsqrt(partials[0] / (float)width + eps);
  for (uint i = get_local_id(0); i < width; i += THREADS)
    y[row + i] = one_to_bf16(one_from_bf16(x[row + i]) * scale * one_from_bf16(w[i]));
}

// --- softmax: m = max(x); e = exp(x - m); y = e / sum(e) ---

kernel GROUP_OF_THREADS void softmax_vector(global const float* restrict x, global float* restrict y, uint width) {
  local float partials[THREADS];
  local float sums[THREADS];
  const size_t row = get_group_id(0) * (size_t)width;
  float m = -INFINITY;
  for (uint first = get_local_id(0) * 4; first < width; first += THREADS * 4) {
    const float4 v = *(global const float4*)(x + row + first);
    m = larger(larger(larger(larger(m, v.s0), v.s1), v.s2), v.s3);
  }
  REDUCE_TREE(partials, m, larger(a, b))
  m = partials[0];
  float sum = 0.0f;
  for (uint first = get_local_id(0) * 4; first < width; first += THREADS * 4) {
    const float4 v = exp(*(global const float4*)(x + row + first) - m);
    sum = sum + v.s0 + v.s1 + v.s2 + v.s3;
  }
  REDUCE_TREE(sums, sum, a + b)
  sum = sums[0];
  for (uint first = get_local_id(0) * 4; first < width; first += THREADS * 4)
    *(global float4*)(y + row + first) = exp(*(global const float4*)(x + row + first) - m) / sum;
}

// The exponentials are kept in y between the second and the third pass.
kernel GROUP_OF_THREADS void softmax_kept(global const float* restrict x, global float* restrict y, uint width) {
  local float partials[THREADS];
  local float sums[THREADS];
  const size_t row = get_group_id(0) * (size_t)width;
  float m = -INFINITY;
  for (uint first = get_local_id(0) * 4; first < width; first += THREADS * 4) {
    const float4 v = *(global const float4*)(x + row + first);
    m = larger(larger(larger(larger(m, v.s0), v.s1), v.s2), v.s3);
  }
  REDUCE_TREE(partials, m, larger(a, b))
  m = partials[0];
  float sum = 0.0f;
  for (uint first = get_local_id(0) * 4; first < width; first += THREADS * 4) {
    const float4 v = exp(*(global const float4*)(x + row + first) - m);
    *(global float4*)(y + row + first) = v;
    sum = sum + v.s0 + v.s1 + v.s2 + v.s3;
  }
  REDUCE_TREE(sums, sum, a + b)
  sum = sums[0];
  for (uint first = get_local_id(0) * 4; first < width; first += THREADS * 4)
    *(global float4*)(y + row + first) = *(global const float4*)(y + row + first) / sum;
}

kernel GROUP_OF_THREADS void softmax_scalar(global const float* restrict x, global float* restrict y, uint width) {
  local float partials[THREADS];
  local float sums[THREADS];
  const size_t row = get_group_id(0) * (size_t)width;
  float m = -INFINITY;
  for (uint i = get_local_id(0); i < width; i += THREADS) m = larger(m, x[row + i]);
  REDUCE_TREE(partials, m, larger(a, b))
  m = partials[0];
  float sum = 0.0f;
  for (uint i = get_local_id(0); i < width; i += THREADS) sum += exp(x[row + i] - m);
  REDUCE_TREE(sums, sum, a + b)
  sum = sums[0];
  for (uint i = get_local_id(0); i < width; i += THREADS) y[row + i] = exp(x[row + i] - m) / sum;
}

// --- affine: y = bf16(sum(x * (scale * q + bias))), 4-bit codes in groups of 64; 32 work-items a column ---

#define AFFINE_SUM                                                                                                     \
  const uint lane = get_local_id(0) % 32, column = get_group_id(0) * (THREADS / 32) + get_local_id(0) / 32;            \
  const uint words = k / 8;                                                                                            \
  x += get_group_id(1) * (size_t)k, q += column * (size_t)words;                                                       \
  scale += column * (size_t)(k / 64), bias += column * (size_t)(k / 64);                                               \
  float sum = 0.0f;                                                                                                    \
  for (uint word = lane; word < words; word += 32) {                                                                   \
    const float8 v = from_bf16(*(global const ushort8*)(x + word * 8));                                                \
    const float8 codes = convert_float8((uint8)(q[word]) >> (uint8)(0, 4, 8, 12, 16, 20, 24, 28) & 15u);               \
    const float code_sum = fma_each(codes, v, 0.0f), value_sum = add_each(v, 0.0f);                                    \
    sum = fma(one_from_bf16(bias[word / 8]), value_sum, sum);                                                          \
    sum = fma(one_from_bf16(scale[word / 8]), code_sum, sum);                                                          \
  }

kernel GROUP_OF_THREADS void affine_tree(global const ushort* restrict x, global const uint* restrict q,
                                         global const ushort* restrict scale, global const ushort* restrict bias,
                                         global ushort* restrict y, uint rows, uint k, uint n) {
  local float partials[THREADS];
  AFFINE_SUM
  partials[get_local_id(0)] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint half_size = 16; half_size > 0; half_size /= 2) {
    if (lane < half_size) partials[get_local_id(0)] += partials[get_local_id(0) + half_size];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (lane == 0) y[get_group_id(1) * (size_t)n + column] = one_to_bf16(partials[get_local_id(0)]);
}

// The first work-item of a column adds the tree of its 32: one barrier.
kernel GROUP_OF_THREADS void affine_one(global const ushort* restrict x, global const uint* restrict q,
                                        global const ushort* restrict scale, global const ushort* restrict bias,
                                        global ushort* restrict y, uint rows, uint k, uint n) {
  local float partials[THREADS];
  AFFINE_SUM
  partials[get_local_id(0)] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lane == 0) {
    for (uint half_size = 16; half_size > 0; half_size /= 2)
      for (uint i = 0; i < half_size; i++)
        partials[get_local_id(0) + i] += partials[get_local_id(0) + i + half_size];
    y[get_group_id(1) * (size_t)n + column] = one_to_bf16(partials[get_local_id(0)]);
  }
}

// --- matmul: y = sum(x * w), as matmul.cu ---

kernel GROUP_OF_THREADS void matmul(global const float* restrict x, global const float* restrict w,
                                    global float* restrict y, uint n, uint k) {
  local float x_tile[16][64];
  local float w_tile[16][64];
  const uint thread = get_local_id(0), tx = thread % 16, ty = thread / 16;
  x += get_group_id(1) * (size_t)64 * k;
  w += get_group_id(0) * (size_t)64 * k;
  float4 sum0 = 0.0f, sum1 = 0.0f, sum2 = 0.0f, sum3 = 0.0f;
  for (uint first = 0; first < k; first += 16) {
    const uint row = thread / 4, column = thread % 4 * 4;
    const float4 a = *(global const float4*)(x + row * (size_t)k + first + column);
    const float4 b = *(global const float4*)(w + row * (size_t)k + first + column);
    x_tile[column][row] = a.s0, x_tile[column + 1][row] = a.s1, x_tile[column + 2][row] = a.s2, x_tile[column + 3][row] = a.s3;
    w_tile[column][row] = b.s0, w_tile[column + 1][row] = b.s1, w_tile[column + 2][row] = b.s2, w_tile[column + 3][row] = b.s3;
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint i = 0; i < 16; i++) {
      const float4 xs = *(local const float4*)&x_tile[i][ty * 4];
      const float4 ws = *(local const float4*)&w_tile[i][tx * 4];
      sum0 = fma((float4)(xs.s0), ws, sum0);
      sum1 = fma((float4)(xs.s1), ws, sum1);
      sum2 = fma((float4)(xs.s2), ws, sum2);
      sum3 = fma((float4)(xs.s3), ws, sum3);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  global float* to = y + (get_group_id(1) * (size_t)64 + ty * 4) * n + get_group_id(0) * 64 + tx * 4;
  *(global float4*)to = sum0;
  *(global float4*)(to + n) = sum1;
  *(global float4*)(to + 2 * n) = sum2;
  *(global float4*)(to + 3 * n) = sum3;
}

// The same with scalar accumulators, as the CUDA source has it.
kernel GROUP_OF_THREADS void matmul_scalar(global const float* restrict x, global const float* restrict w,
                                           global float* restrict y, uint n, uint k) {
  local float x_tile[16][64];
  local float w_tile[16][64];
  const uint thread = get_local_id(0), tx = thread % 16, ty = thread / 16;
  x += get_group_id(1) * (size_t)64 * k;
  w += get_group_id(0) * (size_t)64 * k;
  float sum[4][4];
  for (uint r = 0; r < 4; r++)
    for (uint c = 0; c < 4; c++) sum[r][c] = 0.0f;
  for (uint first = 0; first < k; first += 16) {
    for (uint i = thread; i < 1024; i += THREADS) {
      x_tile[i % 16][i / 16] = x[(i / 16) * (size_t)k + first + i % 16];
      w_tile[i % 16][i / 16] = w[(i / 16) * (size_t)k + first + i % 16];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint i = 0; i < 16; i++) {
      float xs[4], ws[4];
      for (uint j = 0; j < 4; j++) xs[j] = x_tile[i][ty * 4 + j], ws[j] = w_tile[i][tx * 4 + j];
      for (uint r = 0; r < 4; r++)
        for (uint c = 0; c < 4; c++) sum[r][c] = fma(xs[r], ws[c], sum[r][c]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  global float* to = y + (get_group_id(1) * (size_t)64 + ty * 4) * n + get_group_id(0) * 64 + tx * 4;
  for (uint r = 0; r < 4; r++)
    for (uint c = 0; c < 4; c++) to[r * (size_t)n + c] = sum[r][c];
}
