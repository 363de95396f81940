// Vector types with CUDA's sizes and alignments, and their make_ functions.
#ifndef TF_CUDA_VECTOR_H
#define TF_CUDA_VECTOR_H
#include "index.h"

#define TF_VECTOR1(name, T)                                                                                           \
  struct name##1 { T x; };                                                                                            \
  TF_INLINE name##1 make_##name##1(T x) { return { x }; }
#define TF_VECTOR2(name, T, align)                                                                                    \
  struct __attribute__((aligned(align))) name##2 { T x, y; TF_CHECKED_MEMBER };                                       \
  TF_INLINE name##2 make_##name##2(T x, T y) { return { x, y }; }
#define TF_VECTOR3(name, T)                                                                                           \
  struct name##3 { T x, y, z; };                                                                                      \
  TF_INLINE name##3 make_##name##3(T x, T y, T z) { return { x, y, z }; }
#define TF_VECTOR4(name, T, align)                                                                                    \
  struct __attribute__((aligned(align))) name##4 { T x, y, z, w; TF_CHECKED_MEMBER };                                 \
  TF_INLINE name##4 make_##name##4(T x, T y, T z, T w) { return { x, y, z, w }; }
#define TF_VECTOR(name, T, align2, align4)                                                                            \
  TF_VECTOR1(name, T) TF_VECTOR2(name, T, align2) TF_VECTOR3(name, T) TF_VECTOR4(name, T, align4)

TF_VECTOR(char, signed char, 2, 4)
TF_VECTOR(uchar, unsigned char, 2, 4)
TF_VECTOR(short, short, 4, 8)
TF_VECTOR(ushort, unsigned short, 4, 8)
TF_VECTOR(int, int, 8, 16)
TF_VECTOR(long, long, 16, 16)
TF_VECTOR(ulong, unsigned long, 16, 16)
TF_VECTOR(longlong, long long, 16, 16)
TF_VECTOR(ulonglong, unsigned long long, 16, 16)
TF_VECTOR(float, float, 8, 16)
TF_VECTOR(double, double, 16, 16)
TF_VECTOR1(uint, unsigned) TF_VECTOR2(uint, unsigned, 8) TF_VECTOR4(uint, unsigned, 16) // uint3 is the type of an index
TF_INLINE uint3 make_uint3(unsigned x, unsigned y, unsigned z) { return { x, y, z }; }
#undef TF_VECTOR1
#undef TF_VECTOR2
#undef TF_VECTOR3
#undef TF_VECTOR4
#undef TF_VECTOR

#endif
