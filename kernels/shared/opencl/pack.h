// bf16 values, which OpenCL C holds as ushort; packs, 8 of them in 16 bytes; quads, 4 values of any type: loaded and
// stored whole, at an address that is a multiple of their size.
#ifndef TF_PACK_H
#define TF_PACK_H

#include "arithmetic.h"

#define PACK 8 // bf16 values a pack

static inline float __attribute__((overloadable)) from_bf16(ushort v) {
  return as_float((uint)v << 16);
}

static inline float4 __attribute__((overloadable)) from_bf16(ushort4 v) {
  return as_float4(convert_uint4(v) << 16);
}

static inline float8 __attribute__((overloadable)) from_bf16(ushort8 v) {
  return as_float8(convert_uint8(v) << 16);
}

/// To the nearest bf16, ties to even. A NaN stays one: its quiet bit is set, so that dropping bits leaves no infinity.
static inline ushort __attribute__((overloadable)) to_bf16(float v) {
  const uint bits = as_uint(v);
  const uint nearest = bits + 0x7fffu + (bits >> 16 & 1u);
  return (ushort)((is_nan(v) ? bits | 0x400000u : nearest) >> 16);
}

static inline ushort4 __attribute__((overloadable)) to_bf16(float4 v) {
  return (ushort4)(to_bf16(v.s0), to_bf16(v.s1), to_bf16(v.s2), to_bf16(v.s3));
}

static inline ushort8 __attribute__((overloadable)) to_bf16(float8 v) {
  return (ushort8)(to_bf16(v.lo), to_bf16(v.hi));
}

static inline float8 load_pack(global const ushort* row, uint pack) {
  return from_bf16(((global const ushort8*)row)[pack]);
}

static inline float4 load_quad(global const ushort* row, uint quad) {
  return from_bf16(((global const ushort4*)row)[quad]);
}

static inline void store_pack(global ushort* row, uint pack, ushort8 v) {
  ((global ushort8*)row)[pack] = v;
}

/// sum + v.s0 + v.s1 + …, in that order.
static inline float __attribute__((overloadable)) add_each(float sum, float4 v) {
  return sum + v.s0 + v.s1 + v.s2 + v.s3;
}

static inline float __attribute__((overloadable)) add_each(float sum, float8 v) {
  return add_each(add_each(sum, v.lo), v.hi);
}

/// sum + a.s0 b.s0 + a.s1 b.s1 + …, fused, in that order.
static inline float __attribute__((overloadable)) fma_each(float4 a, float4 b, float sum) {
  sum = fma(a.s0, b.s0, sum);
  sum = fma(a.s1, b.s1, sum);
  sum = fma(a.s2, b.s2, sum);
  return fma(a.s3, b.s3, sum);
}

static inline float __attribute__((overloadable)) fma_each(float8 a, float8 b, float sum) {
  return fma_each(a.hi, b.hi, fma_each(a.lo, b.lo, sum));
}

#endif
