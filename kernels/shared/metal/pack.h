// Packs: 16 bytes of a row, 4 floats or 8 bfloats, loaded and stored whole. A row's address is a multiple of 16.
#pragma once

#include "arithmetic.h"

/// The 8 bfloats of a pack, widened; the first is in the low half of the first word.
inline void unpack(uint4 words, thread float* v) {
  for (uint i = 0; i < 4; i++) {
    v[2 * i] = as_type<float>(words[i] << 16);
    v[2 * i + 1] = as_type<float>(words[i] & 0xffff0000u);
  }
}

inline void load_pack(device const bfloat* row, uint pack, thread float* v) {
  unpack(reinterpret_cast<device const uint4*>(row)[pack], v);
}

inline void load_pack(device const float* row, uint pack, thread float* v) {
  const float4 four = reinterpret_cast<device const float4*>(row)[pack];
  for (uint i = 0; i < 4; i++) v[i] = four[i];
}

/// Stores 8 values, each rounded to bfloat once, to nearest even.
inline void store_pack(device bfloat* row, uint pack, thread const float* v) {
  uint4 words;
  for (uint i = 0; i < 4; i++) {
    const uint low = as_type<ushort>(bfloat(v[2 * i]));
    const uint high = as_type<ushort>(bfloat(v[2 * i + 1]));
    words[i] = low | high << 16;
  }
  reinterpret_cast<device uint4*>(row)[pack] = words;
}

inline void store_pack(device float* row, uint pack, thread const float* v) {
  reinterpret_cast<device float4*>(row)[pack] = float4(v[0], v[1], v[2], v[3]);
}
