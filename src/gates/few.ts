/** The first few outputs of a case, where all of them would take too long and are made alike. */
import { firstOf } from '../families/inputs.ts';
import type { Problem } from '../families/problem.ts';
import type { Shape } from '../families/tensor.ts';
import { CaseData } from './case.ts';

/** A case of at most `few` along every dimension but that of the sums. */
export const fewOf = (data: CaseData, problem: Problem, few: number): CaseData =>
  new CaseData(firstOf(data.inputs, problem.inputs, fewShape(data.shape, problem, few)));

export function fewShape(shape: Shape, { formula }: Problem, few: number): Shape {
  const sizes = Object.entries(shape).map(
    ([dim, size]) => [dim, dim === formula.over ? size : Math.min(size, few)] as const,
  );
  return Object.fromEntries(sizes);
}
