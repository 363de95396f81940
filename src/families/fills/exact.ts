/**
 * Gate 4's data: integers whose partial sums reach about 2^20 and stay below 2^24, so fp32 sums are exact whatever the order,
 * while fp16 overflows or loses its low bits and bf16 loses thousands. The second half of a row mirrors the first, so the
 * result is small and a lost bit is large beside it.
 */
import { encodeAll, round } from '../../numerics/codec.ts';
import type { Random } from '../../numerics/random.ts';
import { random } from '../../numerics/random.ts';
import type { Node } from '../formula/graph.ts';
import { ancestors } from '../formula/graph.ts';
import type { Inputs } from '../inputs.ts';
import type { Problem } from '../problem.ts';
import type { Shape, Tensor } from '../tensor.ts';
import { byteCount, rowCount, rowLength, sizeOf } from '../tensor.ts';
import type { FillName } from './ordinary.ts';
import { ordinaryInputs } from './ordinary.ts';

/** The sum of one half's magnitudes: twice this stays below 2^24 with room for factors of 2. */
const HALF_SUM = 2 ** 21;
/** The sum of squares: below 2^24, and far above fp16's largest finite value, 65,504. */
const SQUARE_SUM = 2 ** 22;

/** About this many small elements of a row differ from their mirror image, so that no sum is 0 and none is large. */
const RESTS = 32;

/** The mean of the odd factors 1 to 31. */
const MEAN_FACTOR = 16;

type Kind = 'mirror' | 'squares' | 'ones';

/** Builds the exact-sum inputs of a formula; inputs that feed no sum get ordinary data. */
export function exactInputs(
  problem: Problem,
  shape: Shape,
  fills: Readonly<Partial<Record<string, FillName>>>,
  seed: string,
): Inputs {
  const base = ordinaryInputs(problem.inputs, shape, fills, seed);
  const made =
    problem.formula.family === 'rows' ? rowsData(problem, shape, seed) : projectionData(problem, shape, seed);
  return { shape, bytes: { ...base.bytes, ...made } };
}

// --- formulas over rows

function rowsData(problem: Problem, shape: Shape, seed: string): Record<string, Uint8Array> {
  const kind = kindOf(problem);
  const summed = Object.entries(problem.inputs).filter(
    ([name, tensor]) => isSummed(problem, name) && tensor.dims.at(-1) === problem.formula.over,
  );
  const wide = wideTerms(kind, summed, sizeOf(shape, problem.formula.over), random(`${seed}:wide`));
  return Object.fromEntries(
    summed.map(([name, tensor], i) => {
      const row = i === 0 || kind === 'squares' ? rowMaker(kind, summed.length) : smallRow;
      return [name, rowsOf(tensor, shape, random(`${seed}:${name}`), row, wide.get(name))];
    }),
  );
}

/** A formula's sums in one word: plain or product sums mirror, squares cannot, exponentials count ones. */
export function kindOf({ graph }: Problem): Kind {
  const sums = graph.nodes.filter((node) => node.kind === 'reduce' && (node.op === 'sum' || node.op === 'mean'));
  const terms = sums.map((node) => graph.nodes[(node as Node & { kind: 'reduce' }).arg]);
  if (terms.some((term) => term?.kind === 'map' && term.op === 'exp')) return 'ones';
  const linear = (term: Node | undefined): boolean =>
    term?.kind === 'input' ||
    (term?.kind === 'map' &&
      term.op === 'mul' &&
      term.args[0] !== term.args[1] &&
      term.args.every((id) => graph.nodes[id]?.kind === 'input'));
  return terms.every(linear) ? 'mirror' : 'squares';
}

export function isSummed({ graph }: Problem, name: string): boolean {
  return graph.nodes.some((node) => {
    if (node.kind !== 'reduce' || (node.op !== 'sum' && node.op !== 'mean')) return false;
    return [...ancestors(graph, node.arg)].some((id) => {
      const from = graph.nodes[id];
      return from?.kind === 'input' && from.name === name;
    });
  });
}

type RowMaker = (width: number, source: Random) => Float64Array;

function rowMaker(kind: Kind, operands: number): RowMaker {
  if (kind === 'ones') return countedOnes;
  if (kind === 'squares')
    return (width, source) => signedIntegers(width, Math.floor(Math.sqrt(SQUARE_SUM / width) / operands), source);
  const factor = operands > 1 ? MEAN_FACTOR : 1;
  return (width, source) => mirrored(width, HALF_SUM / factor, source);
}

/**
 * Odd factors of 5 bits, one for two neighbours, mirrored with the operand they scale: an 8-bit by 5-bit product is more than
 * fp16's 11 bits hold.
 */
