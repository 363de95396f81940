// 16-bit floats: conversions to nearest even with the GPU's canonical NaN, and a class whose operations round once.
//
// Addition, multiplication, division and square root through fp32 round as if once (24 >= 2 * 11 + 2 bits); a fused
// multiply-add does not, so it goes through rounding to odd, after which any shorter rounding is the only one that
// counts.
#ifndef TF_FP_H
#define TF_FP_H
#include "../image.h"

static constexpr tf_u16 TF_NAN16 = 0x7fff; // of f16 and bf16 alike

TF_INLINE tf_u32 tf_float_bits(float value) { return __builtin_bit_cast(tf_u32, value); }
TF_INLINE float tf_bits_float(tf_u32 bits) { return __builtin_bit_cast(float, bits); }
TF_INLINE tf_u64 tf_double_bits(double value) { return __builtin_bit_cast(tf_u64, value); }
TF_INLINE double tf_bits_double(tf_u64 bits) { return __builtin_bit_cast(double, bits); }
TF_INLINE bool tf_bits_nan(tf_u32 bits) { return (bits & 0x7fffffff) > 0x7f800000; }

TF_INLINE float tf_f16_to_f32(tf_u16 code) { return (float)__builtin_bit_cast(_Float16, code); }
TF_INLINE tf_u16 tf_f32_to_f16(float value) {
  tf_u16 code = __builtin_bit_cast(tf_u16, (_Float16)value);
  return tf_bits_nan(tf_float_bits(value)) ? TF_NAN16 : code;
}

TF_INLINE float tf_bf16_to_f32(tf_u16 code) { return tf_bits_float((tf_u32)code << 16); }
// Without a branch, so that neighbouring values are rounded together.
TF_INLINE tf_u16 tf_f32_to_bf16(float value) {
  tf_u32 plain = tf_float_bits(value), bits = tf_bits_nan(plain) ? (tf_u32)TF_NAN16 << 16 : plain;
  return (tf_u16)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

// Moves a finite even result of a rounding to the odd neighbour on the side of what was cut off.
TF_INLINE double tf_to_odd(double rounded, double error) {
  tf_u64 bits = tf_double_bits(rounded);
  bool inexact = (error != 0) & (rounded - rounded == 0) & !(bits & 1);
  return inexact ? tf_bits_double(bits + ((error > 0) == (rounded > 0) ? 1 : -1)) : rounded;
}
// fp32 by rounding to odd; overflow gives the largest finite value or infinity, either of which overflows a 16-bit
// type.
TF_INLINE float tf_f64_to_f32_odd(double value) {
  float rounded = (float)value;
  tf_u32 bits = tf_float_bits(rounded);
  double error = value - (double)rounded;
  bool inexact = (error != 0) & (rounded - rounded == 0) & !(bits & 1);
  if (!inexact) return rounded;
  if (rounded == 0) return tf_bits_float((value < 0 ? 0x80000000u : 0) | 1);
  return tf_bits_float(bits + ((error > 0) == (rounded > 0) ? 1 : -1));
}
// a * b + c for 16-bit a, b, c: the product is exact in double, the sum's error is exact too.
TF_INLINE float tf_fma16_odd(float a, float b, float c) {
  double product = (double)a * (double)b, sum = product + (double)c;
  double back = sum - product, error = (product - (sum - back)) + ((double)c - back);
  return tf_f64_to_f32_odd(tf_to_odd(sum, error));
}
// A 64-bit integer without loss of what rounding needs: past 53 bits the rest is folded into the last.
TF_INLINE double tf_u64_to_f64_sticky(tf_u64 value) {
  if (value < 1ull << 53) return (double)value;
  return (double)(value >> 11 | ((value & 2047) != 0)) * 2048.0;
}
TF_INLINE double tf_i64_to_f64_sticky(long long value) {
  return value < 0 ? -tf_u64_to_f64_sticky(-(tf_u64)value) : tf_u64_to_f64_sticky((tf_u64)value);
}

struct TfF16Code {
  TF_INLINE float decode(tf_u16 code) { return tf_f16_to_f32(code); }
  TF_INLINE tf_u16 encode(float value) { return tf_f32_to_f16(value); }
};
struct TfBf16Code {
  TF_INLINE float decode(tf_u16 code) { return tf_bf16_to_f32(code); }
  TF_INLINE tf_u16 encode(float value) { return tf_f32_to_bf16(value); }
};

template <class Code> struct TfFloat16 {
  tf_u16 bits;

  TfFloat16() = default;
  TF_MEMBER TfFloat16(float v) : bits(Code::encode(v)) {}
  TF_MEMBER TfFloat16(double v) : bits(Code::encode(tf_f64_to_f32_odd(v))) {}
  TF_MEMBER TfFloat16(short v) : bits(Code::encode((float)v)) {}
  TF_MEMBER TfFloat16(unsigned short v) : bits(Code::encode((float)v)) {}
  TF_MEMBER TfFloat16(int v) : TfFloat16((double)v) {}
  TF_MEMBER TfFloat16(unsigned v) : TfFloat16((double)v) {}
  TF_MEMBER TfFloat16(long v) : TfFloat16(tf_i64_to_f64_sticky(v)) {}
  TF_MEMBER TfFloat16(unsigned long v) : TfFloat16(tf_u64_to_f64_sticky(v)) {}
  TF_MEMBER TfFloat16(long long v) : TfFloat16(tf_i64_to_f64_sticky(v)) {}
  TF_MEMBER TfFloat16(unsigned long long v) : TfFloat16(tf_u64_to_f64_sticky(v)) {}
  TF_INLINE TfFloat16 raw(tf_u16 bits) {
    TfFloat16 r;
    r.bits = bits;
    return r;
  }
  TF_MEMBER operator float() const { return Code::decode(bits); }

#define TF_ARITHMETIC(op)                                                                                             \
  friend TF_MEMBER TfFloat16 operator op(TfFloat16 a, TfFloat16 b) { return TfFloat16((float)a op (float)b); }        \
  TF_MEMBER TfFloat16& operator op##=(TfFloat16 b) { return *this = *this op b; }
  TF_ARITHMETIC(+)
  TF_ARITHMETIC(-)
  TF_ARITHMETIC(*)
  TF_ARITHMETIC(/)
#undef TF_ARITHMETIC

#define TF_COMPARISON(op) friend TF_MEMBER bool operator op(TfFloat16 a, TfFloat16 b) { return (float)a op (float)b; }
  TF_COMPARISON(<)
  TF_COMPARISON(>)
  TF_COMPARISON(<=)
  TF_COMPARISON(>=)
  TF_COMPARISON(==)
  TF_COMPARISON(!=)
#undef TF_COMPARISON

  TF_MEMBER TfFloat16 operator+() const { return *this; }
  TF_MEMBER TfFloat16 operator-() const { return raw(bits ^ 0x8000); }
  TF_MEMBER TfFloat16& operator++() { return *this = *this + TfFloat16(1.0f); }
  TF_MEMBER TfFloat16& operator--() { return *this = *this - TfFloat16(1.0f); }
};

typedef TfFloat16<TfF16Code> tf_f16;
typedef TfFloat16<TfBf16Code> tf_bf16;

template <class Code> TF_INLINE TfFloat16<Code> tf_fma16(TfFloat16<Code> a, TfFloat16<Code> b, TfFloat16<Code> c) {
  return TfFloat16<Code>(tf_fma16_odd((float)a, (float)b, (float)c));
}

#endif
