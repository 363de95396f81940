/**
 * A receipt of the CUDA contract on this machine's NVIDIA GPU: builds the executable, runs every kernel with controls and live limits,
 * then a part of it under compute-sanitizer, and writes docs/receipts/: bun scripts/gpu-receipt.ts [--images DIR]. It ends within eight
 * minutes. Where there is no GPU it says *not run*, and the list of receipts says so too.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { findDevices } from '../src/cli/find-devices.ts';
import { writeWhole } from '../src/device/toolchain/cache.ts';
import { readReport } from '../src/report/json.ts';
import type { Beside } from './receipt/page.ts';
import { receiptList, receiptName, receiptPage } from './receipt/page.ts';

const ROOT = join(import.meta.dir, '..');
const FOLDER = join(ROOT, 'docs/receipts');
const PROGRAM = join(ROOT, 'dist/tf-kernel-contract');
const JSON_FILE = join(ROOT, 'build/gpu-receipt.json');
/** Of eight minutes: what the contract and each tool of the sanitizer may take. */
const RUN_MS = 5 * 60_000;
const TOOL_MS = 45_000;
/** Kernels that are quick, and whose launches have local memory, barriers and tails. */
const QUICK = ['--only', 'row_sum@cuda:repeat', '--only', 'softmax_rows_f32@cuda:repeat', '--no-controls'];

interface Ended {
  readonly code: number | null;
  readonly text: string;
}

async function run(command: readonly string[], limitMs: number): Promise<Ended> {
  const child = Bun.spawn([...command], {
    cwd: ROOT,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: limitMs,
  });
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  await child.exited;
  return { code: child.exitCode, text: stdout + stderr };
}

/** A tool of compute-sanitizer over the quick part; its children are the program's lanes. */
async function sanitized(tool: string, images: readonly string[]): Promise<Beside> {
  const command = `compute-sanitizer --tool ${tool}`;
  const path = Bun.which('compute-sanitizer') ?? '/usr/local/cuda/bin/compute-sanitizer';
  if (!existsSync(path)) return { command, outcome: 'not run: it is not installed' };
  const own = ['--tool', tool, '--target-processes', 'all', '--error-exitcode', '9'];
  const { code, text } = await run([path, ...own, PROGRAM, '--device', 'cuda:0', ...QUICK, ...images], TOOL_MS);
  const summary = [...text.matchAll(/^=+ ((?:ERROR|RACECHECK) SUMMARY: .*)$/gm)].map(([, line]) => line);
  if (code === null) return { command, outcome: `not run: it took longer than ${TOOL_MS / 1000} s` };
  return { command, outcome: `${summary.join('; ') || 'no summary'}, exit code ${code}` };
}

/** The folder of images that is named, and what compiled them. */
async function imagesOf(
  argv: readonly string[],
): Promise<{ readonly flags: readonly string[]; readonly compiler: string }> {
  const at = argv.indexOf('--images');
  const folder = at < 0 ? undefined : argv[at + 1];
  if (folder === undefined) return { flags: [], compiler: 'NVRTC, at run time' };
  const { images } = await Bun.file(join(folder, 'images.json')).json();
  const compilers = new Set(images.map(({ compiler }: { readonly compiler: string }) => compiler));
  return { flags: ['--images', folder], compiler: [...compilers].join(', ') };
}

const saveList = (): void => {
  mkdirSync(FOLDER, { recursive: true });
  writeWhole(join(FOLDER, 'README.md'), receiptList(FOLDER));
};

async function main(): Promise<number> {
  const [found] = await findDevices(['cuda']);
  if (!found || found.devices.length === 0) {
    console.log(`NOT RUN  no NVIDIA GPU: ${found?.why ?? 'none was looked for'}`);
    saveList();
    return 0;
  }
  const built = await run([process.execPath, 'scripts/build.ts'], RUN_MS);
  if (built.code !== 0) throw new Error(`the program does not build:\n${built.text}`);
  const { flags, compiler } = await imagesOf(process.argv.slice(2));
  const command = ['--device', 'cuda:0', '--dialect', 'cuda', ...flags, '--json', JSON_FILE];
  const ran = await run([PROGRAM, ...command], RUN_MS);
  console.log(ran.text);
  if (ran.code === null) throw new Error(`the contract took longer than ${RUN_MS / 1000} s, so there is no receipt`);
  const report = readReport(await Bun.file(JSON_FILE).text());
  const beside = [await sanitized('memcheck', flags), await sanitized('racecheck', flags)];
  const date = new Date().toISOString().slice(0, 10);
  const told = [
    'tf-kernel-contract',
    '--device',
    'cuda:0',
    '--dialect',
    'cuda',
    ...(flags.length > 0 ? ['--images', 'DIR'] : []),
  ];
  const name = receiptName(date, report);
  mkdirSync(FOLDER, { recursive: true });
  writeWhole(join(FOLDER, `${name}.md`), receiptPage(report, { date, compiler, command: told.join(' '), beside }));
  saveList();
  console.log(`docs/receipts/${name}.md  exit code of the run ${ran.code}`);
  return ran.code ?? 1;
}

process.exitCode = await main();
