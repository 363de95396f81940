/** The element types of tensors, and the floating-point formats among them. */

export const DTYPES = ['f32', 'f16', 'bf16', 'e4m3', 'e5m2', 'e2m1', 'e8m0', 'u32', 'i32', 'u8'] as const;
export type DType = (typeof DTYPES)[number];
export type FloatType = Exclude<DType, 'u32' | 'i32' | 'u8'>;

/** A binary floating-point format of at most 32 bits, with subnormals (e8m0: powers of two alone, and no zero). */
export interface FloatFormat {
  readonly name: FloatType;
  /** Bits of one code. */
  readonly bits: number;
  /** Bits of the significand, the hidden one included. */
  readonly significandBits: number;
  /** The least normal value is 2 ** minExponent. */
  readonly minExponent: number;
  /** The largest finite value. */
  readonly max: number;
  /** The code of `max`. Of the codes above it, sign apart, the first is infinity where there is one, the rest NaN. */
  readonly maxCode: number;
  readonly hasInf: boolean;
  readonly hasNan: boolean;
  readonly signed: boolean;
}

const IEEE = { hasInf: true, hasNan: true, signed: true };
const NAN_ONLY = { hasInf: false, hasNan: true, signed: true };
const FINITE_ONLY = { hasInf: false, hasNan: false, signed: true };
const UNSIGNED = { hasInf: false, hasNan: true, signed: false };

/** Every floating-point type, widest first. */
export const FLOATS: readonly FloatType[] = ['f32', 'f16', 'bf16', 'e4m3', 'e5m2', 'e2m1', 'e8m0'];

const FORMATS: Readonly<Record<FloatType, FloatFormat>> = {
  f32: format('f32', 32, 24, -126, (2 - 2 ** -23) * 2 ** 127, 0x7f7fffff, IEEE),
  f16: format('f16', 16, 11, -14, 65504, 0x7bff, IEEE),
  bf16: format('bf16', 16, 8, -126, (2 - 2 ** -7) * 2 ** 127, 0x7f7f, IEEE),
  e4m3: format('e4m3', 8, 4, -6, 448, 0x7e, NAN_ONLY),
  e5m2: format('e5m2', 8, 3, -14, 57344, 0x7b, IEEE),
  e2m1: format('e2m1', 4, 2, 0, 6, 0x7, FINITE_ONLY),
  e8m0: format('e8m0', 8, 1, -127, 2 ** 127, 0xfe, UNSIGNED),
};

const BYTES: Readonly<Record<DType, number>> = {
  ...{ f32: 4, f16: 2, bf16: 2, e4m3: 1, e5m2: 1, e2m1: 0.5, e8m0: 1 },
  ...{ u32: 4, i32: 4, u8: 1 },
};

function format(
  name: FloatType,
  bits: number,
  significandBits: number,
  minExponent: number,
  max: number,
  maxCode: number,
  special: { readonly hasInf: boolean; readonly hasNan: boolean; readonly signed: boolean },
): FloatFormat {
  return { name, bits, significandBits, minExponent, max, maxCode, ...special };
}

export function isFloat(type: DType): type is FloatType {
  return type !== 'u32' && type !== 'i32' && type !== 'u8';
}

/** The format of a floating-point type; throws a RangeError for an integer type. */
export function formatOf(type: DType): FloatFormat {
  if (!isFloat(type)) throw new RangeError(`${type} is an integer type: it has no floating-point format`);
  return FORMATS[type];
}

/** Bytes of one element; 0.5 for e2m1, which is packed two a byte, the even index in the low nibble. */
export function bytesOf(type: DType): number {
  return BYTES[type];
}
