// Loops whose accesses step through memory, right and with one fault in one turn. What counts the turns is read, so that no
// compiler unrolls them whole.
#define KERNEL extern "C" __global__ void
typedef unsigned short u16;
#define T threadIdx.x
#define ROWS unsigned(x[31]) // 32
#define FOUR unsigned(x[3])

// A tile of 32 rows of 32, each 33 apart, staged by all threads. Lanes of a warp read its columns.
#define TILE(from, by)                                                                                                \
  __shared__ float s[32 * 33];                                                                                        \
  const unsigned rows = ROWS;                                                                                         \
  for (unsigned k = T / 32; k < rows - (from); k += (by)) s[k * 33 + T % 32] = x[k * 32 + T % 32]
#define SUM(count)                                                                                                    \
  float sum = 0;                                                                                                      \
  for (unsigned k = 0; k < (count); k++)                                                                              \
  sum += s[k * 33 + T % 32]

KERNEL tile_right(const float* x, float* y, unsigned* count) {
  TILE(0, 8);
  __syncthreads();
  SUM(rows);
  y[blockIdx.x * 256 + T] = sum;
}
KERNEL tile_race(const float* x, float* y, unsigned* count) {
  TILE(0, 8); // tile_race:variable
  SUM(rows); // tile_race:read
  y[blockIdx.x * 256 + T] = sum;
}
// One word of the last row is written again while others read it.
KERNEL tile_late(const float* x, float* y, unsigned* count) {
  TILE(0, 8); // tile_late:variable
  __syncthreads();
  if (T == 69) s[31 * 33 + 5] = 7;
  SUM(rows);
  y[blockIdx.x * 256 + T] = sum;
}
KERNEL tile_unset(const float* x, float* y, unsigned* count) {
  TILE(1, 8); // tile_unset:variable
  __syncthreads();
  SUM(rows); // tile_unset:read
  y[blockIdx.x * 256 + T] = sum;
}
KERNEL tile_overrun(const float* x, float* y, unsigned* count) {
  TILE(0, 8); // tile_overrun:variable
  __syncthreads();
  SUM(rows + 1); // tile_overrun:read
  y[blockIdx.x * 256 + T] = sum;
}
KERNEL input_overrun(const float* x, float* y, unsigned* count) {
  const unsigned rows = ROWS;
  float sum = 0;
  for (unsigned k = 0; k <= rows; k++) sum += x[T % 32 + 32 * k + (T == 31 ? 32 : 0) - 32 * (k > rows)]; // input_overrun:read
  y[blockIdx.x * 256 + T] = sum;
}
KERNEL output_overrun(const float* x, float* y, unsigned* count) {
  const unsigned four = FOUR;
  const unsigned first = blockIdx.x * 256 + T * 4;
  if (T < 64)
    for (unsigned k = 0; k < four + (first == 1020); k++) y[first + k] = x[k]; // output_overrun:write
}

// Each turn reads what the one before wrote.
#define CHAIN                                                                                                         \
  const unsigned four = FOUR;                                                                                         \
  float* own = y + blockIdx.x * 256 + T * 4;                                                                          \
  if (T >= 64) return
KERNEL chain_right(const float* x, float* y, unsigned* count) {
  CHAIN;
  own[0] = x[T];
  for (unsigned k = 1; k < four; k++) own[k] = own[k - 1] + x[k];
}
KERNEL chain_unset(const float* x, float* y, unsigned* count) {
  CHAIN;
  for (unsigned k = 1; k < four; k++) own[k] = own[k - 1] + x[k]; // chain_unset:read
}

// Runs of four that a thread writes in a row.
#define RUNS(first)                                                                                                   \
  const unsigned four = FOUR;                                                                                         \
  float* const group = y + blockIdx.x * 256;                                                                          \
  if (T < 64)                                                                                                         \
  for (unsigned k = 0; k < four; k++) (first)[T * 4 + k] = x[k] + blockIdx.x
KERNEL runs_right(const float* x, float* y, unsigned* count) {
  RUNS(group);
  __syncthreads();
  const float other = group[255 - T];
  __syncthreads();
  group[T] += other;
}
KERNEL runs_halves(const float* x, float* y, unsigned* count) {
  const unsigned eight = 2 * FOUR;
  u16* const group = (u16*)y + blockIdx.x * 512;
  if (T < 64)
    for (unsigned k = 0; k < eight; k++) group[T * 8 + k] = u16(T + k);
  __syncthreads();
  const u16 other = group[511 - T];
  __syncthreads();
  group[T] = other;
}
KERNEL runs_race(const float* x, float* y, unsigned* count) {
  RUNS(group); // runs_race:write
  const float other = group[255 - T]; // runs_race:read
  __syncthreads();
  group[T] = other;
}
KERNEL runs_written(const float* x, float* y, unsigned* count) {
  RUNS(group); // runs_written:write
  if (T == 70) group[9] = 5; // runs_written:again
}
KERNEL runs_over(const float* x, float* y, unsigned* count) {
  if (T == 70) y[blockIdx.x * 256 + 9] = 5;
  RUNS(group);
}
KERNEL runs_groups(const float* x, float* y, unsigned* count) {
  RUNS(y); // runs_groups:write
}
KERNEL runs_part(const float* x, float* y, unsigned* count) {
  const unsigned four = FOUR;
  float* const group = y + blockIdx.x * 256;
  if (T < 64)
    for (unsigned k = 0; k < four - (T == 9); k++) group[T * 4 + k] = x[k];
  __syncthreads();
  const float other = group[255 - T]; // runs_part:read
  __syncthreads();
  group[T] = other;
}

// One element a thread.
KERNEL row_late(const float* x, float* y, unsigned* count) {
  float* const group = y + blockIdx.x * 256;
  group[T] = x[T]; // row_late:write
  if (T == 200) group[T] = group[5]; // row_late:read
}
KERNEL row_part(const float* x, float* y, unsigned* count) {
  u16* const group = (u16*)(y + blockIdx.x * 256);
  if (T != 21) group[T] = u16(T);
  __syncthreads();
  const u16 other = group[T ^ 1]; // row_part:read
  __syncthreads();
  group[T] = other;
}
