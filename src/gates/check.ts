/**
 * Gate 2's cases in check images: one run at an edge and one where most partials meet, on every route. The image tells of
 * races, of memory that is read before it is written, of accesses past an end and misaligned ones, and of writes to inputs.
 */
import { ordinaryInputs } from '../families/fills/ordinary.ts';
import { shapeText } from '../families/tensor.ts';
import { modeLabel } from '../spec/modes.ts';
import type { Kernel } from '../spec/registration.ts';
import { checkShapes } from '../spec/shapes-check.ts';
import type { Gate, GateCase } from './case.ts';
import { CaseData } from './case.ts';

export function checkCases({ contract, problem, rule }: Kernel, seed: string): GateCase[] {
  const over = problem?.formula.over ?? rule?.over;
  return checkShapes(contract, over).map((shape) => ({
    label: modeLabel(shapeText(shape), 'check'),
    shape,
    mode: 'check',
    judge: judgeCheck,
    prepare: () => {
      const label = `${seed}:${contract.name}:${shapeText(shape)}`;
      return new CaseData(ordinaryInputs(contract.inputs, shape, contract.fills ?? {}, label));
    },
  }));
}

/** A launch that its image stops is the finding; a throw is how it comes. */
export const judgeCheck: Gate['judge'] = (data, subject, { stage, check = {} }) => {
  stage.run(subject.route(data.shape), { check });
  return { findings: stage.verify() };
};
