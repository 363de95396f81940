/** Gate 5 of a run: every selected launch against every served chip, from records alone, and its standing controls. */
import type { Selects, Verdict } from '../../audit/audit.ts';
import { auditAll } from '../../audit/audit.ts';
import { SERVED_CHIPS } from '../../audit/chips/all.ts';
import type { Chip } from '../../audit/chips/chip.ts';
import type { LimitControlResult } from '../../audit/controls.ts';
import { judgeControls, toldControl } from '../../audit/controls.ts';
import type { AuditLaunch } from '../../audit/launch.ts';
import { definesText } from '../../audit/launch.ts';
import type { Recorded, RecordedLaunch } from '../../audit/recorded.ts';
import type { Sifted } from '../../audit/sieve.ts';
import { sieveOf, sift } from '../../audit/sieve.ts';
import type { Dialect } from '../../families/formula/functions.ts';
import { DIALECTS } from '../../families/formula/functions.ts';
import type { LimitsResults } from '../../report/json.ts';
import { limitControlLines, verdictLines } from '../../report/limits.ts';
import type { Style } from '../../report/style.ts';
import type { LimitsTally } from '../../report/tally.ts';
import { matcher } from '../../spec/address.ts';
import { outside } from '../../spec/outside.ts';
import { readProblems, readSieve } from './audit-sieve.ts';

export interface LimitsSelection {
  readonly only: readonly string[];
  readonly dialects: readonly Dialect[];
  readonly controls: boolean;
}

export interface LimitsRun {
  /** Every launch and chip that is selected, and every control. */
  readonly addresses: () => Promise<string[]>;
  /** How many those are; none where there is no launch and no filter asks for the controls, which hold no kernel to anything. */
  readonly selected: number;
  /** Whether anything is not as promised. */
  readonly tells: boolean;
  /** What does not fit, is stale or stayed green. */
  readonly lines: (style: Style) => string[];
  readonly tally: LimitsTally;
  /** The same for the report, made only where one is written. */
  readonly results: () => Promise<LimitsResults>;
}

/** Audits what is selected. A filter that names a case of another gate selects nothing here. */
export async function runLimits({ only, dialects, controls }: LimitsSelection): Promise<LimitsRun> {
  const matches = matcher(only);
  const selects: Selects = (launch, chip) => dialects.includes(launch.dialect) && matches(addressOf(launch, chip));
  const isWhole = only.length === 0 && dialects.length === DIALECTS.length && !isNamed();
  const sieve = isWhole ? await readSieve() : sieveOf(await readRecorded(), SERVED_CHIPS, selects);
  const sifted = await sift(sieve, SERVED_CHIPS, readRecorded);
  const problems = sifted.verdicts > 0 ? await problemsOfRecords() : [];
  const judged = controls ? judgeControls().filter(({ id }) => matches(controlAddress(id))) : [];
  const tally = tallyOf(sifted, problems.length, judged);
  const { missed, broken } = tally.controls;
  return {
    selected: sifted.verdicts > 0 || only.length > 0 ? sifted.verdicts + judged.length : 0,
    addresses: async () => [
      ...addressesOf(await readRecorded(), selects),
      ...judged.map(({ id }) => controlAddress(id)),
    ],
    tells: tally.problems + missed + broken > 0,
    lines: (style) => [
      ...problems.map((problem) => `${style.bad('FAIL')}  ${problem}`),
      ...sifted.told.flatMap((verdict) => verdictLines(verdict, style)),
      ...judged.flatMap((control) => limitControlLines(control, style)),
    ],
    tally,
    results: async () => {
      const recorded = await readRecorded();
      const verdicts = withShapes(auditAll(recorded, SERVED_CHIPS, selects), recorded);
      return { verdicts, controls: judged.map(toldControl), problems };
    },
  };
}

/** Whether contracts or records are others than the program's own. */
const isNamed = (): boolean => outside() !== undefined || Boolean(process.env['TF_RECORDS']);

let made: Promise<Recorded> | undefined;

/** Far more than a run needs where all is as promised. */
const readRecorded = async (): Promise<Recorded> => {
  if (!isNamed()) return (await import('./audit-data.ts')).readRecorded();
  return (made ??= (await import('./audit-made.ts')).madeRecorded());
};

const problemsOfRecords = async (): Promise<readonly string[]> =>
  isNamed() ? (await readRecorded()).problems : readProblems();

const addressOf = ({ kernel, dialect }: AuditLaunch, { name }: Chip): string => `${kernel}@${dialect}:limits:${name}`;
const controlAddress = (id: string): string => `limits!${id}`;

function addressesOf({ launches }: Recorded, selects: Selects): Set<string> {
  const of = ({ launch }: RecordedLaunch): string[] => {
    const chips = SERVED_CHIPS.filter((chip) => chip.dialect === launch.dialect && selects(launch, chip));
    return chips.map((chip) => addressOf(launch, chip));
  };
  return new Set(launches.flatMap(of));
}

/** Verdicts with the shapes of their launch; launches that share a symbol and its defines share their shapes. */
function withShapes(verdicts: readonly Verdict[], { launches }: Recorded): LimitsResults['verdicts'] {
  const key = ({ kernel, dialect, symbol }: Verdict | AuditLaunch, defines = ''): string =>
    [kernel, dialect, symbol, defines].join(' ');
  const found = new Map(launches.map(({ launch }) => [key(launch, definesText(launch.defines)), launch]));
  const shapesOf = (verdict: Verdict): string[] =>
    (found.get(key(verdict, verdict.defines))?.at ?? []).flatMap(({ label }) => label ?? []);
  return verdicts.map((verdict) => ({ ...verdict, shapes: shapesOf(verdict) }));
}

function tallyOf(
  { verdicts, pending, told }: Sifted,
  broken: number,
  controls: readonly LimitControlResult[],
): LimitsTally {
  const controlsOf = (status: LimitControlResult['status']): number =>
    controls.filter((control) => control.status === status).length;
  return {
    verdicts,
    problems: told.length + broken,
    pending,
    controls: { red: controlsOf('red'), missed: controlsOf('missed'), broken: controlsOf('broken') },
  };
}
