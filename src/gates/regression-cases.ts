/** Fixtures that a contract names, each as a case of its gate. */
import { shapeText } from '../families/tensor.ts';
import type { GateName } from '../spec/contract.ts';
import { modeLabel } from '../spec/modes.ts';
import type { Kernel, Regression } from '../spec/registration.ts';
import type { GateCase } from './case.ts';
import { givenData, judgeGiven } from './given.ts';

export const regressionCases = ({ regressions }: Kernel, gate: GateName): GateCase[] =>
  regressions.filter(({ fixture }) => fixture.gate === gate).map(caseOf);

function caseOf({ name, fixture, inputs }: Regression): GateCase {
  const { gate, mode, shape, schedules, expect } = fixture;
  const judge = judgeGiven(gate, mode, expect.verdict === 'fail' ? expect.cause : undefined);
  return {
    label: modeLabel(`${shapeText(shape)},data=${name}`, mode),
    shape,
    mode,
    judge: (data, subject, bench) => {
      bench.stage.setOrder(schedules?.[0] ?? 0);
      return judge(data, subject, schedules && gate === 'repeat' ? { schedules, ...bench } : bench);
    },
    prepare: () => givenData(inputs),
  };
}
