// Bit and byte intrinsics, dot products, cache-hinted loads and stores, reinterpretation.
#ifndef TF_CUDA_INTEGER_H
#define TF_CUDA_INTEGER_H
#include "half.h"

TF_INLINE int __popc(unsigned v) { return __builtin_popcount(v); }
TF_INLINE int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
TF_INLINE int __clz(int v) { return v ? __builtin_clz((unsigned)v) : 32; }
TF_INLINE int __clzll(long long v) { return v ? __builtin_clzll((unsigned long long)v) : 64; }
TF_INLINE int __ffs(int v) { return __builtin_ffs(v); }
TF_INLINE int __ffsll(long long v) { return __builtin_ffsll(v); }
TF_INLINE unsigned __brev(unsigned v) { return __builtin_bitreverse32(v); }
TF_INLINE unsigned long long __brevll(unsigned long long v) { return __builtin_bitreverse64(v); }
TF_INLINE int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
TF_INLINE unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
TF_INLINE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
TF_INLINE int __mul24(int a, int b) { return (int)((unsigned)(a << 8 >> 8) * (unsigned)(b << 8 >> 8)); }
TF_INLINE unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
TF_INLINE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned by) {
  return (unsigned)(((unsigned long long)high << 32 | low) << (by & 31) >> 32);
}
TF_INLINE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned by) {
  return (unsigned)(((unsigned long long)high << 32 | low) >> (by & 31));
}
TF_INLINE unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
  unsigned long long bytes = (unsigned long long)b << 32 | a;
  unsigned result = 0;
  for (int i = 0; i < 4; i++) {
    unsigned pick = selector >> (4 * i) & 15, byte = (unsigned)(bytes >> (8 * (pick & 7))) & 255;
    if (pick & 8) byte = byte & 128 ? 255 : 0;
    result |= byte << (8 * i);
  }
  return result;
}
// c + the sum of four products of bytes.
TF_INLINE int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 32; i += 8) c += (int)(signed char)(a >> i) * (int)(signed char)(b >> i);
  return c;
}
TF_INLINE unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 32; i += 8) c += (a >> i & 255) * (b >> i & 255);
  return c;
}

TF_INLINE float __int_as_float(int v) { return __builtin_bit_cast(float, v); }
TF_INLINE float __uint_as_float(unsigned v) { return __builtin_bit_cast(float, v); }
// NVIDIA's arithmetic gives one NaN alone, 0x7fffffff, where this processor's keeps its operand's bits: a NaN whose bits are
// read is that one. AMD's keeps them too.
TF_INLINE unsigned __float_as_uint(float v) {
#ifndef TF_HIP
  if (v != v) return 0x7fffffff;
#endif
  return __builtin_bit_cast(unsigned, v);
}
TF_INLINE int __float_as_int(float v) { return (int)__float_as_uint(v); }
TF_INLINE double __longlong_as_double(long long v) { return __builtin_bit_cast(double, v); }
TF_INLINE long long __double_as_longlong(double v) { return __builtin_bit_cast(long long, v); }

template <class T> TF_ACCESS T __ldg(const T* p) { return *p; }
template <class T> TF_ACCESS T __ldca(const T* p) { return *p; }
template <class T> TF_ACCESS T __ldcg(const T* p) { return *p; }
template <class T> TF_ACCESS T __ldcs(const T* p) { return *p; }
template <class T> TF_ACCESS T __ldlu(const T* p) { return *p; }
template <class T> TF_ACCESS T __ldcv(const T* p) { return *(const volatile T*)p; }
template <class T> TF_ACCESS void __stcg(T* p, T v) { *p = v; }
template <class T> TF_ACCESS void __stcs(T* p, T v) { *p = v; }
template <class T> TF_ACCESS void __stwb(T* p, T v) { *p = v; }
template <class T> TF_ACCESS void __stwt(T* p, T v) { *p = v; }

#endif
