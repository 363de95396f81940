/** A whole run whose emulated driver fails, held against what the failure must come to. */
import type { Emulated, EmulatedRun } from './emulated.ts';
import { emulated, imagesOf } from './emulated.ts';
import type { Failure } from './failures.ts';
import { FAILURES, SMALL } from './failures.ts';

const ARGS = ['--gate', 'repeat,shapes', '--timeout', '0.5'];
const KERNELS = ['copy_rows', 'negate_rows'];
const COUNTS = { PASS: 'pass gates 2-3', FAIL: 'fail', 'NOT RUN': 'not run' } as const;

const images = new Map<Emulated, Promise<string>>();
const imagesFor = (dialect: Emulated): Promise<string> => {
  const found = images.get(dialect) ?? imagesOf(SMALL, dialect);
  images.set(dialect, found);
  return found;
};

export interface FailedRun {
  readonly run: EmulatedRun;
  /** What is not as it must be. */
  readonly problems: readonly string[];
}

export async function failedRun(dialect: Emulated, what: string): Promise<FailedRun> {
  const failure = FAILURES.find((one) => one.what === what);
  const words = failure?.words[dialect];
  if (!failure || words === undefined) throw new Error(`no failure '${what}' of ${dialect}`);
  const { plan, driver } = failure;
  const run = await emulated(
    { dialect, images: await imagesFor(dialect), kernels: SMALL, plan, ...(driver !== undefined && { driver }) },
    ...ARGS,
  );
  const judged = failure.verdicts === undefined ? nothingRan(run) : judge(run, dialect, failure.verdicts);
  const told = `${run.stdout}${run.stderr}`.includes(words) ? [] : [`it does not say: ${words}`];
  const code = run.code === 1 ? [] : [`exit code ${run.code}`];
  return { run, problems: [...judged, ...told, ...code, ...run.violations, ...run.leaks] };
}

const nothingRan = ({ stdout, stderr }: EmulatedRun): string[] =>
  stdout === '' && stderr.includes('Nothing was run') ? [] : [`something ran: ${stdout}`];

/** The kernels' verdicts, and whether SUMMARY counts them and every control. */
function judge(
  { lines, stderr }: EmulatedRun,
  dialect: Emulated,
  verdicts: NonNullable<Failure['verdicts']>,
): string[] {
  const lineOf = (kernel: string): string => lines.find((line) => line.includes(` ${kernel}@${dialect}`)) ?? '';
  const wrong = KERNELS.filter((kernel, i) => !lineOf(kernel).startsWith(`${verdicts[i]}  ${kernel}`));
  const summary = lines.at(-1) ?? '';
  const uncounted = Object.entries(COUNTS).filter(([verdict, noun]) => {
    const count = verdicts.filter((own) => own === verdict).length;
    return !summary.includes(` ${count} ${noun}`);
  });
  const [all = -1, ...parts] = [...summary.matchAll(/(\d+) (?:controls|red|missed|broken|not run(?=; gate))/g)].map(
    ([, count]) => Number(count),
  );
  const sum = parts.reduce((so, part) => so + part, 0);
  return [
    ...wrong.map((kernel) => `${kernel}: ${lineOf(kernel) || 'no line'}`),
    ...uncounted.map(([verdict]) => `SUMMARY miscounts ${verdict}: ${summary}`),
    ...(summary.startsWith('SUMMARY 2 kernels: ') && all === sum ? [] : [`SUMMARY does not add up: ${summary}`]),
    ...(stderr === '' ? [] : [stderr]),
  ];
}
