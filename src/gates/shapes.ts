/**
 * Gate 3. Every served and tile-edge shape, and corner rows: each output within the range that fp32 evaluation of the formula
 * may reach, or bit-equal to the kernel it replaces.
 */
import { POISONS } from '../device/guarded.ts';
import type { Ends } from '../families/formula/range.ts';
import type { Shape } from '../families/tensor.ts';
import { coordinates, shapeText, sizeOf } from '../families/tensor.ts';
import type { Contract } from '../spec/contract.ts';
import { edgeSizes, longestShapes, routeTops, servedShapes, tailShapes } from '../spec/shapes.ts';
import type { Bench, CaseData, Corners, Gate } from './case.ts';
import type { Judged, See } from './compare.ts';
import { count } from '../numerics/digits.ts';
import { compareBits, compareRanges, judgementOf } from './compare.ts';
import { detectedIn } from './detected.ts';
import type { ErrorMap } from './error-map.ts';
import { ErrorGrid } from './error-map.ts';
import type { Finding, Margin, Note, Outcome } from './finding.ts';
import { findingOf, worseMargin } from './finding.ts';
import type { Moves } from './moves.ts';
import { judgeMoves } from './moves.ts';
import { ruleFinding } from './rules.ts';
import { shapeCases } from './shapes-cases.ts';
import type { Outputs } from './stage.ts';
import { opsFindings } from './ops.ts';
import { Stage } from './stage.ts';
import type { Subject } from './subject.ts';
import { unwrittenOutputs } from './unwritten.ts';

export const shapes: Gate = {
  name: 'shapes',
  cases: shapeCases,
  judge: (data, subject, bench) => {
    const { stage } = bench;
    const route = subject.route(data.shape);
    const outputs = stage.run(route);
    const functions = route.functions?.() ?? [];
    const unstated = opsFindings(subject, route.launch, functions);
    const outcome = { ...judgeOutputs(data, subject, bench, outputs), functions };
    if (outcome.findings.length === 0) {
      const changed = [...unstated, ...stage.verify()];
      const moves = movesOf(data, subject, bench, outputs);
      const notes = [...(outcome.notes ?? []), ...moves.notes];
      const findings = [...changed, ...moves.findings];
      return { ...outcome, ...detected(data, subject, outputs), notes, findings };
    }
    const again = stage.run(route, { poison: POISONS[1] });
    const missing = unwrittenOutputs(subject, data.shape, outputs, again);
    const findings = (missing.length > 0 ? missing : outcome.findings).map((finding) => ({
      ...finding,
      ...whyOf(subject.contract, data.shape, finding),
    }));
    const { maps } = outcome;
    return { findings: [...unstated, ...findings, ...stage.verify()], functions, ...(maps && { maps }) };
  },
};

/** What moves an output is asked at the tail of each route, of a kernel that is right there. */
function movesOf(data: CaseData, subject: Subject, bench: Bench, outputs: Outputs): Moves {
  const { contract, control, mode, warp } = subject;
  // What moves and what is seen hangs neither on the mode nor on the width.
  if (mode !== 'plain' || warp !== undefined || data.corners || (control && control.finding !== 'vacuous'))
    return { findings: [], notes: [] };
  const text = shapeText(data.shape);
  const isTail = tailShapes(contract).some((shape) => shapeText(shape) === text);
  return isTail ? judgeMoves(data, subject, bench, outputs) : { findings: [], notes: [] };
}

/** Limits of detection are taken where the bound is widest, of the kernel itself, on ordinary data. */
function detected(data: CaseData, subject: Subject, outputs: Outputs): Pick<Outcome, 'detected'> {
  const { problem, contract, control, mode, warp } = subject;
  if (mode !== 'plain' || warp !== undefined || !problem || control || data.corners || contract.replaces !== undefined)
    return {};
  const text = shapeText(data.shape);
  if (!longestShapes(contract, problem.formula.over).some((shape) => shapeText(shape) === text)) return {};
  return { detected: detectedIn(data, problem, subject, outputs, subject.arithmetic(data.shape)) };
}

function judgeOutputs(data: CaseData, subject: Subject, bench: Bench, outputs: Outputs): Outcome {
  const findings: Finding[] = [];
  const notes: Note[] = [];
  const maps: ErrorMap[] = [];
  let margin: Margin | undefined;
  const replaced = bench.replaced && runReplaced(data, bench.replaced, bench);
  for (const [name, tensor] of Object.entries(subject.contract.outputs)) {
    const judged = { name, tensor, shape: data.shape, bytes: outputs[name] ?? new Uint8Array(0) };
    const grid = new ErrorGrid(name, tensor, data.shape, subject.contract.dims);
    // No one looks at where a planted fault is off.
    const see: See | undefined = subject.control ? undefined : (index, share) => grid.take(index, share);
    const result = judgeOne(data, subject, judged, see, replaced?.[name]);
    if (result.finding) findings.push(result.finding);
    if (result.note) notes.push(result.note);
    if (grid.isSeen) maps.push(grid.map());
    margin = worseMargin(margin, result.margin);
  }
  return { findings, notes, ...(margin && { margin }), ...(maps.length > 0 && { maps }) };
}

