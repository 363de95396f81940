// The arithmetic every kernel is written for: IEEE operations in the order of the text, fused only where it says fma.
// Metal 3.2 takes it from these pragmas; an older compiler needs -fno-fast-math.
#pragma once

#include <metal_stdlib>

#if __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#endif

using namespace metal;

#ifndef THREADS
#define THREADS 256 // threads a threadgroup
#endif

constexpr constant uint LANES = 32; // threads a simdgroup
constexpr constant uint SIMDS = THREADS / LANES;

/// True for a NaN, read from the bits so that finite-math flags cannot fold it away.
inline bool is_nan(float v) {
  return (as_type<uint>(v) & 0x7fffffffu) > 0x7f800000u;
}
