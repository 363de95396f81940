/** The bits of a float64, through one scratch word pair. Every host is little-endian: word 1 is the high one. */

const double = new Float64Array(1);
const words = new Uint32Array(double.buffer);

/** 2 ** -1022 to 2 ** 1023: a table is faster here than building the bits, whose halves the load has to wait for. */
const POWERS = new Float64Array(2046);
for (let i = 0, value = 2 ** -1022; i < POWERS.length; i++, value *= 2) POWERS[i] = value;

/** floor(log2 |x|) of a normal float64; -1023 for zero and subnormals, 1024 for infinities and NaN. */
export function exponentOf(x: number): number {
  double[0] = x;
  return ((words[1]! >>> 20) & 0x7ff) - 1023;
}

/** 2 ** exponent, exactly, for exponents -1022 to 1023. */
export function power(exponent: number): number {
  return POWERS[exponent + 1022]!;
}

/** The float64 whose magnitude is one step up (`step` 1) or down (-1) from that of x, a finite nonzero number. */
export function stepMagnitude(x: number, step: 1 | -1): number {
  double[0] = x;
  const low = words[0]!;
  words[0] = low + step;
  if (low === (step > 0 ? 0xffffffff : 0)) words[1] = words[1]! + step;
  return double[0]!;
}

/** Whether the last bit of the significand of x is set. */
export function isOdd(x: number): boolean {
  double[0] = x;
  return (words[0]! & 1) === 1;
}

/** Sign, exponent and the top 20 bits of the fraction. */
export function highWord(x: number): number {
  double[0] = x;
  return words[1]!;
}

/** The low 32 bits of the fraction. */
export function lowWord(x: number): number {
  double[0] = x;
  return words[0]!;
}
