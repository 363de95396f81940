/**
 * The comparers: every element is judged, none by a statistic, and a NaN in a comparison can never pass it. Classes are read
 * from bits.
 */
import { CLASS_NAMES, classesOf } from '../numerics/class.ts';
import { decodeAll, encodeAll, round, toBits } from '../numerics/codec.ts';
import { count, sided } from '../numerics/digits.ts';
import { bytesOf } from '../numerics/dtype.ts';
import { halfUlp } from '../numerics/ulp.ts';
import type { Ends } from '../families/formula/range.ts';
import type { Shape, Tensor } from '../families/tensor.ts';
import { coordinates, elementCount } from '../families/tensor.ts';
import type { CauseCode } from '../spec/cause.ts';
import type { Finding, Margin } from './finding.ts';
import { findingOf } from './finding.ts';

/** An output under judgement. */
export interface Judged {
  readonly name: string;
  readonly tensor: Tensor;
  readonly shape: Shape;
  readonly bytes: Uint8Array;
}

export const placeText = ({ name, tensor, shape }: Judged, index: number): string =>
  `${name}[${coordinates(tensor, shape, index).join(', ')}]`;

function bitsText(judged: Judged, index: number): string {
  const size = bytesOf(judged.tensor.dtype);
  const bits = toBits(judged.tensor.dtype, judged.bytes.subarray(index * size, (index + 1) * size), 1)[0] ?? 0;
  return `0x${bits.toString(16).padStart(size * 2, '0')}`;
}

/** A number as people read it: 6 significant digits. */
export function numberText(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
  return Object.is(value, -0) ? '-0' : String(Number(value.toPrecision(6)));
}

function valueText(judged: Judged, value: number): string {
  const bytes = encodeAll(judged.tensor.dtype, [value]);
  return `${numberText(round(judged.tensor.dtype, value))} (${bitsText({ ...judged, bytes }, 0)})`;
}

/** `y[16, 2055]  got 0.8164 (0x3f51)  want 0.9023 (0x3f67)`. */
export function elementText(judged: Judged, index: number, got: number, want: number, rest = ''): string {
  return `${placeText(judged, index)}  got ${numberText(got)} (${bitsText(judged, index)})  want ${valueText(judged, want)}${rest}`;
}

/** How an element can be judged. nan: it must be one. none: its range says nothing. */
export type Judgement = 'range' | 'nan' | 'none';

/** Where finite inputs overflow or divide by zero: a range that has an open end may hold a NaN as well, so it says nothing. */
export function judgementOf(want: number, lo: number, hi: number): Judgement {
  if (lo === hi || (Number.isFinite(lo) && Number.isFinite(hi))) return 'range';
  return Number.isNaN(want) && Number.isNaN(lo) && Number.isNaN(hi) ? 'nan' : 'none';
}

/** What a comparison by ranges says; `index` is the worst element, or -1. */
export interface Compared {
  readonly finding?: Finding;
  readonly margin?: Margin;
  readonly index: number;
  /** Elements that were not judged. */
  readonly unbounded: number;
}

/** Is told of an element that is judged: its error as a share of its bound, more than 1 where it is wrong. */
export type See = (index: number, share: number) => void;

/**
 * Every output within its range, the ends rounded to the output's type; an element that `judgement` calls open is passed over,
 * and `see` is told of the others.
 */
export function compareRanges(
  judged: Judged,
  want: Float64Array,
  ends: Ends,
  judgement: (want: number, lo: number, hi: number, index: number) => Judgement = () => 'range',
  see?: See,
): Compared {
  const { dtype } = judged.tensor;
  const total = elementCount(judged.tensor, judged.shape);
  const got = decodeAll(dtype, judged.bytes, total);
  let wrong = 0;
  let unbounded = 0;
  let worst = { index: -1, share: -1 };
  for (let i = 0; i < total; i++) {
    const value = got[i] ?? Number.NaN;
    const exact = want[i] ?? Number.NaN;
    const lo = ends.lo[i] ?? Number.NaN;
    const hi = ends.hi[i] ?? Number.NaN;
    const by = judgement(exact, lo, hi, i);
    if (by === 'none') unbounded++;
    if (by === 'none' || (by === 'nan' && Number.isNaN(value))) continue;
    const inside = isInside(dtype, value, lo, hi);
    const share = shareOf(dtype, value, exact, lo, hi);
    if (!inside) wrong++;
    see?.(i, seenShare(share, inside));
    const rank = inside ? share : Math.max(share, 1) + 1;
    if (!(rank <= worst.share)) worst = { index: i, share: Number.isNaN(rank) ? Infinity : rank };
  }
  const { index } = worst;
  if (index < 0) return { index, unbounded };
  if (wrong > 0) return { finding: rangeFinding(judged, index, got, want, ends, wrong, total), index, unbounded };
  return {
    margin: { share: seenShare(shareAt(judged, index, got, want, ends), true), where: placeText(judged, index) },
    index,
    unbounded,
  };
}

/** What passes has 1 at most, by its rounded ends; what does not has more, and Infinity where it is no number. */
function seenShare(share: number, inside: boolean): number {
  if (inside) return Math.min(share, 1);
  return share > 1 ? share : Number.isNaN(share) ? Infinity : 1 + Number.EPSILON;
}

/** Whether a value of the type passes. A zero must have the sign that both ends have, where they are zeros of one sign. */
export function isInside(dtype: Tensor['dtype'], value: number, lo: number, hi: number): boolean {
  if (value !== 0) return (value >= lo && value <= hi) || (value >= round(dtype, lo) && value <= round(dtype, hi));
  const [least, most] = [round(dtype, lo), round(dtype, hi)];
  return Object.is(least, most) ? Object.is(value, least) : (lo <= 0 && hi >= 0) || (least <= 0 && most >= 0);
}

