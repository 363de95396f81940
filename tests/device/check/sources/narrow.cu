// Planted faults in parts of words, in the copies of structs, and at words that all of a group reads, for CUDA and HIP.
#define KERNEL extern "C" __global__ void
typedef unsigned short u16;
typedef unsigned char u8;

// Neighbours write neighbouring parts of a word.
KERNEL halves_right(const float* x, float* y, unsigned* count) {
  __shared__ u16 s[256];
  __shared__ u8 bytes[256];
  s[threadIdx.x] = (u16)x[threadIdx.x];
  bytes[threadIdx.x] = (u8)threadIdx.x;
  __syncthreads();
  ((u16*)y)[blockIdx.x * 512 + threadIdx.x] = s[255 - threadIdx.x];
  ((u8*)y)[blockIdx.x * 1024 + 512 + threadIdx.x] = bytes[255 - threadIdx.x];
}
KERNEL halves_race(const float* x, float* y, unsigned* count) {
  __shared__ u16 s[256]; // halves_race:variable
  s[threadIdx.x / 2 * 2] = (u16)x[threadIdx.x]; // halves_race:write
  __syncthreads();
  y[blockIdx.x * 256 + threadIdx.x] = s[threadIdx.x / 2 * 2];
}
KERNEL halves_groups(const float* x, float* y, unsigned* count) {
  if (threadIdx.x < 2) ((u16*)y)[threadIdx.x] = (u16)(blockIdx.x + threadIdx.x); // halves_groups:write
}
KERNEL half_unset(const float* x, float* y, unsigned* count) {
  __shared__ u16 s[512]; // half_unset:variable
  s[2 * threadIdx.x] = (u16)x[threadIdx.x];
  __syncthreads();
  y[blockIdx.x * 256 + threadIdx.x] = s[2 * threadIdx.x + 1]; // half_unset:read
}
KERNEL word_unset(const float* x, float* y, unsigned* count) {
  __shared__ alignas(4) u16 s[512]; // word_unset:variable
  s[2 * threadIdx.x] = (u16)x[threadIdx.x];
  __syncthreads();
  y[blockIdx.x * 256 + threadIdx.x] = *(const unsigned*)&s[2 * threadIdx.x]; // word_unset:read
}
KERNEL odd_overrun(const float* x, float* y, unsigned* count) {
  __shared__ u16 s[255]; // odd_overrun:variable
  u16* p = s;
  p[threadIdx.x] = (u16)x[threadIdx.x]; // odd_overrun:write
  __syncthreads();
  y[blockIdx.x * 256 + threadIdx.x] = s[threadIdx.x % 255];
}
// Eight values copied as one: all of it is judged, and what is wrong is one of them.
struct Eight {
  u16 values[8];
};
KERNEL copies_right(const float* x, float* y, unsigned* count) {
  Eight all = *(const Eight*)((const u16*)x + (threadIdx.x & 127) * 8);
  for (int i = 0; i < 8; i++) all.values[i] += 1;
  if (threadIdx.x < 64) *(Eight*)((u16*)y + blockIdx.x * 512 + (threadIdx.x & 63) * 8) = all;
}
KERNEL copy_overrun(const float* x, float* y, unsigned* count) {
  Eight all = *(const Eight*)((const u16*)x + blockIdx.x * 512 + threadIdx.x * 2 - (threadIdx.x < 3 ? 0 : 5)); // copy_overrun:read
  float sum = 0;
  for (int i = 0; i < 8; i++) sum = fmaf(float(all.values[i]), float(all.values[i]), sum);
  y[blockIdx.x * 256 + threadIdx.x] = sum;
}
// Two threads of every group write all of it: other values, and the same.
#define COPIES(name, value)                                                                                           \
  KERNEL name(const float* x, float* y, unsigned* count) {                                                            \
    Eight all;                                                                                                        \
    for (int i = 0; i < 8; i++) {                                                                                     \
      const float product = x[i] * x[i + 1];                                                                          \
      all.values[i] = product != product ? u16(7) : u16(__float_as_uint(product) + (value));                          \
    }                                                                                                                 \
    if (threadIdx.x % 128 == 0) *(Eight*)((u16*)y + blockIdx.x * 512) = all;                                          \
  }
COPIES(copies_same, 0)
COPIES(copies_race, threadIdx.x) // copies_race:write
KERNEL copy_unset(const float* x, float* y, unsigned* count) {
  __shared__ alignas(16) u16 s[2048]; // copy_unset:variable
  for (int i = 0; i < 7; i++) s[threadIdx.x * 8 + i] = (u16)x[i];
  __syncthreads();
  Eight all = *(const Eight*)&s[threadIdx.x * 8]; // copy_unset:read
  float sum = 0;
  for (int i = 0; i < 8; i++) sum = fmaf(float(all.values[i]), float(all.values[i]), sum);
  y[blockIdx.x * 256 + threadIdx.x] = sum;
}
// A word that every warp reads, many times, is written without a barrier between, and then with one.
#define COMMON(name, barrier)                                                                                         \
  KERNEL name(const float* x, float* y, unsigned* count) {                                                            \
    __shared__ float s[4];                                                                                            \
    float sum = 0;                                                                                                    \
    for (int round = 0; round < 4; round++) {                                                                         \
      if (threadIdx.x < 4) s[threadIdx.x] = x[threadIdx.x] + round;                                                   \
      __syncthreads();                                                                                                \
      for (int i = 0; i < 8; i++) sum += s[i & 3];                                                                    \
      barrier;                                                                                                        \
    }                                                                                                                 \
    y[blockIdx.x * 256 + threadIdx.x] = sum;                                                                          \
  }
COMMON(common_right, __syncthreads())
COMMON(common_race, ) // common_race:read common_race:write
// Four words at once, of which the last two are past the end; all before them were written, and another variable follows.
KERNEL words_overrun(const float* x, float* y, unsigned* count) {
  __shared__ alignas(16) float s[254]; // words_overrun:variable
  __shared__ alignas(16) float t[256];
  if (threadIdx.x < 254) s[threadIdx.x] = x[threadIdx.x];
  t[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  const float4 four = *(const float4*)(s + threadIdx.x / 4 * 4);
  y[blockIdx.x * 256 + threadIdx.x] = four.x * four.y + four.z * four.w + t[255 - threadIdx.x];
}

// Four threads write the same value to each word, which each of them changes or finds.
KERNEL words_same(const float* x, float* y, unsigned* count) {
  for (unsigned k = 0; k < 4; k++) y[blockIdx.x * 256 + threadIdx.x % 64 * 4 + k] = x[threadIdx.x % 64 + k];
}
