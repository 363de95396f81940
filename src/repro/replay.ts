/** A fixture run again, on whatever device there is: is the verdict the same? */
import type { Finding } from '../gates/finding.ts';
import { givenData, judgeGiven } from '../gates/given.ts';
import type { Dialect } from '../families/formula/functions.ts';
import type { Fixture } from '../spec/fixture.ts';
import { FixtureError } from '../spec/fixture.ts';
import { isAlike, isSameCause } from '../spec/cause.ts';
import { quarantineOn } from '../spec/registration.ts';
import { expectedCause, sourcesHash, targetOf } from './fixture.ts';
import type { Settings, Shop, Target } from './suspect.ts';
import { Suspect } from './suspect.ts';

export interface Replayed {
  readonly target: Target;
  /** Whether it fails by the cause that the fixture gives, or passes where it says so. */
  readonly isSame: boolean;
  /** What is found now: the wanted finding before all others. */
  readonly findings: readonly Finding[];
  /** Why it was not run, in words. */
  readonly notRun?: string;
  /** The sources are not those that the fixture was made of. */
  readonly isStale: boolean;
}

/** Runs a fixture in its own dialect or in another; throws a FixtureError or a SubjectError where there is nothing to run. */
export async function replay(
  shop: Shop,
  fixture: Fixture,
  settings: Omit<Settings, 'seed'>,
  dialect: Dialect = fixture.dialect,
): Promise<Replayed> {
  const { inputs, ...own } = targetOf(fixture, shop);
  const target = inDialect(own, dialect);
  const quarantine = quarantineOn(target.kernel.contract, shop.on.chip);
  if (quarantine !== undefined) return { target, isSame: false, findings: [], notRun: quarantine, isStale: false };
  const { seed, schedules, mode, warp, gate } = fixture;
  // Another dialect has widths of its own.
  const way = { mode, ...(warp !== undefined && dialect === fixture.dialect && { warp }) };
  const suspect = await Suspect.prepare(shop, target, [way], { ...settings, seed, ...(schedules && { schedules }) });
  try {
    const wanted = expectedCause(fixture);
    const judged = suspect.judge(givenData(inputs), judgeGiven(gate, mode, wanted));
    const isStale = dialect === fixture.dialect && sourcesHash(shop, target) !== fixture.sources;
    if ('notRun' in judged) return { target, isSame: false, findings: [], notRun: judged.notRun, isStale };
    const isThat = dialect === fixture.dialect ? isSameCause : isAlike; // of another dialect the lines are others
    const isWanted = ({ cause }: Finding): boolean => wanted !== undefined && isThat(cause, wanted);
    const findings = judged.findings.toSorted((a, b) => Number(isWanted(b)) - Number(isWanted(a)));
    const [first] = findings;
    return { target, isSame: wanted ? first !== undefined && isWanted(first) : !first, findings, isStale };
  } finally {
    suspect.release();
  }
}

/** The same target in another dialect. */
function inDialect(target: Target, dialect: Dialect): Target {
  const { kernel, control } = target;
  if (!kernel.dialects.includes(dialect)) throw new FixtureError([`${kernel.name} has no ${dialect} launch`]);
  if (control && !control.dialects.includes(dialect))
    throw new FixtureError([`the control ${control.id} of ${kernel.name} is not planted in ${dialect}`]);
  return { ...target, dialect };
}
