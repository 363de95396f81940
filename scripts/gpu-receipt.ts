/**
 * A receipt of the CUDA contract on this machine's NVIDIA GPU: builds the executable where it is not up to date, then `receipt/run.sh`
 * runs every kernel with controls and live limits and a part of it under compute-sanitizer, and docs/receipts/ gets the page:
 * bun scripts/gpu-receipt.ts [--images DIR] [--program PATH]. It ends within eight minutes, and has a page of whatever came of it. Where there is no GPU it
 * says *not run*, and the list of receipts says so too. `--from FOLDER` makes the page of what run.sh left on a machine that has a GPU
 * and nothing else. The page of a run that came to no report, or of an emulated driver, is marked so and stays in the folder.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { findDevices } from '../src/cli/find-devices.ts';
import { INDEX_FILE } from '../src/device/image-folder.ts';
import { writeWhole } from '../src/device/toolchain/cache.ts';
import { readLeft } from './receipt/left.ts';
import { isEmulated, receiptList, receiptName, receiptPage } from './receipt/page.ts';

const ROOT = join(import.meta.dir, '..');
const RECEIPTS = join(ROOT, 'docs/receipts');
const PROGRAM = join(ROOT, 'dist/tf-kernel-contract');
/** All of it, and what the sanitizer's two tools and the page may take of that; seconds. */
const ALL_S = 8 * 60;
const TOOL_S = 45;
const REST_S = 2 * TOOL_S + 20;
/** What the contract needs at the least. */
const RUN_LEAST_S = 60;

const valueOf = (flag: string): string | undefined => {
  const at = process.argv.indexOf(flag);
  return at < 0 ? undefined : process.argv[at + 1];
};

/** Writes the page of a folder; returns the exit code. */
async function writePage(folder: string, images: string | undefined): Promise<number> {
  const left = readLeft(folder);
  const page = receiptPage(left, images === undefined ? left.images : await compilersOf(images));
  const into = left.report && !isEmulated(left) ? RECEIPTS : folder;
  const path = join(into, `${receiptName(left)}.md`);
  mkdirSync(into, { recursive: true });
  writeWhole(path, page);
  if (into === RECEIPTS) saveList();
  console.log(`${path}  exit code of the run ${left.code ?? 'none'}`);
  return left.report ? (left.code ?? 1) : left.code || 1;
}

/** What compiled the images of a folder. */
async function compilersOf(folder: string): Promise<string> {
  const { images } = await Bun.file(join(folder, INDEX_FILE)).json();
  return [...new Set(images.map(({ compiler }: { readonly compiler: string }) => compiler))].join(', ');
}

const saveList = (): void => writeWhole(join(RECEIPTS, 'README.md'), receiptList(RECEIPTS));

/** Runs a command in the project's folder, its output shown; its exit code, null where it was ended. */
async function run(
  command: readonly string[],
  limitS: number,
  env: Record<string, string> = {},
): Promise<number | null> {
  const child = Bun.spawn([...command], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: limitS * 1000,
  });
  await child.exited;
  return child.exitCode;
}

/** The program, built where it is not up to date. */
async function build(): Promise<string> {
  const built = await run([process.execPath, 'scripts/build.ts'], ALL_S - REST_S - RUN_LEAST_S);
  if (built === 0) return PROGRAM;
  throw new Error(
    'The program is not built, or not in the time.\n  Build it before, on any machine, and name it by --program.',
  );
}

async function main(): Promise<number> {
  const begun = performance.now();
  const images = valueOf('--images');
  const from = valueOf('--from');
  if (from !== undefined) return writePage(from, images);
  const [found] = await findDevices(['cuda']);
  if (!found || found.devices.length === 0) {
    console.log(`NOT RUN  no NVIDIA GPU: ${found?.why ?? 'none was looked for'}`);
    saveList();
    return 0;
  }
  const program = valueOf('--program') ?? (await build());
  const leftS = Math.floor(ALL_S - REST_S - (performance.now() - begun) / 1000);
  const folder = join(ROOT, 'build/gpu-receipt');
  const limits = { RECEIPT_RUN_S: String(leftS), RECEIPT_TOOL_S: String(TOOL_S) };
  const flags = images === undefined ? [] : ['--images', images];
  await run(['sh', join(import.meta.dir, 'receipt/run.sh'), program, folder, ...flags], leftS + REST_S, limits);
  return writePage(folder, images);
}

process.exitCode = await main();
