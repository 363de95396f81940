/**
 * Ordinary finite data, for gates 2 and 3. Every value is exact in its tensor's type, and no output of a formula is constant
 * over it. Inputs are a function of (kernel, case, seed) alone.
 */
import { encodeAll } from '../../numerics/codec.ts';
import type { Random } from '../../numerics/random.ts';
import { random } from '../../numerics/random.ts';
import type { Inputs } from '../inputs.ts';
import type { Shape, Tensor } from '../tensor.ts';
import { byteCount, elementCount, rowLength } from '../tensor.ts';

/**
 * signed: uniform in [-1, 1). normal: mean 0, deviation 1. positive: uniform in (0, 1]. near-one: 1 + 0.1 · normal, as norm
 * weights are. binades: both signs, magnitudes spread over 2^0 to 2^18, so that sums depend on their order. logits: rows around +100 or -100, so that exp without its maximum overflows or vanishes. levels: the first 32 of a row so large that they swallow the
 * squares of any other warp, but not those of all, and in every 16th row two values of 2^30 and -2^30 among ones. log-levels: logarithms of such, for the sums
 * of their exponentials. zero: 0. ties: integers, the
 * largest of a row at no, one or a few places anywhere in it, and rows whose largest are zeros of both signs. tiny: magnitudes
 * around 1e-38, but for every fourth row, so that a shared scale underflows. small-positive: quantization scales, 2^-7 to 2^-6. codes: random bits.
 */
export type FillName =
  | 'signed'
  | 'normal'
  | 'positive'
  | 'near-one'
  | 'binades'
  | 'logits'
  | 'levels'
  | 'log-levels'
  | 'zero'
  | 'ties'
  | 'tiny'
  | 'small-positive'
  | 'codes';

/** Larger tensors repeat this many elements: a prime, so that no two rows of a real width are alike. */
const POOL = 1_048_583;

const SIGNED_ZEROS = [-1, -0, 0] as const;

type Draw = (random: Random, row: number, width: number, column: number) => number;
const DRAWS: Readonly<Record<Exclude<FillName, 'codes'>, Draw>> = {
  signed: (r) => r.signed(),
  normal: (r) => r.normal(),
  positive: (r) => 1 - r.unit(),
  'near-one': (r) => 1 + 0.1 * r.normal(),
  binades: (r) => r.signed() * 2 ** r.int(0, 18),
  logits: (r, row) => (row % 2 === 0 ? 100 : -100) + 4 * r.normal(),
  levels: (r, row, width, column) => levelOf(row, column, width) * (1 + r.unit()),
  'log-levels': (r, _row, width, column) => Math.log((column < 32 ? 1 : swallowed(width)) * (1 + r.unit())),
  zero: () => 0,
  ties: (r, row, width) => (row % 4 === 3 ? (SIGNED_ZEROS[r.int(0, 2)] ?? 0) : r.int(0, Math.max(1, width >> 1))),
  tiny: (r, row) => r.signed() * (row % 4 === 3 ? 1 : 2 ** -r.int(119, 133)),
  'small-positive': (r) => 2 ** -7 * (1 + r.unit()),
};

/** Of `levels`, the rows in which two values that swallow all others cancel. */
export const cancels = (row: number): boolean => row % 16 === 15;

/**
 * Size of a column of `levels`. Threads that stride over a row and threads that read vectors both have the first 32 columns in the
 * first of 8 warps; another warp's squares come to 2^-24.4 of theirs, 0.44 of a place of fp32.
 */
function levelOf(row: number, column: number, width: number): number {
  if (!cancels(row)) return column < 32 ? 1 : Math.sqrt(swallowed(width));
  const [first, second] = [hash(row, 1) % width, hash(row, 2) % width];
  return column === first ? 2 ** 30 : column === second ? -(2 ** 30) : 1;
}

/** What each column of 7 warps may be so that 32 columns of ones swallow the sum of any of them. */
const swallowed = (width: number): number => (2 ** -24.4 * 256) / width;

const hash = (row: number, salt: number): number => Math.imul(Math.imul(row + 1, 0x9e3779b1) + salt, 0x85ebca6b) >>> 12;

/** Every fill, as a contract names it. */
export const FILL_NAMES = [...Object.keys(DRAWS), 'codes'] as readonly FillName[];

/** The inputs of a case from ordinary data; `fills` names the data of inputs that are not `signed`. */
export function ordinaryInputs(
  tensors: Readonly<Record<string, Tensor>>,
  shape: Shape,
  fills: Readonly<Partial<Record<string, FillName>>>,
  seed: string,
): Inputs {
  const entries = Object.entries(tensors).map(([name, tensor]) => {
    const fill = fills[name] ?? (tensor.bits === undefined ? 'signed' : 'codes');
    return [name, fillTensor(tensor, shape, fill, random(`${seed}:${name}`))] as const;
  });
  return { shape, bytes: Object.fromEntries(entries) };
}

function fillTensor(tensor: Tensor, shape: Shape, fill: FillName, source: Random): Uint8Array {
  const bytes = new Uint8Array(new ArrayBuffer(byteCount(tensor, shape)));
  if (fill === 'codes')
    return repeatInto(bytes, new Uint8Array(randomWords(Math.min(POOL, bytes.length / 4), source).buffer));
  const count = elementCount(tensor, shape);
  const width = rowLength(tensor, shape);
  const draw = DRAWS[fill];
  const pool = new Float64Array(Math.min(count, POOL));
  for (let i = 0; i < pool.length; i++) pool[i] = draw(source, Math.floor(i / width), width, i % width);
  return repeatInto(bytes, encodeAll(tensor.dtype, pool));
}

function randomWords(count: number, source: Random): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(new ArrayBuffer(count * 4));
  for (let i = 0; i < count; i++) words[i] = source.u32();
  return words;
}

function repeatInto(bytes: Uint8Array, pool: Uint8Array): Uint8Array {
  for (let at = 0; at < bytes.length; at += pool.length)
    bytes.set(pool.subarray(0, Math.min(pool.length, bytes.length - at)), at);
  return bytes;
}
