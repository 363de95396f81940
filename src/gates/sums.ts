/**
 * Gate 4. Sums are fp32: on integers whose fp32 sums are exact in any order, the harness first replays the sums in fp16 and
 * bf16, in three orders, and requires each to miss by 100 bounds; then the kernel must meet the exact-sum bound. It proves the
 * accumulator; of the operands it proves that fp32 ones are not rounded to fewer bits. Then the order of each sum is asked for,
 * and its longest chain must be the declared one (`depth.ts`).
 */
import type { Order } from '../numerics/orders.ts';
import { ORDERS } from '../numerics/orders.ts';
import { halfUlp } from '../numerics/ulp.ts';
import type { Ranges, Values } from '../families/answer.ts';
import { replay } from '../families/answer.ts';
import { exactInputs } from '../families/fills/exact.ts';
import { ordinaryInputs } from '../families/fills/ordinary.ts';
import type { Problem } from '../families/problem.ts';
import { shapeText } from '../families/tensor.ts';
import { chainShapes, sumShapes } from '../spec/shapes.ts';
import type { Bench, Gate, GateCase } from './case.ts';
import { CaseData } from './case.ts';
import { compareRanges, numberText } from './compare.ts';
import { isSpread } from '../families/fills/spread.ts';
import { judgeDepth } from './depth.ts';
import { detectedIn } from './detected.ts';
import { fewOf } from './few.ts';
import type { Finding, Margin, Note, Outcome } from './finding.ts';
import { findingOf, worseMargin } from './finding.ts';
import { judgeSpread, spreadData } from './spread.ts';
import type { Outputs } from './stage.ts';
import { EXACT, whyOff } from './sum-evidence.ts';
import type { Subject } from './subject.ts';

/** Outputs along each dimension that are replayed. */
const FEW = 8;
/** A replay that misses by less proves nothing. */
const PROOF = 100;
const ACCUMULATORS = ['f16', 'bf16'] as const;

export const sums: Gate = {
  name: 'sums',
  cases: ({ contract, problem }, seed) => {
    if (!problem || contract.accumulator === 'none') return [];
    const exact = sumShapes(contract, problem.formula.over).map((shape): GateCase => ({
      label: shapeText(shape),
      shape,
      mode: 'plain',
      prepare: () => {
        const label = `${seed}:${contract.name}:${shapeText(shape)}`;
        return new CaseData(exactInputs(problem, shape, contract.fills ?? {}, label));
      },
    }));
    const chains = chainShapes(contract, problem.formula.over).map((shape): GateCase => ({
      label: `${shapeText(shape)},data=masks`,
      mode: 'plain',
      shape,
      judge: judgeDepth,
      prepare: () => new CaseData(ordinaryInputs(contract.inputs, shape, contract.fills ?? {}, seed)),
    }));
    const spread = isSpread(problem)
      ? chainShapes(contract, problem.formula.over).map((shape): GateCase => ({
          label: `${shapeText(shape)},data=spread`,
          mode: 'plain',
          shape,
          judge: judgeSpread,
          prepare: () => spreadData(problem, contract, shape, seed),
        }))
      : [];
    return [...exact, ...spread, ...chains];
  },
  judge: (data, subject, bench) => {
    const { problem } = subject;
    if (!problem) return { findings: [] };
    const proof = prove(data, problem, subject, exactArithmetic(data, subject));
    if (proof.findings.length > 0) return proof;
    const outputs = bench.stage.run(subject.route(data.shape));
    const outcome = judgeOutputs(data, problem, subject, bench, outputs);
    if (outcome.findings.some(({ cause }) => cause.code === 'value') && !subject.control) {
      const why = whyOff(data, problem, subject, bench.stage, outputs);
      bench.stage.replace(data.inputs);
      return {
        ...outcome,
        findings: outcome.findings.map((finding) => (finding.cause.code === 'value' ? { ...finding, why } : finding)),
        notes: proof.notes,
      };
    }
    const isShown = outcome.findings.length === 0 && !subject.control && subject.warp === undefined;
    const exact = exactArithmetic(data, subject);
    return {
      ...outcome,
      notes: proof.notes,
      ...(isShown && { detected: detectedIn(data, problem, subject, outputs, exact) }),
    };
  },
};

const exactArithmetic = (data: CaseData, subject: Subject): Keyed & { exactIntegerSums: true } => ({
  ...subject.arithmetic(data.shape),
  exactIntegerSums: true,
});

