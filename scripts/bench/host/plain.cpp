#include "plain.h"
#include "../../../ffi/host/dialect/fp.h"
#include "../../../ffi/host/dialect/math.h"
#include <cmath>
#include <cstring>

static constexpr unsigned THREADS = 256, LANES = 32, OWNED = 8;

template <class T> static T* pointer(void* const* arguments, int i) { return *(T* const*)arguments[i]; }
template <class T> static T value(void* const* arguments, int i) { return *(const T*)arguments[i]; }

static inline float larger(float a, float b) { return a > b || std::isnan(a) ? a : b; }

// The sum, or what `combine` makes, of 256 lanes: an exclusive-or tree a warp, then the warps in order.
template <class F> static float reduce_warps(float* lanes, F combine) {
  float total = 0;
  for (unsigned warp = 0; warp < THREADS / LANES; warp++) {
    float* part = lanes + warp * LANES;
    for (unsigned half = LANES / 2; half; half /= 2)
      for (unsigned i = 0; i < half; i++) part[i] = combine(part[i], part[i + half]);
    total = warp ? combine(total, part[0]) : part[0];
  }
  return total;
}
static float add(float a, float b) { return a + b; }

// x, w, y, width, eps; width a multiple of THREADS * OWNED
static void rms_rows(void* const* arguments, unsigned rows) {
  const tf_u16 *__restrict x = pointer<tf_u16>(arguments, 0), *__restrict w = pointer<tf_u16>(arguments, 1);
  tf_u16* __restrict y = pointer<tf_u16>(arguments, 2);
  const unsigned width = value<unsigned>(arguments, 3);
  for (unsigned row = 0; row < rows; row++, x += width, y += width) {
    float sums[THREADS] = {};
    for (unsigned first = 0; first < width; first += THREADS * OWNED)
      for (unsigned j = 0; j < OWNED; j++)
        for (unsigned t = 0; t < THREADS; t++) {
          float v = tf_bf16_to_f32(x[first + t * OWNED + j]);
          sums[t] = fmaf(v, v, sums[t]);
        }
    const float scale = tf_rsqrt(reduce_warps(sums, add) / (float)width + value<float>(arguments, 4));
    for (unsigned i = 0; i < width; i++) y[i] = tf_f32_to_bf16(tf_bf16_to_f32(x[i]) * scale * tf_bf16_to_f32(w[i]));
  }
}

// x, y, width; width a multiple of THREADS * 4
static void softmax_rows(void* const* arguments, unsigned rows) {
  const float* __restrict x = pointer<float>(arguments, 0);
  float* __restrict y = pointer<float>(arguments, 1);
  const unsigned width = value<unsigned>(arguments, 2);
  for (unsigned row = 0; row < rows; row++, x += width, y += width) {
    float lanes[THREADS];
    for (unsigned t = 0; t < THREADS; t++) lanes[t] = -INFINITY;
    for (unsigned first = 0; first < width; first += THREADS * 4)
      for (unsigned j = 0; j < 4; j++)
        for (unsigned t = 0; t < THREADS; t++) lanes[t] = larger(lanes[t], x[first + t * 4 + j]);
    const float m = reduce_warps(lanes, larger);
    for (unsigned i = 0; i < width; i++) y[i] = tf_exp(x[i] - m);
    memset(lanes, 0, sizeof lanes);
    for (unsigned first = 0; first < width; first += THREADS * 4)
      for (unsigned j = 0; j < 4; j++)
        for (unsigned t = 0; t < THREADS; t++) lanes[t] += y[first + t * 4 + j];
    const float sum = reduce_warps(lanes, add);
    for (unsigned i = 0; i < width; i++) y[i] /= sum;
  }
}

// x, q, scale, bias, y, rows, k, n; k a multiple of 8 * LANES
static void affine_rows_4(void* const* arguments, unsigned) {
  const unsigned rows = value<unsigned>(arguments, 5), k = value<unsigned>(arguments, 6), n = value<unsigned>(arguments, 7);
  const unsigned words = k / 8;
  for (unsigned row = 0; row < rows; row++)
    for (unsigned column = 0; column < n; column++) {
      const tf_u16* __restrict x = pointer<tf_u16>(arguments, 0) + row * (size_t)k;
      const unsigned* __restrict q = pointer<unsigned>(arguments, 1) + column * (size_t)words;
      const tf_u16* __restrict scale = pointer<tf_u16>(arguments, 2) + column * (size_t)(k / 64);
      const tf_u16* __restrict bias = pointer<tf_u16>(arguments, 3) + column * (size_t)(k / 64);
      float sums[LANES] = {};
      for (unsigned first = 0; first < words; first += LANES) {
        float code_sums[LANES] = {}, value_sums[LANES] = {};
        for (unsigned j = 0; j < 8; j++)
          for (unsigned lane = 0; lane < LANES; lane++) {
            const float v = tf_bf16_to_f32(x[(first + lane) * 8 + j]);
            code_sums[lane] = fmaf((float)(q[first + lane] >> (4 * j) & 15), v, code_sums[lane]);
            value_sums[lane] += v;
          }
        for (unsigned lane = 0; lane < LANES; lane++) {
          const unsigned group = (first + lane) / 8;
          sums[lane] = fmaf(tf_bf16_to_f32(bias[group]), value_sums[lane], sums[lane]);
          sums[lane] = fmaf(tf_bf16_to_f32(scale[group]), code_sums[lane], sums[lane]);
        }
      }
      for (unsigned half = LANES / 2; half; half /= 2)
        for (unsigned i = 0; i < half; i++) sums[i] = sums[i] + sums[i + half];
      pointer<tf_u16>(arguments, 4)[row * (size_t)n + column] = tf_f32_to_bf16(sums[0]);
    }
}

// x, w, y, n, k; sizes multiples of 64
static void matmul(void* const* arguments, unsigned rows) {
  const float *__restrict x = pointer<float>(arguments, 0), *__restrict w = pointer<float>(arguments, 1);
  float* __restrict y = pointer<float>(arguments, 2);
  const unsigned n = value<unsigned>(arguments, 3), k = value<unsigned>(arguments, 4);
  constexpr unsigned TILE = 64, STEP = 16, ROWS = 4;
  for (unsigned row = 0; row < rows; row += TILE)
    for (unsigned column = 0; column < n; column += TILE) {
      float sums[TILE][TILE] = {};
      for (unsigned first = 0; first < k; first += STEP) {
        float w_tile[STEP][TILE];
        for (unsigned i = 0; i < STEP; i++)
          for (unsigned c = 0; c < TILE; c++) w_tile[i][c] = w[(column + c) * (size_t)k + first + i];
        for (unsigned r = 0; r < TILE; r += ROWS)
          for (unsigned i = 0; i < STEP; i++)
            for (unsigned s = 0; s < ROWS; s++)
              for (unsigned c = 0; c < TILE; c++)
                sums[r + s][c] = fmaf(x[(row + r + s) * (size_t)k + first + i], w_tile[i][c], sums[r + s][c]);
      }
      for (unsigned r = 0; r < TILE; r++) memcpy(y + (row + r) * (size_t)n + column, sums[r], sizeof sums[r]);
    }
}

PlainFunction plain_function(const char* name) {
  static const struct {
    const char* name;
    PlainFunction function;
  } FUNCTIONS[] = { { "rms_rows", rms_rows },
                    { "softmax_rows", softmax_rows },
                    { "affine_rows_4", affine_rows_4 },
                    { "matmul", matmul } };
  for (const auto& f : FUNCTIONS)
    if (!strcmp(f.name, name)) return f.function;
  return nullptr;
}
