/** Builds dist/tf-kernel-contract, unless the one there was made from the same files. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compilingStore, EMBEDDED } from '../src/device/store.ts';
import { hashOf, hashOfFolder } from '../src/device/toolchain/cache.ts';
import { findClang } from '../src/device/toolchain/clang.ts';
import { buildRuntime } from '../src/device/toolchain/runtime.ts';
import { readFolder } from '../src/spec/folder.ts';
import { loadKernels } from '../src/spec/load.ts';
import { tell } from '../src/cli/errors.ts';
import { buildExecutable } from './binary/executable.ts';
import { writeImages, writeShims } from './binary/images.ts';
import { imageRequests } from './binary/requests.ts';

const ROOT = join(import.meta.dir, '..');
const OUTFILE = join(ROOT, 'dist/tf-kernel-contract');
const STAMP = join(ROOT, 'build/host/executable.hash');

/** The commit the build is from, marked where files differ from it. */
function commitName(): string {
  const { exitCode, stdout } = Bun.spawnSync(['git', 'describe', '--always', '--dirty'], {
    cwd: ROOT,
    stderr: 'ignore',
  });
  return exitCode === 0 ? stdout.toString().trim() : 'unknown';
}

async function inputsHash(commit: string): Promise<string> {
  const folders = ['src', 'ffi', 'kernels', 'records', 'scripts'].map((name) => hashOfFolder(join(ROOT, name)));
  const files = ['package.json', 'package-lock.json'].map((name) => readFileSync(join(ROOT, name)));
  return hashOf(commit, Bun.version, (await findClang()).version, ...folders, ...files);
}

async function build(): Promise<void> {
  const from = performance.now();
  const commit = commitName();
  const hash = await inputsHash(commit);
  if (existsSync(OUTFILE) && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === hash) return;
  const stage = join(ROOT, `build/host/stage-${process.pid}`);
  try {
    const images = await stageImages(join(stage, EMBEDDED));
    mkdirSync(join(ROOT, 'dist'), { recursive: true });
    await buildExecutable({ root: ROOT, embedded: join(stage, EMBEDDED), outfile: OUTFILE, commit });
    writeFileSync(STAMP, hash);
    console.log(`dist/tf-kernel-contract  ${images} images  ${((performance.now() - from) / 1000).toFixed(1)} s`);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/** An image that does not compile is told, and becomes a failure of its kernel at run time. */
async function stageImages(folder: string): Promise<number> {
  await writeShims(folder);
  const listing = await readFolder(join(ROOT, 'kernels'));
  const requests = imageRequests(loadKernels(listing), listing.sources);
  const errors = await writeImages(folder, await buildRuntime(), requests, compilingStore(join(ROOT, 'kernels')));
  for (const [error, count] of errors) console.error(`${count} images do not compile:\n${error}`);
  return requests.size - [...errors.values()].reduce((a, b) => a + b, 0);
}

try {
  await build();
} catch (error) {
  const { text, code } = tell(error);
  console.error(text);
  process.exitCode = code;
}
