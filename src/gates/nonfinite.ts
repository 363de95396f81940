/**
 * Gate 1. NaN, +Inf and -Inf go into the inputs at known places, one float operand at a time. Every output's class equals the
 * float64 reference's; no tolerance. A kernel with a stated rule must give what the rule gives. Outputs hold a NaN before one run
 * and a finite value before another, so that one that is not written is told from one that is NaN.
 */
import { POISONS } from '../device/guarded.ts';
import { ordinaryInputs } from '../families/fills/ordinary.ts';
import type { Plant, Planted } from '../families/fills/plants.ts';
import { plantCount, plantInputs, plantRows, plantable } from '../families/fills/plants.ts';
import type { Shape, Tensor } from '../families/tensor.ts';
import { coordinates, rowCount, rowLength, shapeText, sizeOf } from '../families/tensor.ts';
import type { Contract } from '../spec/contract.ts';
import type { Kernel } from '../spec/registration.ts';
import { stretch, tailShapes } from '../spec/shapes.ts';
import type { Gate, GateCase } from './case.ts';
import { CaseData } from './case.ts';
import type { Judged } from './compare.ts';
import { compareClasses } from './compare.ts';
import type { Finding } from './finding.ts';
import { ruleFinding } from './rules.ts';
import { unwrittenOutputs } from './unwritten.ts';
import type { Subject } from './subject.ts';

export const nonfinite: Gate = {
  name: 'nonfinite',
  cases: (kernel, seed) =>
    tailShapes(kernel.contract).flatMap((shape) =>
      Object.entries(kernel.contract.inputs)
        .filter(([, tensor]) => plantable(tensor))
        .flatMap(([name, tensor]) => operandCases(kernel, name, tensor, shape, seed)),
    ),
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
  const finding = compareClasses(judged, want, (index) => plantAt?.(index) === 'clean');
  return finding && { ...finding, why: whyOf(finding.index, data.planted, plantAt) };
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

/** Names the plant of the element's row, or says that another row's plant reached it. */
function whyOf(index: number, planted: Planted | undefined, plantAt: ReturnType<typeof plantReader>): string {
  if (!planted) return '';
  const own = plantAt?.(index);
  if (own === 'clean') return `Nothing is planted in its row of ${planted.name}: another row's plant reached it.`;
  const plant = own ?? planted.plants[0];
  if (!plant) return '';
  const columns = plant.columns.length > 2 ? '' : ` at column ${plant.columns.join(' and ')}`;
  return `Planted: ${plant.kind}${columns} of row ${plant.row} of ${planted.name}.`;
}

/** Enough rows for every kind at every position where the envelope has them, else several cases of fewer rows. */
function operandCases({ contract }: Kernel, name: string, tensor: Tensor, base: Shape, seed: string): GateCase[] {
  const outer = tensor.dims.length > 1 ? tensor.dims[0] : undefined;
  const wanted = plantRows(tensor, positionsOf(contract, tensor, base).length);
  const shape = outer === undefined ? base : stretch(contract, base, outer, wanted);
  const rows = rowCount(tensor, shape);
  const total = rows === 1 ? plantCount(tensor) : wanted;
  const starts = Array.from({ length: Math.ceil(total / rows) }, (_, i) => i * rows);
  return starts.map((from) => {
    const label = `${shapeText(shape)},plant=${name}${starts.length > 1 ? `,from=${from}` : ''}`;
    return {
      label,
      shape,
      prepare: () => {
        const inputs = ordinaryInputs(
          contract.inputs,
          shape,
          contract.fills ?? {},
          `${seed}:${contract.name}:${label}`,
        );
        const planted = plantInputs(inputs, name, tensor, positionsOf(contract, tensor, shape), from);
        return new CaseData(planted.inputs, { name, tensor, plants: planted.plants });
      },
    };
  });
}

/** First, last, middle, and the last of a whole tile. */
function positionsOf(contract: Contract, tensor: Tensor, shape: Shape): number[] {
  const last = tensor.dims.at(-1);
  const width = rowLength(tensor, shape) * (tensor.group ?? 1);
  const tile = (last === undefined ? undefined : contract.dims[last]?.tile) ?? width;
  return [...new Set([0, width - 1, width >> 1, Math.min(tile, width) - 1])];
}
