/** One executable for one platform, with all that it embeds. */
import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packFolder } from '../../src/device/image-folder.ts';
import { compilingStore, EMBEDDED } from '../../src/device/store.ts';
import { buildRuntime } from '../../src/device/toolchain/runtime.ts';
import { type Platform, processorOf } from '../../src/device/toolchain/target.ts';
import { readFolder } from '../../src/spec/folder.ts';
import { loadKernels } from '../../src/spec/load.ts';
import { buildExecutable } from './executable.ts';
import { writeImages, writeShims } from './images.ts';
import { imageRequests } from './requests.ts';

export const ROOT = join(import.meta.dir, '../..');

/** The commit the build is from, marked where files differ from it. */
export function commitName(): string {
  const { exitCode, stdout } = Bun.spawnSync(['git', 'describe', '--always', '--dirty'], {
    cwd: ROOT,
    stderr: 'ignore',
  });
  return exitCode === 0 ? stdout.toString().trim() : 'unknown';
}

/** The day of that commit, so that building it again gives the same bytes. */
export function commitDate(): string {
  const { exitCode, stdout } = Bun.spawnSync(['git', 'log', '-1', '--format=%cs'], { cwd: ROOT, stderr: 'ignore' });
  return exitCode === 0 ? stdout.toString().trim() : '1970-01-01';
}

/** Builds it; returns how many images it holds. */
export async function buildFor(platform: Platform, outfile: string): Promise<number> {
  const stage = join(ROOT, `build/host/stage-${process.pid}-${platform}`);
  const embedded = join(stage, EMBEDDED);
  try {
    const images = await stageImages(embedded, platform);
    mkdirSync(dirname(outfile), { recursive: true });
    await buildExecutable({ root: ROOT, embedded, outfile, commit: commitName(), date: commitDate(), platform });
    return images;
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/** An image that does not compile is told, and becomes a failure of its kernel at run time. */
async function stageImages(folder: string, platform: Platform): Promise<number> {
  const kernels = join(ROOT, 'kernels');
  await writeShims(folder, platform);
  const gpu = process.env['TF_GPU_IMAGES'];
  if (gpu !== undefined) packFolder(gpu, folder);
  const listing = await readFolder(kernels);
  const requests = imageRequests(loadKernels(listing), listing.sources);
  console.log(`${requests.size} images for ${platform}: minutes where none is compiled yet`);
  const store = compilingStore(kernels, processorOf(platform));
  const errors = await writeImages(folder, await buildRuntime(platform), requests, store);
  for (const [error, count] of errors) console.error(`${count} images do not compile:\n${error}`);
  return requests.size - [...errors.values()].reduce((a, b) => a + b, 0);
}
