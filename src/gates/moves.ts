/**
 * The vacuity meter, a part of gate 3: which outputs no input moves, and which inputs move no output. A formula, or data, under
 * which nothing depends on an input proves nothing of it, and is told with the registration; where float64 moves an output by so
 * much that no rounding can hide it, an output that stays is the kernel's, and red.
 */
import { toBits } from '../numerics/codec.ts';
import { count } from '../numerics/digits.ts';
import { formatOf } from '../numerics/dtype.ts';
import type { Place } from '../families/fills/moved.ts';
import { farValues, placesOf, withElement } from '../families/fills/moved.ts';
import { ordinaryInputs } from '../families/fills/ordinary.ts';
import type { Inputs } from '../families/inputs.ts';
import { coordinates, elementCount, shapeText } from '../families/tensor.ts';
import type { Bench } from './case.ts';
import { CaseData } from './case.ts';
import type { Cause } from '../spec/cause.ts';
import type { Finding, Note } from './finding.ts';
import { findingOf } from './finding.ts';
import type { Outputs } from './stage.ts';
import type { Subject } from './subject.ts';

/** Whole other inputs that are tried: of outputs that are 0 for half of all inputs, one in 2^32 stays by chance. */
const DRAWS = 32;

export interface Moves {
  readonly findings: readonly Finding[];
  readonly notes: readonly Note[];
}

/** Runs the kernel, which gave `base`, on other inputs of the case's shape, as far as that takes. */
export function judgeMoves(data: CaseData, subject: Subject, { stage }: Bench, base: Outputs): Moves {
  const route = subject.route(data.shape);
  const run = (inputs: Inputs): Outputs => {
    stage.replace(inputs);
    return stage.run(route);
  };
  try {
    const all = [...stillOutputs(data, subject, base, run), ...stillInputs(data, subject, base, run)];
    return { findings: all.flatMap(({ finding }) => finding ?? []), notes: all.flatMap(({ note }) => note ?? []) };
  } finally {
    stage.replace(data.inputs);
  }
}

/** What did not move: red where it should have, else told. */
interface Still {
  readonly finding?: Finding;
  readonly note?: Note;
}

function still(cause: Cause, what: string, should: string | undefined): Still {
  if (should !== undefined) return { finding: findingOf(cause, what, { why: should }) };
  return { note: { about: what, rank: 0, text: `vacuous: ${what}` } };
}

// --- outputs

/** Elements of each output that have the same bits whatever the inputs. */
function stillOutputs(data: CaseData, subject: Subject, base: Outputs, run: (inputs: Inputs) => Outputs): Still[] {
  const { contract } = subject;
  const open = new Map(
    Object.entries(contract.outputs).map(([name, tensor]) => [name, allOf(elementCount(tensor, data.shape))]),
  );
  const should = new Map<string, string>();
  for (let draw = 1; draw <= DRAWS && [...open.values()].some(({ length }) => length > 0); draw++) {
    const label = `${contract.name}:${shapeText(data.shape)}:other ${draw}`;
    const other = new CaseData(ordinaryInputs(contract.inputs, data.shape, contract.fills ?? {}, label));
    const got = run(other.inputs);
    for (const [name, indices] of open) {
      const stays = sameBits(subject, data, name, base, got);
      open.set(name, indices.filter(stays));
    }
    if (draw < DRAWS) continue;
    for (const [name, indices] of open) {
      const moved = indices.find((i) => isFar(data, other, subject, name, i));
      if (moved !== undefined) should.set(name, farText(data, other, subject, name, moved));
    }
  }
  return [...open].flatMap(([name, indices]) => {
    const [first] = indices;
    const tensor = contract.outputs[name];
    if (first === undefined || !tensor) return [];
    const total = count(elementCount(tensor, data.shape));
    const place = `${name}[${coordinates(tensor, data.shape, first).join(', ')}]`;
    const what = `no input moves ${count(indices.length)} of ${total} outputs, the first ${place}`;
    return [still({ code: 'output-stays', of: name }, what, should.get(name))];
  });
}

const allOf = (length: number): number[] => Array.from({ length }, (_, i) => i);

function sameBits(subject: Subject, data: CaseData, name: string, a: Outputs, b: Outputs): (i: number) => boolean {
  const tensor = subject.contract.outputs[name];
  if (!tensor) throw new Error(`no output ${name}`);
  const total = elementCount(tensor, data.shape);
  const [x, y] = [a, b].map((outputs) => toBits(tensor.dtype, outputs[name] ?? new Uint8Array(0), total));
  return (i) => x?.[i] === y?.[i];
}

