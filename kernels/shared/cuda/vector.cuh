#pragma once

#include "round.cuh"

/** How many values of T one 16-byte load holds: 8 bf16, 4 fp32. */
template <class T>
constexpr unsigned VECTOR = 16 / sizeof(T);

/** The two bf16 of a word as fp32, the first from the low half. */
__device__ __forceinline__ void unpack_bf16x2(unsigned word, float& first, float& second) {
  first = __uint_as_float(word << 16);
  second = __uint_as_float(word & 0xffff0000u);
}

/** Two fp32 rounded to bf16 in one word, the first in the low half. */
__device__ __forceinline__ unsigned pack_bf16x2(float first, float second) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(first, second);
  return *reinterpret_cast<const unsigned*>(&pair);
}

/** Eight bf16 by one 16-byte load; `from` is 16-byte aligned. */
__device__ __forceinline__ void load_vector(const bf16* from, float (&values)[8]) {
  const uint4 words = *reinterpret_cast<const uint4*>(from);
  unpack_bf16x2(words.x, values[0], values[1]);
  unpack_bf16x2(words.y, values[2], values[3]);
  unpack_bf16x2(words.z, values[4], values[5]);
  unpack_bf16x2(words.w, values[6], values[7]);
}

/** Four bf16 by one 8-byte load; `from` is 8-byte aligned. */
__device__ __forceinline__ void load_vector(const bf16* from, float (&values)[4]) {
  const uint2 words = *reinterpret_cast<const uint2*>(from);
  unpack_bf16x2(words.x, values[0], values[1]);
  unpack_bf16x2(words.y, values[2], values[3]);
}

/** Four fp32 by one 16-byte load; `from` is 16-byte aligned. */
__device__ __forceinline__ void load_vector(const float* from, float (&values)[4]) {
  const float4 loaded = *reinterpret_cast<const float4*>(from);
  values[0] = loaded.x;
  values[1] = loaded.y;
  values[2] = loaded.z;
  values[3] = loaded.w;
}

/** Eight fp32, each rounded once to bf16, by one 16-byte store; `to` is 16-byte aligned. */
__device__ __forceinline__ void store_vector(bf16* to, const float (&values)[8]) {
  uint4 words;
  words.x = pack_bf16x2(values[0], values[1]);
  words.y = pack_bf16x2(values[2], values[3]);
  words.z = pack_bf16x2(values[4], values[5]);
  words.w = pack_bf16x2(values[6], values[7]);
  *reinterpret_cast<uint4*>(to) = words;
}

/** Four fp32 by one 16-byte store; `to` is 16-byte aligned. */
__device__ __forceinline__ void store_vector(float* to, const float (&values)[4]) {
  *reinterpret_cast<float4*>(to) = make_float4(values[0], values[1], values[2], values[3]);
}