const smallRow: RowMaker = (width, source) => {
  const out = new Float64Array(width).fill(1);
  for (let i = 0; i < width >> 1; i++) {
    out[i] = out[width - 1 - i] = i % 2 === 1 ? (out[i - 1] ?? 1) : 2 * source.int(0, 15) + 1;
  }
  return out;
};

/**
 * First half positive and summing to about `sum`, a quarter of it small and odd, at random places, so that a thread of any
 * stride adds large and small. Where the mean is low, a few elements of 8 bits carry the sum. The second half mirrors it,
 * negated: two neighbours move by a step against each other, so that an error which is a function of one term does not cancel
 * though the sums do; the first and a few others leave a rest, so that no sum is 0.
 */
function mirrored(width: number, sum: number, source: Random): Float64Array {
  const out = new Float64Array(width).fill(1);
  const half = width >> 1;
  const mean = sum / Math.max(half, 1);
  const most = Math.floor(Math.min(31, mean / 4));
  for (let i = 0; i < half; i++) {
    const small = i < 2 || source.unit() < 0.25;
    out[i] = small ? 2 * source.int(0, most) + 1 : largeInteger(mean, source);
  }
  for (let i = 0; i < half; i++) {
    const pair = i % 2 === 0 ? i + 1 : i - 1;
    const step = pair < half ? Math.max(stepOf(out[i] ?? 1), stepOf(out[pair] ?? 1)) * (i % 2 === 0 ? 1 : -1) : 0;
    const rest = i === 0 || (Math.abs(step) <= 1 && source.unit() < RESTS / half) ? 1 : 0;
    out[width - 1 - i] = rest - (out[i] ?? 1) - step;
  }
  return out;
}

/** The distance of bf16's neighbours of an integer, at least 1. */
const stepOf = (value: number): number => (value < 256 ? 1 : 2 ** (Math.floor(Math.log2(value)) - 7));

/** An integer that bf16 holds, `mean` on average; odd numbers of 8 bits and ones where the mean is below them. */
function largeInteger(mean: number, source: Random): number {
  if (mean >= 192) return round('bf16', Math.round(mean * (0.5 + source.unit())));
  return source.unit() < mean / 192 ? 129 + 2 * source.int(0, 63) : 1;
}

/** Integers of both signs whose squares sum below 2^24; at most 8 bits, so that bf16 holds them. */
function signedIntegers(width: number, amplitude: number, source: Random): Float64Array {
  const most = Math.max(1, Math.min(255, amplitude));
  const out = new Float64Array(width).fill(1);
  for (let i = 0; i < width >> 1; i++) {
    const value = source.int(Math.max(1, most >> 1), most);
    out[i] = value;
    out[width - 1 - i] = -value;
  }
  return out;
}

/** Equal scores but one far below: every exponential is 1 or 0, and an odd number of ones is summed. */
function countedOnes(width: number): Float64Array {
  const out = new Float64Array(width);
  if (width % 2 === 0) out[width >> 1] = -99840;
  return out;
}

function rowsOf(
  tensor: Tensor,
  shape: Shape,
  source: Random,
  make: RowMaker,
  wide: readonly Element[] = [],
): Uint8Array {
  const rows = rowCount(tensor, shape);
  const width = rowLength(tensor, shape);
  const values = new Float64Array(rows * width);
  for (let row = 0; row < rows; row++) {
    values.set(make(width, source), row * width);
    for (const { column, value } of wide) values[row * width + column] = value;
  }
  return encodeAll(tensor.dtype, values);
}

// --- operands of full significands

interface Element {
  readonly column: number;
  readonly value: number;
}

/**
 * For each operand, a few columns at which it needs more bits than a narrower type has, while the others hold 1 there: an
 * operand that is rounded on its way into a product, or two that are added in half, show. Neighbours keep a common factor.
 */
function wideTerms(
  kind: Kind,
  operands: readonly (readonly [string, Tensor])[],
  width: number,
  source: Random,
): Map<string, Element[]> {
  const made = new Map<string, Element[]>(operands.map(([name]) => [name, []]));
  const slice = Math.floor(width / 4 / Math.max(operands.length, 1));
  if (kind === 'ones' || slice === 0) return made;
  operands.forEach(([name, { dtype }], k) => {
    const values = k > 0 && kind === 'squares' ? undefined : wideValues(kind, dtype, source);
    if (!values) return;
    const column = 2 * (k * slice + source.int(0, slice - 1));
    const columns = [column, column + 1, width - 2 - column, width - 1 - column];
    for (const [other, list] of made)
      list.push(...columns.map((at, i) => ({ column: at, value: other === name ? (values[i] ?? 1) : 1 })));
  });
  return made;
}

