/** Gate 5 of a run: every selected launch against every served chip, from records alone, and its standing controls. */
import type { Verdict } from '../audit/audit.ts';
import { auditAll } from '../audit/audit.ts';
import { SERVED_CHIPS } from '../audit/chips/all.ts';
import type { LimitControlResult } from '../audit/controls.ts';
import { judgeControls } from '../audit/controls.ts';
import type { HashedLaunch } from '../audit/records-source.ts';
import { definesText } from '../audit/launch.ts';
import type { Dialect } from '../families/formula/functions.ts';
import type { LimitsResults } from '../report/json.ts';
import { limitControlLines, verdictLines } from '../report/limits.ts';
import type { Style } from '../report/style.ts';
import type { LimitsTally } from '../report/tally.ts';
import { matcher } from '../spec/address.ts';
import { readAuditData } from './audit-data.ts';

export interface LimitsSelection {
  readonly only: readonly string[];
  readonly dialects: readonly Dialect[];
  readonly controls: boolean;
}

export interface LimitsRun {
  /** Every launch and chip that is selected, and every control. */
  readonly addresses: readonly string[];
  /** What does not fit, is stale or stayed green; nothing where all is as promised. */
  readonly lines: readonly string[];
  readonly tally: LimitsTally;
  /** The same for the report, made only where one is written. */
  readonly results: () => LimitsResults;
}

const addressOf = ({ kernel, dialect, chip }: Verdict): string => `${kernel}@${dialect}:limits:${chip}`;

/** Audits what is selected. A filter that names a case of another gate selects nothing here. */
export async function runLimits({ only, dialects, controls }: LimitsSelection, style: Style): Promise<LimitsRun> {
  const { launches, records } = await readAuditData();
  const selects = matcher(only);
  const own = launches.filter(({ dialect }) => dialects.includes(dialect));
  const audit = auditAll({ launches: own, records: records.sets, chips: SERVED_CHIPS });
  const verdicts = audit.verdicts.filter((verdict) => selects(addressOf(verdict)));
  const judged = controls ? judgeControls().filter(({ id }) => selects(`limits!${id}`)) : [];
  const broken = verdicts.length > 0 ? [...records.problems, ...audit.problems] : [];
  return {
    addresses: [...new Set(verdicts.map(addressOf)), ...judged.map(({ id }) => `limits!${id}`)],
    lines: [
      ...broken.map((problem) => `${style.bad('FAIL')}  ${problem}`),
      ...verdicts.flatMap((verdict) => verdictLines(verdict, style)),
      ...judged.flatMap((control) => limitControlLines(control, style)),
    ],
    tally: tallyOf(verdicts, broken.length, judged),
    results: () => ({ verdicts: withShapes(verdicts, own), controls: judged, problems: broken }),
  };
}

/** Verdicts with the shapes of their launch; launches that share a symbol and its defines share their shapes. */
function withShapes(verdicts: readonly Verdict[], launches: readonly HashedLaunch[]): LimitsResults['verdicts'] {
  const key = ({ kernel, dialect, symbol }: Verdict | HashedLaunch, defines = ''): string =>
    [kernel, dialect, symbol, defines].join(' ');
  const found = Map.groupBy(launches, (launch) => key(launch, definesText(launch.defines)));
  const shapesOf = (verdict: Verdict): string[] =>
    (found.get(key(verdict, verdict.defines)) ?? []).flatMap(({ at }) => at.flatMap(({ label }) => label ?? []));
  return verdicts.map((verdict) => ({ ...verdict, shapes: shapesOf(verdict) }));
}

function tallyOf(verdicts: readonly Verdict[], broken: number, controls: readonly LimitControlResult[]): LimitsTally {
  const of = (status: Verdict['status']): number => verdicts.filter((verdict) => verdict.status === status).length;
  const controlsOf = (status: LimitControlResult['status']): number =>
    controls.filter((control) => control.status === status).length;
  return {
    verdicts: verdicts.length,
    problems: of('does not fit') + of('stale') + broken,
    pending: of('pending'),
    controls: { red: controlsOf('red'), missed: controlsOf('missed'), broken: controlsOf('broken') },
  };
}
