// What the OpenCL topics share: how a builtin is defined, the types and widths it is defined for, call sites.
#ifndef TF_OPENCL_BASE_H
#define TF_OPENCL_BASE_H

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

// A builtin is a function of the image, so that it inlines; without lines of its own, a fault names the kernel's.
#define TF_CL static inline __attribute__((always_inline, overloadable, unused, nodebug))
// A function of opencl_image.h, which is C++ and joins at link time; overloads have the same names in both languages.
#define TF_CL_CPP __attribute__((overloadable))

// The source line that a builtin is called from.
#define TF_CL_HERE (ulong)__FILE__, __LINE__

// What is defined for pointers: the generic address space stands for every one that can be written.
#if defined(__opencl_c_generic_address_space)
#define TF_CL_SPACES(X, ...) X(__VA_ARGS__, __generic)
#else
#define TF_CL_SPACES(X, ...) X(__VA_ARGS__, __global) X(__VA_ARGS__, __local) X(__VA_ARGS__, __private)
#endif

#define TF_CL_WIDTHS(X, T) X(T, 2) X(T, 3) X(T, 4) X(T, 8) X(T, 16)
#define TF_CL_SIGNED(X) X(char) X(short) X(int) X(long)
#define TF_CL_UNSIGNED(X) X(uchar) X(ushort) X(uint) X(ulong)
#define TF_CL_INTEGERS(X) TF_CL_SIGNED(X) TF_CL_UNSIGNED(X)
#define TF_CL_FLOATS(X) X(float) X(half)
#if defined(cl_khr_fp64)
#define TF_CL_DOUBLE(X) X(double)
#else
#define TF_CL_DOUBLE(X)
#endif
#define TF_CL_SCALARS(X) TF_CL_INTEGERS(X) TF_CL_FLOATS(X) TF_CL_DOUBLE(X)

// name(T) in terms of itself for vectors, place by place.
#define TF_CL_VECTOR1(name, R, T, N)                                                                                   \
  TF_CL R##N name(T##N a) {                                                                                            \
    R##N r;                                                                                                            \
    for (int i = 0; i < N; i++) r[i] = name((T)a[i]);                                                                  \
    return r;                                                                                                          \
  }
#define TF_CL_VECTOR2(name, R, T, N)                                                                                   \
  TF_CL R##N name(T##N a, T##N b) {                                                                                    \
    R##N r;                                                                                                            \
    for (int i = 0; i < N; i++) r[i] = name((T)a[i], (T)b[i]);                                                         \
    return r;                                                                                                          \
  }
#define TF_CL_VECTOR3(name, R, T, N)                                                                                   \
  TF_CL R##N name(T##N a, T##N b, T##N c) {                                                                            \
    R##N r;                                                                                                            \
    for (int i = 0; i < N; i++) r[i] = name((T)a[i], (T)b[i], (T)c[i]);                                                \
    return r;                                                                                                          \
  }
#define TF_CL_ALL(vector, name, R, T)                                                                                  \
  vector(name, R, T, 2) vector(name, R, T, 3) vector(name, R, T, 4) vector(name, R, T, 8) vector(name, R, T, 16)

#endif
