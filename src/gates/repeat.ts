/**
 * Gate 2. Five runs on the same inputs, on the host device in five orders, give the same bytes; inputs and guard bytes are
 * untouched; every output is written; what lies around an input changes nothing. A row that is promised to stand alone gives
 * the same bytes alone and beside other rows; an output that may lie on an input gives the same bytes there. What the buffers
 * held in an earlier launch changes nothing. Sums into 16-bit outputs are also run over rows that show their order. Each route also
 * runs in its check image, which `check.ts` judges.
 */
import { GUARD_FINITE, GUARD_NAN } from '../device/guarded.ts';
import { ordinaryInputs } from '../families/fills/ordinary.ts';
import type { Inputs } from '../families/inputs.ts';
import type { Shape } from '../families/tensor.ts';
import { byteCount, shapeText, sizeOf } from '../families/tensor.ts';
import { routeTops, servedShapes, tailShapes } from '../spec/shapes.ts';
import type { Bench, Gate } from './case.ts';
import { CaseData } from './case.ts';
import { checkCases } from './check.ts';
import type { Finding } from './finding.ts';
import { orderCases } from './order-cases.ts';
import { pickRows } from './rows.ts';
import { RUNS, compareOutputs, firstRun, repeats } from './runs.ts';
import type { Outputs } from './stage.ts';
import { Stage } from './stage.ts';
import type { Subject } from './subject.ts';

/** Bytes of inputs up to which other ones are made for the same buffers: every kernel has cases below it. */
const OTHERS_MOST = 1 << 20;

export const repeat: Gate = {
  name: 'repeat',
  cases: (kernel, seed) => {
    const { contract } = kernel;
    const shapes = [...tailShapes(contract), ...routeTops(contract)];
    const checks = checkCases(kernel, seed);
    const unique = [...new Map(shapes.map((shape) => [shapeText(shape), shape])).values()];
    const ordinary = unique.map((shape) => ({
      label: shapeText(shape),
      shape,
      mode: 'plain' as const,
      prepare: () => {
        const label = `${seed}:${contract.name}:${shapeText(shape)}`;
        return new CaseData(ordinaryInputs(contract.inputs, shape, contract.fills ?? {}, label));
      },
    }));
    return [...checks, ...ordinary, ...orderCases(kernel, seed)];
  },
  judge: (data, subject, bench) => {
    const { stage } = bench;
    const first = firstRun(stage, subject, bench.schedules);
    const findings = [...repeats(stage, subject, first, bench.schedules), ...stage.verify()];
    if (findings.length === 0) findings.push(...surroundings(stage, subject, first), ...aliases(stage, subject, first));
    if (findings.length === 0) findings.push(...rowsAlone(data, subject, bench, first));
    if (findings.length === 0) findings.push(...inputsAfterOthers(data, subject, bench, first));
    const notes =
      findings.length === 0
        ? [
            {
              about: 'runs',
              rank: 0,
              text: `${bench.schedules?.length ?? RUNS} equal runs; a race whose bytes did not differ is not ruled out (racecheck looks for it)`,
            },
          ]
        : [];
    return { findings, notes };
  },
};

/** The same run with other bytes around every buffer: an over-read shows as a change. */
function surroundings(stage: Stage, subject: Subject, first: Outputs): Finding[] {
  stage.setGuards(GUARD_FINITE);
  try {
    const got = stage.run(subject.route(stage.shape));
    const found = compareOutputs(
      subject,
      stage.shape,
      got,
      first,
      'over-read',
      'change with the bytes around the buffers',
    );
    return [...found, ...stage.verify()];
  } finally {
    stage.setGuards(GUARD_NAN);
  }
}

/** Each output on each input that the contract allows, one pair at a time, in the same orders as before. */
function aliases(stage: Stage, subject: Subject, first: Outputs): Finding[] {
  const pairs = Object.entries(subject.contract.inPlace ?? {}).flatMap(([output, inputs]) =>
    [inputs ?? []].flat().map((input) => ({ output, input })),
  );
  for (const { output, input } of pairs) {
    for (let run = 0; run < RUNS; run++) {
      const got = stage.run(subject.route(stage.shape), { alias: { [output]: input }, schedule: run });
      const found = compareOutputs(subject, stage.shape, got, first, 'alias', `differ when ${output} lies on ${input}`);
      if (found.length > 0) return found;
    }
  }
  return [];
}

/** The last rows alone, in every number that is served, and all rows moved by one: the same bytes for the same row. */
function rowsAlone(data: CaseData, subject: Subject, bench: Bench, first: Outputs): Finding[] {
  const dim = subject.contract.rowIndependent;
  if (dim === undefined) return [];
  const rows = sizeOf(data.shape, dim);
  const counts = [1, ...servedShapes(subject.contract).map((shape) => sizeOf(shape, dim))];
  const fewer = [...new Set(counts)].filter((count) => count < rows);
  const picks = fewer.map((count) => ({
    picked: Array.from({ length: count }, (_, i) => rows - count + i),
    what: `differ when the last ${count === 1 ? 'row runs' : `${count} rows run`} alone`,
  }));
  picks.push({
    picked: Array.from({ length: rows }, (_, row) => (row + 1) % rows),
    what: 'change with the neighbouring rows',
  });
  for (const { picked, what } of picks) {
    const inputs = pickRows(data.inputs, subject.contract.inputs, dim, picked);
    const found = rowsDiffer(inputs, picked, subject, bench, data.shape, first, what);
    if (found.length > 0) return found;
  }
  return [];
}

function rowsDiffer(
  inputs: Inputs,
  picked: readonly number[],
  subject: Subject,
  bench: Bench,
  shape: Shape,
  first: Outputs,
  what: string,
): Finding[] {
  const dim = subject.contract.rowIndependent ?? '';
  const stage = new Stage(bench.device, subject.contract, inputs, bench.limitMs);
  try {
    const got = stage.run(subject.route(inputs.shape));
    const wanted = pickRows({ shape, bytes: first }, subject.contract.outputs, dim, picked).bytes;
    return compareOutputs(subject, inputs.shape, got, wanted, 'row', what);
  } finally {
    stage.close();
  }
}

/** The inputs in buffers that held other ones in the launch before: a result that was kept from then differs. */
function inputsAfterOthers(data: CaseData, subject: Subject, bench: Bench, first: Outputs): Finding[] {
  const { contract } = subject;
  const tensors = Object.values(contract.inputs);
  if (tensors.reduce((sum, tensor) => sum + byteCount(tensor, data.shape), 0) > OTHERS_MOST) return [];
  const label = `others:${contract.name}:${shapeText(data.shape)}`;
  const others = ordinaryInputs(contract.inputs, data.shape, contract.fills ?? {}, label);
  const stage = new Stage(bench.device, contract, others, bench.limitMs);
  try {
    stage.run(subject.route(data.shape));
    stage.replace(data.inputs);
    const got = stage.run(subject.route(data.shape));
    const what = 'differ where the same buffers held other inputs before';
    return compareOutputs(subject, data.shape, got, first, 'after-other-inputs', what);
  } finally {
    stage.close();
  }
}
