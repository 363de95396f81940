/** Which values are simple: 0, then 1, then small integers, powers of two, few bits; and NaN before its other codes. */
import { decode, encode } from '../numerics/codec.ts';
import { formatOf, isFloat } from '../numerics/dtype.ts';
import type { Tensor } from '../families/tensor.ts';
import type { GateName } from '../spec/contract.ts';

/** Small integers that are tried whatever the value was. */
const SMALL = [1, 2, 3, 4, 5, 6, 7, 8] as const;

/**
 * Codes simpler than a given one, the simplest first. Gate 1 alone has NaN and infinities. Gate 4's data are integers whose sums
 * stay exact: only integers no larger than the given one take its place.
 */
export function simplerCodes(tensor: Tensor, code: number, gate: GateName): number[] {
  const { dtype, bits } = tensor;
  const most = bits === undefined ? undefined : 2 ** bits - 1;
  if (!isFloat(dtype))
    return unique(
      [...SMALL, code >>> 1].filter((value) => value < code && value <= (most ?? Infinity)),
      code,
    );
  const value = decode(dtype, code);
  const simple = gate === 'sums' ? integersUpTo(value) : Number.isFinite(value) ? finite(value) : [...finite(1), value];
  const codes = simple.filter((each) => isHeld(tensor, each)).map((each) => encode(dtype, each));
  return unique(codes, code);
}

function finite(value: number): number[] {
  const sign = Math.sign(value);
  const power = 2 ** Math.floor(Math.log2(Math.abs(value)));
  return [...SMALL, ...SMALL.map((n) => -n), 0.5, -0.5, sign * power, ...fewerBits(value), Math.round(value)];
}

/** A value cut to 2, 3, ... significant bits. */
function fewerBits(value: number): number[] {
  const exponent = Math.floor(Math.log2(Math.abs(value)));
  return Array.from({ length: 10 }, (_, i) => {
    const step = 2 ** (exponent - 1 - i);
    return Math.trunc(value / step) * step;
  });
}

function integersUpTo(value: number): number[] {
  const most = Math.abs(value);
  const signs = Math.sign(value) < 0 ? [-1, 1] : [1, -1];
  const small = SMALL.flatMap((n) => signs.map((sign) => sign * n));
  const cut = fewerBits(value).filter(Number.isInteger);
  return [...small, Math.sign(value) * 2 ** Math.floor(Math.log2(most)), ...cut].filter((n) => Math.abs(n) <= most);
}

/** Whether a type holds a value as it is. */
function isHeld({ dtype }: Tensor, value: number): boolean {
  if (!isFloat(dtype)) return Number.isInteger(value);
  const { hasInf, hasNan, signed, max } = formatOf(dtype);
  if (Number.isNaN(value)) return hasNan;
  if (!Number.isFinite(value)) return hasInf;
  if (value < 0 && !signed) return false;
  return value !== 0 && Math.abs(value) <= max && decode(dtype, encode(dtype, value)) === value;
}

/** Codes up to the given one, each once. */
function unique(codes: readonly number[], own: number): number[] {
  const all = [...new Set(codes)];
  const at = all.indexOf(own);
  return at < 0 ? all : all.slice(0, at);
}
