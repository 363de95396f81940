/** How planted magnitudes lie in a launch's inputs, and the signed method's own. */
import { encodeAll } from '../../../numerics/codec.ts';
import type { Triple } from '../../../numerics/sum-tree.ts';
import type { Inputs } from '../../inputs.ts';
import type { Problem } from '../../problem.ts';
import type { Shape, Tensor } from '../../tensor.ts';
import { byteCount, elementCount } from '../../tensor.ts';

/** One way to ask a kernel about a sum. */
export interface MaskPlan {
  /** Terms of the sum. */
  readonly terms: number;
  /** Questions that one launch answers. */
  readonly perLaunch: number;
  /** The output that tells. */
  readonly output: string;
  /** Whether a question can be asked as it is; any can, where this is not said. Of its other two orders each then can. */
  readonly asks?: (question: Triple) => boolean;
  /** The inputs of a launch. They share bytes: the next call changes them. */
  readonly plant: (questions: readonly Triple[]) => Inputs;
  /** The same for terms of any magnitude and sign, those of each question; where the sum's terms may have both signs. */
  readonly plantTerms?: (rows: readonly (readonly Planted[])[]) => Inputs;
  /** Whether a planted power of two is one as a term of the sum, so that fp32 scales it without rounding. */
  readonly keepsPowers?: boolean;
  /** The element of the output that answers question `i`. */
  readonly witness: (question: Triple, i: number) => number;
}

/** A term and what its carrier holds. */
export interface Planted {
  readonly term: number;
  readonly value: number;
}

/** M and 1 of the signed method: 2^28 apart, and both normal numbers of every float type. */
const MASK = 2 ** 14;
export const UNIT = 2 ** -14;

/** a = +M, b = -M and c = 1. */
export const signed = ({ a, b, c }: Triple): Planted[] => [
  { term: a, value: MASK },
  { term: b, value: -MASK },
  { term: c, value: UNIT },
];

/** The terms of all rows by their places in a tensor whose rows have `width` terms. */
export const inRows = (rows: readonly (readonly Planted[])[], width: number): Planted[] =>
  rows.flatMap((row, i) => row.map(({ term, value }) => ({ term: i * width + term, value })));

/** An input that holds one value everywhere. */
export function filled({ inputs }: Problem, name: string, shape: Shape, value: number): Uint8Array {
  const tensor = inputs[name];
  if (!tensor) throw new Error(`no input ${name}`);
  return encodeAll(tensor.dtype, new Float64Array(elementCount(tensor, shape)).fill(value));
}

/** Plants values into a tensor that otherwise holds `rest`, and takes out those of the call before. */
export function planter(tensor: Tensor, shape: Shape, rest: number): (planted: readonly Planted[]) => Uint8Array {
  const bytes = new Uint8Array(new ArrayBuffer(byteCount(tensor, shape)));
  const codes =
    bytes.length / elementCount(tensor, shape) === 2 ? new Uint16Array(bytes.buffer) : new Uint32Array(bytes.buffer);
  const known = new Map<number, number>();
  const codeOf = (value: number): number => {
    const code = known.get(value) ?? codeIn(tensor, value);
    known.set(value, code);
    return code;
  };
  codes.fill(codeOf(rest));
  let before: readonly Planted[] = [];
  return (planted) => {
    for (const { term } of before) codes[term] = codeOf(rest);
    for (const { term, value } of planted) codes[term] = codeOf(value);
    before = planted;
    return bytes;
  };
}

function codeIn({ dtype }: Tensor, value: number): number {
  const bytes = encodeAll(dtype, [value]);
  return bytes.length === 2 ? (new Uint16Array(bytes.buffer)[0] ?? 0) : (new Uint32Array(bytes.buffer)[0] ?? 0);
}

/** What a plan needs only once it is asked: most are not. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