/** The error as a share of its bound: half an ulp of the output and the range's spread on that side. */
function shareOf(dtype: Tensor['dtype'], got: number, want: number, lo: number, hi: number): number {
  if (got === want) return 0;
  const spread = got > want ? hi - want : want - lo;
  return Math.abs(got - want) / (halfUlp(dtype, want) + Math.max(spread, 0));
}

function shareAt(judged: Judged, i: number, got: Float64Array, want: Float64Array, ends: Ends): number {
  return shareOf(judged.tensor.dtype, got[i] ?? NaN, want[i] ?? NaN, ends.lo[i] ?? NaN, ends.hi[i] ?? NaN);
}

function rangeFinding(
  judged: Judged,
  i: number,
  got: Float64Array,
  want: Float64Array,
  ends: Ends,
  wrong: number,
  total: number,
): Finding {
  const value = got[i] ?? Number.NaN;
  const exact = want[i] ?? Number.NaN;
  const spread = value > exact ? (ends.hi[i] ?? 0) - exact : exact - (ends.lo[i] ?? 0);
  const bound = halfUlp(judged.tensor.dtype, exact) + Math.max(spread, 0);
  const share = Math.abs(value - exact) / bound;
  const isNumber = Number.isFinite(share);
  const times = isNumber ? timesText(share) : '';
  return findingOf({ code: 'value', of: judged.name }, `${count(wrong)} of ${count(total)} outputs past the bound`, {
    worst: elementText(judged, i, value, exact, `  bound ${numberText(bound)}${times}`),
    at: { output: judged.name, index: i },
    ...(isNumber && { times: share }),
  });
}

/** `  24.4x`; nothing of a zero of the wrong sign, which is off by none. What is wrong is past its bound, if by less than digits show. */
function timesText(share: number): string {
  return share === 0 ? '' : `  ${sided(Math.max(share, 1 + Number.EPSILON))}x`;
}

/** A finding, and the element that it names. */
export interface PlacedFinding extends Finding {
  readonly index: number;
}

interface Wrong {
  readonly count: number;
  /** The first that `telling` holds of, else the first. */
  readonly index: number;
}

/** The elements that something is wrong with. */
export function wrongOnes(
  total: number,
  isWrong: (i: number) => boolean,
  telling?: (i: number) => boolean,
): Wrong | undefined {
  let wrong = 0;
  let first = -1;
  let told = -1;
  for (let i = 0; i < total; i++) {
    if (!isWrong(i)) continue;
    wrong++;
    if (first < 0) first = i;
    if (told < 0 && telling?.(i)) told = i;
  }
  return first < 0 ? undefined : { count: wrong, index: told < 0 ? first : told };
}

/** Every output's class equals the reference's; no tolerance. Of the wrong ones, one that `telling` holds of is named. */
export function compareClasses(
  judged: Judged,
  want: Float64Array,
  telling?: (index: number) => boolean,
): PlacedFinding | undefined {
  const { dtype } = judged.tensor;
  const total = elementCount(judged.tensor, judged.shape);
  const got = classesOf(dtype, judged.bytes, total);
  const wanted = classesOf(dtype, encodeAll(dtype, want), total);
  const wrong = wrongOnes(total, (i) => got[i] !== wanted[i], telling);
  if (!wrong) return undefined;
  const { index } = wrong;
  const name = (code: number | undefined): string => CLASS_NAMES[code ?? 0] ?? '';
  const what = `${count(wrong.count)} of ${count(total)} outputs of another class than float64's`;
  const worst = `${placeText(judged, index)}  got ${name(got[index])} (${bitsText(judged, index)})  want ${name(wanted[index])}`;
  return {
    ...findingOf({ code: 'class', of: judged.name }, what, { worst, at: { output: judged.name, index } }),
    index,
  };
}

/** Whether two runs are held against each other, neither of which is the right one. */
const isOfRuns = (code: CauseCode): boolean => code === 'other-order' || code === 'after-other-inputs';

/** Every output's bits equal the wanted ones, of the same type and shape. Of the wrong ones, one that `telling` holds of is named. */
export function compareBits(
  judged: Judged,
  wanted: Uint8Array,
  code: CauseCode,
  what: string,
  telling?: (index: number) => boolean,
): PlacedFinding | undefined {
  if (Buffer.compare(judged.bytes, wanted) === 0) return undefined;
  const { dtype } = judged.tensor;
  const total = elementCount(judged.tensor, judged.shape);
  const got = toBits(dtype, judged.bytes, total);
  const want = toBits(dtype, wanted, total);
  const wrong = wrongOnes(total, (i) => got[i] !== want[i], telling);
  if (!wrong) return undefined;
  const { index } = wrong;
  const text = (bytes: Uint8Array): string =>
    `${numberText(decodeAll(dtype, bytes, total)[index] ?? 0)} (${bitsText({ ...judged, bytes }, index)})`;
  const both = isOfRuns(code)
    ? `first run ${text(wanted)}  second run ${text(judged.bytes)}`
    : `got ${text(judged.bytes)}  want ${text(wanted)}`;
  const worst = `${placeText(judged, index)}  ${both}`;
  const told = `${count(wrong.count)} of ${count(total)} outputs ${what}`;
  return { ...findingOf({ code, of: judged.name }, told, { worst, at: { output: judged.name, index } }), index };
}
