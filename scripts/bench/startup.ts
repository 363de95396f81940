/** The time of `--version` against a one-line Bun executable, runs interleaved: bun scripts/bench/startup.ts [runs]. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const RUNS = Number(process.argv[2] ?? 40);
const EXECUTABLE = join(import.meta.dir, '../../dist/tf-kernel-contract');

function timeOf(command: readonly string[]): number {
  const from = Bun.nanoseconds();
  const { exitCode } = Bun.spawnSync([...command], { stdout: 'ignore', stderr: 'inherit' });
  if (exitCode !== 0) throw new Error(`${command.join(' ')} ended with ${exitCode}`);
  return (Bun.nanoseconds() - from) / 1e6;
}

async function buildOneLine(folder: string): Promise<string> {
  const entry = join(folder, 'one.ts');
  const outfile = join(folder, 'one');
  writeFileSync(entry, "console.log('one line');\n");
  const built = await Bun.build({
    entrypoints: [entry],
    compile: { outfile, autoloadDotenv: false, autoloadBunfig: false },
  });
  if (!built.success) throw new AggregateError(built.logs, 'the one-line executable does not build');
  return outfile;
}

const median = (sorted: readonly number[]): number => sorted[sorted.length >> 1] ?? Number.NaN;

const folder = mkdtempSync(join(tmpdir(), 'tf-startup-'));
try {
  const commands = { 'one line': [await buildOneLine(folder)], '--version': [EXECUTABLE, '--version'] };
  const times = Object.keys(commands).map(() => [] as number[]);
  for (let run = 0; run < RUNS; run++) Object.values(commands).forEach((command, i) => times[i]?.push(timeOf(command)));
  const sorted = times.map((list) => list.toSorted((a, b) => a - b));
  Object.keys(commands).forEach((name, i) => {
    const list = sorted[i] ?? [];
    console.log(`${name.padEnd(10)}  least ${list[0]?.toFixed(1)} ms  median ${median(list).toFixed(1)} ms`);
  });
  const [one = [], version = []] = sorted;
  console.log(
    `ratio       least ${((version[0] ?? 0) / (one[0] ?? 1)).toFixed(2)}  median ${(median(version) / median(one)).toFixed(2)}`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
