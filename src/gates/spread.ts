/**
 * A part of gate 4: sums of squares and of exponentials over terms that lie far apart (`families/fills/spread.ts`), within the range
 * of fp32 sums. Whether two terms which meet in a narrower accumulator leave that range, though all else is fp32, is tried and told.
 */
import { adder } from '../numerics/accumulate.ts';
import { round } from '../numerics/codec.ts';
import { replayBy } from '../families/answer.ts';
import { spreadInputs } from '../families/fills/spread.ts';
import type { Problem } from '../families/problem.ts';
import type { Shape } from '../families/tensor.ts';
import type { Contract } from '../spec/contract.ts';
import type { Bench } from './case.ts';
import { CaseData } from './case.ts';
import { compareRanges, isInside } from './compare.ts';
import { fewOf } from './few.ts';
import type { Finding, Note, Outcome } from './finding.ts';
import type { Subject } from './subject.ts';

const ACCUMULATORS = ['f16', 'bf16'] as const;
/** Rows that are replayed. */
const FEW = 8;

const SPREAD =
  'One term of a row is 1 and the others are 2^-9 to 2^-14 of it: fp32 sums of them stay in range in any order, and a sum that keeps 11 bits or fewer, as half, tf32 and bf16 do, leaves it wherever the 1 meets another.';

export const spreadData = (problem: Problem, { name, fills }: Contract, shape: Shape, seed: string): CaseData =>
  new CaseData(spreadInputs(problem, shape, fills ?? {}, `${seed}:${name}`));

export function judgeSpread(data: CaseData, subject: Subject, { stage }: Bench): Outcome {
  const { problem, contract } = subject;
  if (!problem) return { findings: [] };
  const arithmetic = subject.arithmetic(data.shape);
  const few = fewOf(data, problem, FEW);
  const tried = subject.control ? [] : ACCUMULATORS;
  const notes = tried.map((accumulator) => noteOf(accumulator, isProven(few, problem, arithmetic, accumulator)));
  const outputs = stage.run(subject.route(data.shape));
  const ranges = data.ranges(problem, arithmetic);
  const findings = Object.entries(contract.outputs).flatMap(([name, tensor]): Finding[] => {
    const judged = { name, tensor, shape: data.shape, bytes: outputs[name] ?? new Uint8Array(0) };
    const [want, ends] = [data.reference(problem)[name], ranges[name]];
    const finding = want && ends && compareRanges(judged, want, ends).finding;
    return finding ? [{ ...finding, why: SPREAD }] : [];
  });
  return { findings: [...findings, ...stage.verify()], notes };
}

/** Whether an output leaves its range where each two terms meet in an accumulator, and all else is summed exactly. */
function isProven(
  data: CaseData,
  problem: Problem,
  arithmetic: ReturnType<Subject['arithmetic']>,
  accumulator: (typeof ACCUMULATORS)[number],
): boolean {
  const add = adder(accumulator);
  const faulty = replayBy(problem, data.inputs, (terms) => {
    const half = terms.length >> 1;
    let sum = terms.length % 2 === 1 ? (terms.at(-1) ?? 0) : 0;
    for (let i = 0; i < half; i++) sum += add(Math.fround(terms[i] ?? 0), Math.fround(terms[i + half] ?? 0));
    return sum;
  });
  const ranges = data.ranges(problem, arithmetic);
  return Object.entries(problem.outputs).some(([name, { dtype }]) => {
    const { lo, hi } = ranges[name] ?? { lo: [], hi: [] };
    return (faulty[name] ?? new Float64Array(0)).some(
      (value, i) => !isInside(dtype, round(dtype, value), lo[i] ?? Number.NaN, hi[i] ?? Number.NaN),
    );
  });
}

/** A bound that grows with a long chain, or few outputs, may hide what two terms lose: that is told, and fails no kernel. */
const noteOf = (accumulator: string, proven: boolean): Note => ({
  about: `spread ${accumulator}`,
  rank: Number(proven),
  text: `two terms that meet in ${accumulator} ${proven ? 'leave' : 'stay in'} the range of terms that lie far apart: ${proven ? 'proven' : 'not proven'}`,
});
