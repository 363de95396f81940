/**
 * The time of `--version` against a one-line Bun executable, and that of gate 5's whole audit against `--version`, runs
 * interleaved: bun scripts/bench/startup.ts [runs].
 */
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

interface Times {
  readonly least: number;
  readonly median: number;
}

const ratioText = (a: Times, b: Times): string =>
  `least ${(a.least / b.least).toFixed(2)}  median ${(a.median / b.median).toFixed(2)}`;

const folder = mkdtempSync(join(tmpdir(), 'tf-startup-'));
try {
  const commands = {
    'one line': [await buildOneLine(folder)],
    '--version': [EXECUTABLE, '--version'],
    '--gate limits': [EXECUTABLE, '--gate', 'limits'],
  };
  const times = Object.values(commands).map(() => [] as number[]);
  for (let run = 0; run < RUNS; run++) Object.values(commands).forEach((command, i) => times[i]?.push(timeOf(command)));
  const found = times.map((list): Times => {
    const sorted = list.toSorted((a, b) => a - b);
    return { least: sorted[0] ?? Number.NaN, median: sorted[sorted.length >> 1] ?? Number.NaN };
  });
  Object.keys(commands).forEach((name, i) => {
    const { least, median } = found[i] as Times;
    console.log(`${name.padEnd(13)}  least ${least.toFixed(1)} ms  median ${median.toFixed(1)} ms`);
  });
  const [one, version, limits] = found as [Times, Times, Times];
  console.log(`--version / one line: ${ratioText(version, one)}`);
  console.log(`--gate limits / --version: ${ratioText(limits, version)}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