/**
 * Two neighbours and their mirror images. f32: 21 bits, or 12 where they are squared: tf32 holds 11. f16: 11 bits, whose sum
 * needs 12. The images differ by more than a rounding, so no error cancels.
 */
function wideValues(kind: Kind, dtype: Tensor['dtype'], source: Random): number[] | undefined {
  if (dtype === 'f32' && kind === 'squares') {
    const value = 2049 + 2 * source.int(0, 120);
    return [value, 1, -1, -value];
  }
  if (dtype === 'f32') {
    const value = 2 ** 20 + 2 * source.int(2 ** 18, 2 ** 19 - 1) + 1;
    return [value, 1, -1, 2 * source.int(1, 31) - value];
  }
  return dtype === 'f16' && kind === 'mirror' ? [2047, 1024, -1024, -2045] : undefined;
}

// --- projections

/** A projection's terms, in the kernel's own form, sum to this share of 2^24. */
const PROJECTION_SHARE = 0.43;
/** The same where wide elements of both operands take half of 2^24. */
const WIDE_SHARE = 0.15;

function projectionData(problem: Problem, shape: Shape, seed: string): Record<string, Uint8Array> {
  const { over } = problem.formula;
  const half = sizeOf(shape, over) >> 1;
  const bits = Object.values(problem.inputs).find((tensor) => tensor.bits !== undefined)?.bits;
  const columns = Object.values(problem.outputs)[0]?.dims.at(-1);
  const plain = Object.entries(problem.inputs).filter(([, tensor]) => tensor.dims.at(-1) === over);
  const wide = wideTerms('mirror', bits === undefined ? plain : [], 2 * half, random(`${seed}:wide`));
  const isWide = [...wide.values()].some((elements) => elements.length > 0);
  const mean = ((isWide ? WIDE_SHARE : PROJECTION_SHARE) * 2 ** 24) / meanWeight(bits) / half;
  const made: Record<string, Uint8Array> = {};
  for (const [name, tensor] of Object.entries(problem.inputs)) {
    if (tensor.dims.at(-1) !== over) continue;
    const source = random(`${seed}:${name}`);
    if (tensor.bits !== undefined) made[name] = mirroredCodes(tensor, shape, source);
    else if (tensor.group !== undefined) made[name] = affineConstants(tensor, shape, name, bits ?? 0);
    else if (columns !== undefined && tensor.dims.includes(columns))
      made[name] = rowsOf(tensor, shape, source, smallRow, wide.get(name));
    else made[name] = rowsOf(tensor, shape, source, (width, r) => mirrored(width, mean * half, r), wide.get(name));
  }
  return made;
}

/** |q| + |bias| of upper-half codes on average; of a plain weight, its factor. */
const meanWeight = (bits: number | undefined): number => (bits === undefined ? MEAN_FACTOR : 1.25 * 2 ** bits);

/**
 * Codes of the upper half of their range, so that no weight is negative and the first half of a row sums up; the second half
 * of each row mirrors the first. Two neighbours share a code, as two factors do.
 */
function mirroredCodes(tensor: Tensor, shape: Shape, source: Random): Uint8Array {
  const bits = tensor.bits ?? 0;
  const bytes = new Uint8Array(new ArrayBuffer(byteCount(tensor, shape)));
  const rows = rowCount(tensor, shape);
  const rowBytes = bytes.length / rows;
  const half = rowLength(tensor, shape) >> 1;
  for (let row = 0; row < rows; row++) {
    const from = row * rowBytes;
    let code = 0;
    for (let i = 0; i < half; i++) {
      if (i % 2 === 0) code = source.int(2 ** (bits - 1), 2 ** bits - 1);
      putCode(bytes, from, i * bits, code);
      putCode(bytes, from, (2 * half - 1 - i) * bits, code);
    }
  }
  return bytes;
}

/** Writes a code at a bit of a row that starts at a byte; the bits there are 0. */
export function putCode(bytes: Uint8Array, from: number, bit: number, code: number): void {
  const byte = from + (bit >> 3);
  const word = code << (bit & 7);
  bytes[byte] = (bytes[byte] ?? 0) | (word & 0xff);
  if (word > 0xff) bytes[byte + 1] = (bytes[byte + 1] ?? 0) | (word >> 8);
}

/** A scale of 1 and a bias of minus half the code range: every weight is an integer. */
function affineConstants(tensor: Tensor, shape: Shape, name: string, bits: number): Uint8Array {
  const values = new Float64Array(rowCount(tensor, shape) * rowLength(tensor, shape));
  return encodeAll(tensor.dtype, values.fill(name === 'bias' ? -(2 ** (bits - 1)) : 1));
}