/** The exact-sum bound alone, whatever the data prove of other accumulators: sums that are no integers keep their plain bound. */
export function judgeExact(data: CaseData, subject: Subject, bench: Bench): Outcome {
  const { problem } = subject;
  if (!problem) return { findings: [] };
  return judgeOutputs(data, problem, subject, bench, bench.stage.run(subject.route(data.shape)));
}

function judgeOutputs(data: CaseData, problem: Problem, subject: Subject, { stage }: Bench, outputs: Outputs): Outcome {
  const ranges = data.ranges(problem, exactArithmetic(data, subject));
  const findings: Finding[] = [];
  let margin: Margin | undefined;
  for (const [name, tensor] of Object.entries(subject.contract.outputs)) {
    const judged = { name, tensor, shape: data.shape, bytes: outputs[name] ?? new Uint8Array(0) };
    const want = data.reference(problem)[name] ?? new Float64Array(0);
    const ends = ranges[name];
    const result = ends && compareRanges(judged, want, ends);
    if (result?.finding) findings.push({ ...result.finding, why: EXACT });
    margin = worseMargin(margin, result?.margin);
  }
  return { findings: [...findings, ...stage.verify()], ...(margin && { margin }) };
}

interface Proof {
  readonly findings: readonly Finding[];
  readonly notes: readonly Note[];
}

const proofs = new WeakMap<CaseData, Map<string, Proof>>();

/** Replays every accumulator in every order; what the data cannot prove must be stated, and what is stated needs to be so. */
function prove(data: CaseData, problem: Problem, subject: Subject, arithmetic: Keyed): Proof {
  const key = `${problem.graph.text} ${arithmetic.key}`;
  const known = proofs.get(data) ?? new Map<string, Proof>();
  proofs.set(data, known);
  const proof = known.get(key) ?? proofOf(fewOf(data, problem, FEW), problem, subject, arithmetic);
  known.set(key, proof);
  return proof;
}

type Keyed = ReturnType<Subject['arithmetic']>;

function proofOf(data: CaseData, problem: Problem, { contract }: Subject, arithmetic: Keyed): Proof {
  const findings: Finding[] = [];
  const notes: Note[] = [];
  const want = data.reference(problem);
  const ranges = data.ranges(problem, arithmetic);
  for (const accumulator of ACCUMULATORS) {
    const misses = ORDERS.map((order) => ({
      order,
      miss: worstMiss(replay(problem, data.inputs, accumulator, order), want, ranges, contract.outputs),
    }));
    const least = misses.reduce((a, b) => (b.miss < a.miss ? b : a));
    const stated = contract.unproven?.accumulators.includes(accumulator) ?? false;
    notes.push({ about: accumulator, rank: least.miss, text: noteOf(accumulator, least, stated) });
    if (least.miss < PROOF && !stated) findings.push(weak(accumulator, least));
  }
  return { findings, notes };
}

const times = (miss: number): string =>
  Number.isFinite(miss) ? `${numberText(Number(miss.toPrecision(3)))}x the bound` : 'without end';

function noteOf(accumulator: string, { order, miss }: { order: Order; miss: number }, stated: boolean): string {
  const proven = miss >= PROOF ? 'proven' : stated ? 'stated, not proven' : 'not proven';
  return `${accumulator} sums miss by ${times(miss)} at least (${order}): ${proven}`;
}

function weak(accumulator: string, { order, miss }: { order: Order; miss: number }): Finding {
  const what = `the data prove nothing: ${accumulator} sums in ${order} order miss by ${times(miss)}, and ${PROOF}x is needed`;
  return findingOf({ code: 'sums-unproven', of: accumulator }, what, {
    why: "The output's own rounding hides the sum's error, or the sums are too short. Serve a longer shape, or state it in `unproven`.",
  });
}

/** The worst output's error in bounds; a NaN or an infinity misses without end. */
function worstMiss(got: Values, want: Values, ranges: Ranges, outputs: Subject['contract']['outputs']): number {
  let worst = 0;
  for (const [name, tensor] of Object.entries(outputs)) {
    const values = got[name] ?? new Float64Array(0);
    for (let i = 0; i < values.length; i++) {
      const exact = want[name]?.[i] ?? Number.NaN;
      const spread = Math.max((ranges[name]?.hi[i] ?? 0) - exact, exact - (ranges[name]?.lo[i] ?? 0));
      const share = Math.abs((values[i] ?? 0) - exact) / (halfUlp(tensor.dtype, exact) + spread);
      worst = Math.max(worst, Number.isNaN(share) ? Infinity : share);
    }
  }
  return worst;
}
