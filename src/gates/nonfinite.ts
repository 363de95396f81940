/**
 * Gate 1. NaN, +Inf and -Inf go into the inputs at known places, one float operand at a time and then two at once. Every
 * output's class equals the float64 reference's; no tolerance, and what stays finite keeps its range. A kernel with a stated
 * rule must give what the rule gives. Outputs hold a NaN before one run and a finite value before another, so that one that is
 * not written is told from one that is NaN.
 */
import { POISONS } from '../device/guarded.ts';
import type { Plant, Planted } from '../families/fills/plants.ts';
import { coordinates, sizeOf } from '../families/tensor.ts';
import type { CaseData, Gate } from './case.ts';
import type { Judged, PlacedFinding } from './compare.ts';
import { compareClasses, compareRanges } from './compare.ts';
import type { Finding } from './finding.ts';
import { plantedCases } from './nonfinite-cases.ts';
import { ruleFinding } from './rules.ts';
import { unwrittenOutputs } from './unwritten.ts';
import type { Subject } from './subject.ts';

export const nonfinite: Gate = {
  name: 'nonfinite',
  cases: plantedCases,
  judge: (data, subject, bench) => {
    const route = subject.route(data.shape);
    const outputs = bench.stage.run(route, { poison: POISONS[0] });
    const again = bench.stage.run(route, { poison: POISONS[1] });
    const missing = unwrittenOutputs(subject, data.shape, outputs, again);
    const wrong = Object.entries(subject.contract.outputs).flatMap(([name, tensor]): Finding[] => {
      const judged = { name, tensor, shape: data.shape, bytes: outputs[name] ?? new Uint8Array(0) };
      const finding = judgeOutput(data, subject, judged);
      return finding ? [finding] : [];
    });
    return { findings: [...missing, ...wrong, ...bench.stage.verify()] };
  },
};

function judgeOutput(data: CaseData, subject: Subject, judged: Judged): Finding | undefined {
  const plantAt = data.planted && plantReader(data.planted, judged);
  if (subject.kernel.rule) {
    const finding = ruleFinding(
      data,
      subject.contract,
      subject.kernel.rule,
      judged,
      (index) => plantAt?.(index) === 'clean',
    );
    return finding && { ...finding, why: [whyOf(finding.index, data.planted, plantAt), finding.why].join(' ') };
  }
  if (!subject.problem) return undefined;
  const want = data.reference(subject.problem)[judged.name] ?? new Float64Array(0);
  const finding =
    compareClasses(judged, want, (index) => plantAt?.(index) === 'clean') ?? valueFinding(data, subject, judged, want);
  return finding && { ...finding, why: whyOf(finding.index, data.planted, plantAt) };
}

/** What stays finite beside a plant has its value as well. */
function valueFinding(
  data: CaseData,
  { problem, arithmetic }: Subject,
  judged: Judged,
  want: Float64Array,
): PlacedFinding | undefined {
  const ends = problem && data.ranges(problem, arithmetic(data.shape))[judged.name];
  if (!ends) return undefined;
  const { finding, index } = compareRanges(judged, want, ends, (exact, lo, hi) =>
    Number.isFinite(exact) && Number.isFinite(lo) && Number.isFinite(hi) ? 'range' : 'none',
  );
  return finding && { ...finding, index };
}

/** The plant whose row an output element belongs to; `clean` where that row has none, undefined where rows do not say. */
function plantReader(
  { tensor, plants }: Planted,
  { tensor: output, shape }: Judged,
): ((index: number) => Plant | 'clean') | undefined {
  const outer = tensor.dims.slice(0, -1);
  if (outer.length === 0 || !outer.every((dim) => output.dims.includes(dim))) return undefined;
  const byRow = new Map(plants.map((plant) => [plant.row, plant]));
  return (index) => {
    const at = coordinates(output, shape, index);
    const row = outer.reduce((sum, dim) => sum * sizeOf(shape, dim) + (at[output.dims.indexOf(dim)] ?? 0), 0);
    return byRow.get(row) ?? 'clean';
  };
}

/** Names the plant of the element's row, or says that there is none. */
function whyOf(index: number, planted: Planted | undefined, plantAt: ReturnType<typeof plantReader>): string {
  if (!planted) return '';
  const own = plantAt?.(index);
  if (own === 'clean')
    return `Nothing is planted in its row of ${planted.name}: it is wrong without a plant, or another row's plant reached it.`;
  const plant = own ?? planted.plants[0];
  if (!plant) return '';
  const columns = plant.columns.length > 2 ? '' : ` at column ${plant.columns.join(' and ')}`;
  return `Planted: ${plant.kind}${columns} of row ${plant.row} of ${planted.name}.`;
}
