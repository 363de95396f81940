/** Runs the tests; the last line is `N passed, N failed`. Arguments go to `bun test`. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';

/** No test is failed for being slow: a loaded machine is no fault of the code. */
const NO_LIMIT = ['--timeout', String(24 * 3600 * 1000)];

/** Files run beside each other, each with modules of its own: more at once take memory, and little time off. */
const MOST_AT_ONCE = 4;
const BESIDE = `--parallel=${Math.min(availableParallelism(), MOST_AT_ONCE)}`;

interface Counts {
  readonly tests: number;
  readonly failures: number;
  readonly skipped: number;
}

/** The totals of a JUnit report; undefined where there is none to read. */
function countsIn(file: string): Counts | undefined {
  if (!existsSync(file)) return undefined;
  const [head] = /<testsuites [^>]*>/.exec(readFileSync(file, 'utf8')) ?? [];
  if (head === undefined) return undefined;
  const number = (name: string): number => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(head)?.[1] ?? Number.NaN);
  const counts = { tests: number('tests'), failures: number('failures'), skipped: number('skipped') };
  return Object.values(counts).every(Number.isInteger) ? counts : undefined;
}

function closingLine({ tests, failures, skipped }: Counts): string {
  const line = `${tests - failures - skipped} passed, ${failures} failed`;
  return skipped > 0 ? `${line}, ${skipped} skipped` : line;
}

/** A run without a report counts as one failure: a crash must not read as nothing wrong. */
async function runTests(args: readonly string[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'tf-tests-'));
  const report = join(folder, 'junit.xml');
  try {
    const command = [
      process.execPath,
      'test',
      ...NO_LIMIT,
      BESIDE,
      '--reporter=junit',
      `--reporter-outfile=${report}`,
      ...args,
    ];
    const child = Bun.spawn(command, { cwd: join(import.meta.dir, '..'), stdio: ['inherit', 'inherit', 'inherit'] });
    const code = await child.exited;
    const counts = countsIn(report);
    if (!counts) console.error(`The tests ended with code ${code} and no report: they crashed.`);
    const found = counts ?? { tests: 1, failures: 1, skipped: 0 };
    console.log(closingLine(found));
    return code !== 0 ? code : found.failures > 0 || found.tests === 0 ? 1 : 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exitCode = await runTests(process.argv.slice(2));
