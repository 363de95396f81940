/**
 * Builds the executable. `--single`, which is also what no flag asks for: dist/tf-kernel-contract, for this platform, unless the one there
 * was made from the same files. `--release [PLATFORM...]`: dist/release, as scripts/release/ says.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tell, UsageError } from '../src/cli/errors.ts';
import { INDEX_FILE } from '../src/device/image-folder.ts';
import { hashOf, hashOfFolder } from '../src/device/toolchain/cache.ts';
import { findClang } from '../src/device/toolchain/clang.ts';
import { isPlatform, ownPlatform, PLATFORMS } from '../src/device/toolchain/target.ts';
import { buildFor, commitName, ROOT } from './binary/build-for.ts';
import { buildRelease } from './release/release.ts';

const OUTFILE = join(ROOT, 'dist/tf-kernel-contract');
const STAMP = join(ROOT, 'build/host/executable.hash');

async function inputsHash(commit: string): Promise<string> {
  const folders = ['src', 'ffi', 'kernels', 'records', 'scripts'].map((name) => hashOfFolder(join(ROOT, name)));
  const gpu = process.env['TF_GPU_IMAGES']; // a folder that --offline DIR made, whose images go into the executable
  const paths = ['package.json', 'package-lock.json'].map((name) => join(ROOT, name));
  const files = [...paths, ...(gpu === undefined ? [] : [join(gpu, INDEX_FILE)])].map((path) => readFileSync(path));
  return hashOf(commit, Bun.version, (await findClang()).version, ...folders, ...files);
}

async function buildSingle(): Promise<void> {
  const from = performance.now();
  const hash = await inputsHash(commitName());
  if (existsSync(OUTFILE) && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === hash) return;
  const images = await buildFor(ownPlatform(), OUTFILE);
  mkdirSync(dirname(STAMP), { recursive: true });
  writeFileSync(STAMP, hash);
  console.log(`dist/tf-kernel-contract  ${images} images  ${((performance.now() - from) / 1000).toFixed(1)} s`);
}

async function main([flag = '--single', ...names]: readonly string[]): Promise<void> {
  const isSingle = flag === '--single' && names.length === 0;
  if (!isSingle && (flag !== '--release' || !names.every(isPlatform)))
    throw new UsageError(`build.ts takes --single, or --release and of ${PLATFORMS.join(', ')} those to build.`);
  await (isSingle ? buildSingle() : buildRelease(names.length === 0 ? PLATFORMS : names.filter(isPlatform)));
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  const { text, code } = tell(error);
  console.error(text);
  process.exitCode = code;
}