// --- inputs

/** Places of the inputs whose element moves no output, whatever is put there. */
function stillInputs(data: CaseData, subject: Subject, base: Outputs, run: (inputs: Inputs) => Outputs): Still[] {
  const { inputs, outputs } = subject.contract;
  return placesOf(inputs, data.shape).flatMap((place) => {
    const tensor = inputs[place.input];
    if (!tensor) return [];
    let should: string | undefined;
    for (const value of farValues(tensor, data.inputs, place.input)) {
      const changed = withElement(tensor, data.inputs, place, value);
      const got = run(changed);
      if (Object.keys(outputs).some((name) => !isSame(got[name], base[name]))) return [];
      should ??= shouldMove(data, new CaseData(changed), subject);
    }
    const cause = { code: 'input-moves-nothing', of: place.input } as const;
    return [still(cause, `${placeText(data, subject, place)} moves no output`, should)];
  });
}

const isSame = (a: Uint8Array | undefined, b: Uint8Array | undefined): boolean =>
  Buffer.compare(a ?? new Uint8Array(0), b ?? new Uint8Array(0)) === 0;

function placeText({ shape }: CaseData, { contract }: Subject, { input, index }: Place): string {
  const tensor = contract.inputs[input];
  return tensor ? `${input}[${coordinates(tensor, shape, index).join(', ')}]` : input;
}

/** The first output that float64 moves far, in words. */
function shouldMove(data: CaseData, other: CaseData, subject: Subject): string | undefined {
  for (const [name, tensor] of Object.entries(subject.contract.outputs)) {
    const total = elementCount(tensor, data.shape);
    for (let i = 0; i < total; i++)
      if (isFar(data, other, subject, name, i)) return farText(data, other, subject, name, i);
  }
  return undefined;
}

// --- what should have moved

/** A move that counts where a bound hides it, as a share of the largest output: far past what rounding leaves of any sum. */
const FAR = 2 ** -6;

/**
 * Whether an output of float64 moves by so much that a right kernel's moves too: its two ranges have nothing in common, or, where a
 * bound is so wide that it would hide even this, it moves by all of its value and by a good part of the largest output. What is
 * subnormal may be zero both times.
 */
function isFar(a: CaseData, b: CaseData, subject: Subject, name: string, i: number): boolean {
  const [before, after] = valuesOf(a, b, subject, name, i);
  if (!Number.isFinite(before) || !Number.isFinite(after)) return false;
  if (subject.kernel.rule) return before !== after;
  const { problem } = subject;
  if (!problem) return false;
  const move = Math.abs(before - after);
  const largest = (data: CaseData): number => largestOf(data.reference(problem)[name] ?? new Float64Array(0));
  const most = Math.max(Math.abs(before), Math.abs(after));
  const isNormal = most >= 2 * 2 ** formatOf(subject.contract.outputs[name]?.dtype ?? 'f32').minExponent;
  if (isNormal && move >= most && move >= FAR * largest(a)) return true;
  const [x, y] = [a, b].map((data) => data.ranges(problem, subject.arithmetic(data.shape))[name]);
  const [xLo, xHi, yLo, yHi] = [x?.lo[i], x?.hi[i], y?.lo[i], y?.hi[i]];
  return (xHi ?? Infinity) < (yLo ?? -Infinity) || (yHi ?? Infinity) < (xLo ?? -Infinity);
}

function largestOf(values: Float64Array): number {
  let largest = 0;
  for (const value of values) largest = Math.max(largest, Math.abs(value));
  return largest;
}

function valuesOf(
  a: CaseData,
  b: CaseData,
  { kernel, problem, contract }: Subject,
  name: string,
  i: number,
): [number, number] {
  const [before, after] = [a, b].map((data) => {
    if (kernel.rule) return data.rule(contract, kernel.rule)[name]?.[i];
    return problem && data.reference(problem)[name]?.[i];
  });
  return [before ?? Number.NaN, after ?? Number.NaN];
}

function farText(a: CaseData, b: CaseData, subject: Subject, name: string, i: number): string {
  const tensor = subject.contract.outputs[name];
  const [before, after] = valuesOf(a, b, subject, name, i);
  const place = tensor ? coordinates(tensor, a.shape, i).join(', ') : i;
  return `In float64 ${name}[${place}] moves from ${Number(before.toPrecision(6))} to ${Number(after.toPrecision(6))}.`;
}
