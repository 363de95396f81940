/**
 * The limit of detection: the smallest planted error that a gate would still have caught, from the outputs that were recorded and
 * the ranges that they were held against. At an output it is exact: what separates it from the nearest values of its type past
 * both ends of its range, the farther of the two, since an error has either sign. It is told in bounds, in ulps of the output,
 * and as the share of the outputs at which an error of half the output would have passed.
 */
import { decodeAll, round } from '../numerics/codec.ts';
import type { DType } from '../numerics/dtype.ts';
import { halfUlp, nextDown, nextUp, ulp } from '../numerics/ulp.ts';
import type { Ends } from '../families/formula/range.ts';
import { elementCount } from '../families/tensor.ts';
import type { Judged } from './compare.ts';
import { placeText } from './compare.ts';

/** An error of a size that is caught for certain. */
export interface Limit {
  /** In bounds of the output: half an ulp and the range's spread. */
  readonly bounds: number;
  /** In ulps of the output. */
  readonly ulps: number;
}

export interface Detection {
  readonly output: string;
  /** Outputs that were measured. */
  readonly outputs: number;
  /** Of each measure by itself, as the median is. */
  readonly least: Limit;
  readonly median: Limit;
  readonly worst: Limit & { readonly where: string };
  /** Outputs, not zero, at which an error of half the output would pass. */
  readonly blind: number;
}

/** A sum, and the loss that is caught in each row that was tried. */
export interface LostTerms {
  readonly sum: string;
  readonly terms: number;
  /** In mean terms; undefined where the loss of a million would still pass. */
  readonly lost?: number;
}

/** The smallest error of either sign that is caught at an output: `got` inside the rounded ends `lo` and `hi`. */
export function limitAt(type: DType, got: number, lo: number, hi: number): number {
  const above = nextUp(type, round(type, hi)) - got;
  const below = got - nextDown(type, round(type, lo));
  return Math.max(above, below);
}

/** Outputs of a case that are measured, from its first on: its rows are made alike. */
const MOST = 2 ** 16;

/** The limits of one output of a case; undefined where no element has a bound. */
export function detectionOf(judged: Judged, want: Float64Array, { lo, hi }: Ends): Detection | undefined {
  const { dtype } = judged.tensor;
  const got = decodeAll(dtype, judged.bytes, Math.min(MOST, elementCount(judged.tensor, judged.shape)));
  const ulps = new Float64Array(got.length);
  const bounds = new Float64Array(got.length);
  const worst = { at: -1, ulps: 0, bounds: 0 };
  let [outputs, blind] = [0, 0];
  for (let i = 0; i < got.length; i++) {
    const exact = want[i] as number;
    const error = limitAt(dtype, got[i] as number, lo[i] as number, hi[i] as number);
    if (!(error < Infinity)) continue;
    const spread = Math.max((hi[i] as number) - exact, exact - (lo[i] as number), 0);
    const limit = { ulps: error / ulp(dtype, exact), bounds: error / (halfUlp(dtype, exact) + spread) };
    if (exact !== 0 && error > Math.abs(exact) / 2) blind++;
    if (limit.ulps > worst.ulps) [worst.at, worst.ulps, worst.bounds] = [i, limit.ulps, limit.bounds];
    ulps[outputs] = limit.ulps;
    bounds[outputs] = limit.bounds;
    outputs++;
  }
  if (outputs === 0) return undefined;
  const [u, b] = [ulps, bounds].map((all) => all.subarray(0, outputs).sort());
  const at = (place: number): Limit => ({ ulps: u?.[place] ?? 0, bounds: b?.[place] ?? 0 });
  return {
    output: judged.name,
    outputs,
    least: at(0),
    median: at(outputs >> 1),
    worst: { ulps: worst.ulps, bounds: worst.bounds, where: placeText(judged, worst.at) },
    blind,
  };
}
