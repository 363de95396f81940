/**
 * Gate 4's data: integers whose partial sums reach about 2^20 and stay below 2^24, so fp32 sums are exact whatever the order,
 * while fp16 overflows or loses its low bits and bf16 loses thousands. The second half of a row mirrors the first, so the
 * result is small and a lost bit is large beside it.
 */
import { encodeAll, round } from '../../numerics/codec.ts';
import type { Random } from '../../numerics/random.ts';
import { random } from '../../numerics/random.ts';
import type { Node } from '../formula/graph.ts';
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

type Kind = 'mirror' | 'squares' | 'ones';

/** Builds the exact-sum inputs of a formula; inputs that feed no sum get ordinary data. */
export function exactInputs(problem: Problem, shape: Shape, fills: Readonly<Partial<Record<string, FillName>>>, seed: string): Inputs {
  const base = ordinaryInputs(problem.inputs, shape, fills, seed);
  const made = problem.formula.family === 'rows' ? rowsData(problem, shape, seed) : projectionData(problem, shape, seed);
  return { shape, bytes: { ...base.bytes, ...made } };
}

// --- formulas over rows

function rowsData(problem: Problem, shape: Shape, seed: string): Record<string, Uint8Array> {
  const kind = kindOf(problem);
  const summed = Object.entries(problem.inputs).filter(([name, tensor]) => isSummed(problem, name) && tensor.dims.at(-1) === problem.formula.over);
  const amplitude = new Map(summed.map(([name], i) => [name, i]));
  return Object.fromEntries(
    summed.map(([name, tensor]) => {
      const first = amplitude.get(name) === 0 || kind === 'squares';
      const row = first ? rowMaker(kind, tensor, summed.length) : smallRow;
      return [name, rowsOf(tensor, shape, random(`${seed}:${name}`), row)];
    }),
  );
}

/** A formula's sums in one word: plain or product sums mirror, squares cannot, exponentials count ones. */
function kindOf({ graph }: Problem): Kind {
  const sums = graph.nodes.filter((node) => node.kind === 'reduce' && (node.op === 'sum' || node.op === 'mean'));
  const terms = sums.map((node) => graph.nodes[(node as Node & { kind: 'reduce' }).arg]);
  if (terms.some((term) => term?.kind === 'map' && term.op === 'exp')) return 'ones';
  const linear = (term: Node | undefined): boolean =>
    term?.kind === 'input' ||
    (term?.kind === 'map' && term.op === 'mul' && term.args[0] !== term.args[1] && term.args.every((id) => graph.nodes[id]?.kind === 'input'));
  return terms.every(linear) ? 'mirror' : 'squares';
}

function isSummed({ graph }: Problem, name: string): boolean {
  const reach = new Map<number, boolean>();
  for (const node of graph.nodes) {
    const args = node.kind === 'map' ? node.args : node.kind === 'point' || node.kind === 'reduce' ? [node.arg] : [];
    reach.set(node.id, (node.kind === 'input' && node.name === name) || args.some((id) => reach.get(id)));
  }
  return graph.nodes.some((node) => node.kind === 'reduce' && (node.op === 'sum' || node.op === 'mean') && reach.get(node.arg));
}

type RowMaker = (width: number, source: Random) => Float64Array;

function rowMaker(kind: Kind, tensor: Tensor, operands: number): RowMaker {
  if (kind === 'ones') return countedOnes;
  if (kind === 'squares') return (width, source) => signedIntegers(width, Math.floor(Math.sqrt(SQUARE_SUM / width) / operands), source);
  const factor = operands > 1 ? 2 : 1;
  return (width, source) => mirrored(width, HALF_SUM / factor, (value) => round(tensor.dtype === 'f32' ? 'f32' : 'bf16', value), source);
}

/** Small factors 1 to 3, the same in both halves: they scale the mirrored operand without breaking the mirror. */
const smallRow: RowMaker = (width, source) => {
  const half = width >> 1;
  const out = new Float64Array(width).fill(1);
  for (let i = 0; i < half; i++) out[i] = out[half + i] = source.int(1, 3);
  return out;
};

/** First half positive and summing to about `sum`, a quarter of it small and odd; second half its negative but for a rest. */
function mirrored(width: number, sum: number, exact: (value: number) => number, source: Random): Float64Array {
  const out = new Float64Array(width);
  const half = width >> 1;
  const mean = sum / Math.max(half, 1);
  for (let i = 0; i < half; i++) {
    const small = i % 4 === 3;
    const value = small ? 2 * source.int(0, 31) + 1 : exact(Math.max(1, Math.round(mean * (0.5 + source.unit()))));
    out[i] = value;
    out[half + i] = small ? source.int(0, 2) - value : -value;
  }
  if (width % 2 === 1) out[width - 1] = 1;
  return out;
}