interface OneOutput {
  readonly finding?: Finding;
  readonly margin?: Margin;
  readonly note?: Note;
}

function judgeOne(
  data: CaseData,
  subject: Subject,
  judged: Judged,
  see: See | undefined,
  replaced?: Uint8Array,
): OneOutput {
  if (replaced) {
    const finding = compareBits(judged, replaced, 'bits', `differ from ${subject.contract.replaces ?? ''}`);
    if (finding) return { finding };
  }
  if (subject.kernel.rule) {
    const finding = ruleFinding(data, subject.contract, subject.kernel.rule, judged);
    return finding ? { finding } : {};
  }
  if (!subject.problem) return {};
  const want = data.reference(subject.problem)[judged.name] ?? new Float64Array(0);
  const ends = data.ranges(subject.problem, subject.arithmetic(data.shape))[judged.name];
  if (!ends) return {};
  return data.corners
    ? judgeCorners(judged, want, ends, data.corners, see)
    : judgeOrdinary(data, subject, judged, want, ends, see);
}

/** By range where there is one, by class where the reference is NaN for certain; the rest is counted in a note. */
function judgeCorners(
  judged: Judged,
  want: Float64Array,
  ends: Ends,
  { dim, kindOf }: Corners,
  see: See | undefined,
): OneOutput {
  const { index, unbounded, ...result } = compareRanges(judged, want, ends, judgementOf, see);
  if (result.finding) {
    const row = coordinates(judged.tensor, judged.shape, index)[judged.tensor.dims.indexOf(dim ?? '')];
    const why = row === undefined ? 'The inputs hold corner values.' : `Its row holds ${kindOf(row)}.`;
    return { finding: { ...result.finding, why } };
  }
  if (unbounded === 0) return result;
  const text = `${count(unbounded)} of ${count(want.length)} outputs of corner rows have no bound: not judged`;
  return { ...result, note: { about: `corners of ${judged.name}`, rank: -unbounded, text: `${judged.name}: ${text}` } };
}

function judgeOrdinary(
  data: CaseData,
  subject: Subject,
  judged: Judged,
  want: Float64Array,
  ends: Ends,
  see: See | undefined,
): OneOutput {
  const nan = want.findIndex(Number.isNaN);
  if (nan >= 0)
    return {
      finding: findingOf(
        { code: 'reference-nan', of: judged.name },
        `float64 itself gives NaN at ${judged.name}[${nan}] on finite inputs: the data cannot judge`,
      ),
    };
  if (isTop(subject.contract, data.shape) && want.length > 1 && want.every((value) => value === want[0])) {
    const what = `every element of ${judged.name} is ${want[0]} in float64: a kernel that writes one constant would pass`;
    const why = 'The formula or its data cannot tell a kernel that computes from one that does not.';
    return { finding: findingOf({ code: 'reference-constant', of: judged.name }, what, { why }) };
  }
  const open = want.reduce((sum, value, i) => sum + (isOpen(value, ends, i) ? 1 : 0), 0);
  const text = `${judged.name}: ${count(open)} of ${count(want.length)} outputs have an open range`;
  return {
    ...compareRanges(judged, want, ends, undefined, see),
    ...(open > 0 && { note: { about: `ranges of ${judged.name}`, rank: -open, text } }),
  };
}

const isOpen = (want: number, { lo, hi }: Ends, i: number): boolean =>
  judgementOf(want, lo[i] ?? Number.NaN, hi[i] ?? Number.NaN) === 'none';

/** The largest served shape of a route: where outputs that are all alike prove nothing. */
function isTop(contract: Contract, shape: Shape): boolean {
  return routeTops(contract).some((top) => shapeText(top) === shapeText(shape));
}

function runReplaced(data: CaseData, replaced: Subject, bench: Bench): Outputs {
  const stage = new Stage(bench.device, replaced.contract, data.inputs, bench.limitMs);
  try {
    return stage.run(replaced.route(data.shape));
  } finally {
    stage.close();
  }
}

/** What is special about a shape, for a reader who wants the cause. */
function whyOf(contract: Contract, shape: Shape, finding: Finding): { why?: string } {
  if (finding.why !== undefined) return {};
  const served = servedShapes(contract);
  const edges = Object.entries(contract.dims).flatMap(([name, dim]) => {
    const size = sizeOf(shape, name);
    const step = dim.step ?? 1;
    if (
      dim.tile === undefined ||
      !edgeSizes(
        dim,
        served.map((s) => sizeOf(s, name)),
      ).includes(size)
    )
      return [];
    if (size === dim.tile) return [`${name} is exactly a tile (${dim.tile})`];
    if (size === dim.tile + step) return [`${name} is a tile (${dim.tile}) plus a step (${step})`];
    if (size === dim.tile - step) return [`${name} is a tile (${dim.tile}) minus a step (${step})`];
    return size === (dim.least ?? step) ? [`${name} is at its least size`] : [];
  });
  return edges.length > 0 ? { why: `${edges.join('; ')}.` } : {};
}
