#include <metal_stdlib>
using namespace metal;

struct Pick {
  float value;
  uint id;
};

inline bool wins(Pick a, Pick b) { return a.value > b.value || (a.value == b.value && a.id < b.id); }

/// Reached by no launch: nothing is planted here.
inline float unused(device const float* x, uint n) {
  float sum = 0.0f;
  for (uint i = 0; i < n; i++) sum += x[i];
  return sum;
}

template <uint SIZE>
[[kernel]] void tile(device const float* scale [[buffer(0)]], device float* y [[buffer(1)]],
                     constant uint& rows [[buffer(2)]], constant uint& n [[buffer(3)]],
                     uint2 group [[threadgroup_position_in_grid]], uint lane [[thread_index_in_threadgroup]]) {
  float held[2][SIZE] = {};
  const uint row = group.y;
  const uint column = group.x * SIZE + lane;
  if (row >= rows || column >= n) return;
  Pick best = {0.0f, 0};
  for (uint j = 0; j < SIZE; j++) {
    held[row % 2][j] = scale[column / 64];
    const Pick next = {held[row % 2][j], j};
    if (wins(next, best)) best = next;
  }
  y[ulong(row) * n + column] = best.value;
}

template [[host_name("tf_tile")]] [[kernel]] decltype(tile<64>) tile<64>;