/** Integers of both signs whose squares sum below 2^24; at most 8 bits, so that bf16 holds them. */
function signedIntegers(width: number, amplitude: number, source: Random): Float64Array {
  const most = Math.max(1, Math.min(255, amplitude));
  const half = width >> 1;
  const out = new Float64Array(width).fill(1);
  for (let i = 0; i < half; i++) {
    const value = source.int(Math.max(1, most >> 1), most);
    out[i] = value;
    out[half + i] = -value;
  }
  return out;
}

/** Equal scores but one far below: every exponential is 1 or 0, and an odd number of ones is summed. */
function countedOnes(width: number): Float64Array {
  const out = new Float64Array(width);
  if (width % 2 === 0) out[width >> 1] = -99840;
  return out;
}

function rowsOf(tensor: Tensor, shape: Shape, source: Random, make: RowMaker): Uint8Array {
  const rows = rowCount(tensor, shape);
  const width = rowLength(tensor, shape);
  const values = new Float64Array(rows * width);
  for (let row = 0; row < rows; row++) values.set(make(width, source), row * width);
  return encodeAll(tensor.dtype, values);
}

// --- projections

function projectionData(problem: Problem, shape: Shape, seed: string): Record<string, Uint8Array> {
  const { over } = problem.formula;
  const width = sizeOf(shape, over);
  const packed = Object.values(problem.inputs).find((tensor) => tensor.bits !== undefined);
  const weight = packed?.bits !== undefined ? 2 ** packed.bits : 2;
  const made: Record<string, Uint8Array> = {};
  const columns = Object.values(problem.outputs)[0]?.dims.at(-1);
  for (const [name, tensor] of Object.entries(problem.inputs)) {
    if (tensor.dims.at(-1) !== over) continue;
    const source = random(`${seed}:${name}`);
    if (tensor.bits !== undefined) made[name] = mirroredCodes(tensor, shape, source);
    else if (tensor.group !== undefined) made[name] = affineConstants(tensor, shape, name, packed?.bits ?? 0);
    else if (columns !== undefined && tensor.dims.includes(columns)) made[name] = rowsOf(tensor, shape, source, smallRow);
    else made[name] = rowsOf(tensor, shape, source, (n, r) => mirroredSmall(n, HALF_SUM / weight / (width >> 1), r));
  }
  return made;
}

/** Integers around `mean`, mirrored; a projection's x, whose weights bring the rest of the magnitude. */
function mirroredSmall(width: number, mean: number, source: Random): Float64Array {
  const out = new Float64Array(width);
  const half = width >> 1;
  for (let i = 0; i < half; i++) {
    const value = round('bf16', Math.max(1, Math.round(mean * (0.5 + source.unit()))));
    const rest = value < 256 ? 1 : 2 ** (Math.floor(Math.log2(value)) - 7); // bf16 holds value - rest
    out[i] = value;
    out[half + i] = i % 64 === 5 ? rest - value : -value;
  }
  return out;
}

/** Random codes, the second half of each row a copy of the first. Half a row ends on a whole word. */
function mirroredCodes(tensor: Tensor, shape: Shape, source: Random): Uint8Array {
  const bytes = new Uint8Array(new ArrayBuffer(byteCount(tensor, shape)));
  const rowBytes = bytes.length / rowCount(tensor, shape);
  for (let at = 0; at < bytes.length; at += rowBytes) {
    for (let i = 0; i < rowBytes >> 1; i++) bytes[at + i] = source.int(0, 255);
    bytes.copyWithin(at + (rowBytes >> 1), at, at + (rowBytes >> 1));
  }
  return bytes;
}

/** Scales of 1 and 2 by row, and biases of minus half the code range times the scale: every weight is an integer. */
function affineConstants(tensor: Tensor, shape: Shape, name: string, bits: number): Uint8Array {
  const rows = rowCount(tensor, shape);
  const width = rowLength(tensor, shape);
  const values = new Float64Array(rows * width);
  for (let row = 0; row < rows; row++) {
    const scale = row % 2 === 0 ? 1 : 2;
    values.fill(name === 'bias' ? -scale * 2 ** (bits - 1) : scale, row * width, (row + 1) * width);
  }
  return encodeAll(tensor.dtype, values);
}
