/** Whole numbers as the output writes them. */

/** 34952 as `34,952`. Not by locale: an audit writes tens of thousands. */
export const count = (n: number): string => (n < 1000 ? String(n) : String(n).replace(/\B(?=(\d{3})+$)/g, ','));

/** Digits past which it is enough to know on which side of 1 a number lies. */
const SIDE_DIGITS = 7;

/** Three digits, or of what those would make 1 as many as tell it from 1: `24.4`, `1.0002`, `just over 1`. */
export function sided(value: number): string {
  for (let digits = 3; digits <= SIDE_DIGITS; digits++) {
    const short = Number(value.toPrecision(digits));
    if (short !== 1 || value === 1) return String(short);
  }
  return value > 1 ? 'just over 1' : 'just under 1';
}
