/** Builds the emulated drivers, each in a folder with the host device's runtime that it runs kernels on. */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { hashOf, hashOfFolder, publish, temporaryBeside, writeWhole } from '../../src/device/toolchain/cache.ts';
import { findClang } from '../../src/device/toolchain/clang.ts';
import { CACHE_FOLDER } from '../../src/device/toolchain/flags.ts';
import { run } from '../../src/device/processes/process.ts';
import { buildRuntime } from '../../src/device/toolchain/runtime.ts';
import { ownPlatform, type Platform } from '../../src/device/toolchain/target.ts';

const ROOT = join(import.meta.dir, '../..');

const FLAGS = [
  '-std=c++17',
  '-O2',
  '-fPIC',
  '-fvisibility=hidden',
  '-fno-exceptions',
  '-fno-rtti',
  '-fno-threadsafe-statics',
  '-Wall',
  '-Wextra',
  '-fno-color-diagnostics',
  '-shared',
  '-nostdlib',
  '-fuse-ld=lld',
  '-Wl,-Bsymbolic,-z,now,-z,noexecstack',
  `-I${ROOT}`,
  `-I${join(ROOT, 'ffi/host')}`,
];

const LIBRARY = { cuda: 'libcuda.so.1', hip: 'libamdhip64.so', xpu: 'libze_loader.so.1', metal: 'Metal' } as const;
export type Emulated = keyof typeof LIBRARY;

/** Which functions a driver has: all, or what one of some years ago had. */
export type Age = 'new' | 'old';

const sourcesIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.cpp'))
    .sort()
    .map((name) => join(folder, name));

const ARM64 = [
  '--target=aarch64-linux-gnu',
  '-mno-outline-atomics',
  '-nostdlibinc',
  '-isystem/usr/aarch64-linux-gnu/include',
];
const targetOf = (platform: Platform): string[] =>
  platform === 'linux-arm64' && platform !== ownPlatform() ? ARM64 : [];

/** The path of a dialect's emulated driver, built or found built before. */
export async function buildDriver(
  dialect: Emulated,
  age: Age = 'new',
  platform: Platform = ownPlatform(),
): Promise<string> {
  const clang = await findClang();
  const runtime = await buildRuntime(platform);
  const flags = [...FLAGS, ...(age === 'old' ? ['-DTF_OLD_DRIVER'] : []), ...targetOf(platform)];
  const folders = ['common', dialect].map((name) => join(import.meta.dir, name));
  const headers = [...new Bun.Glob('ffi/{shim,*_driver}.h').scanSync({ cwd: ROOT })]
    .toSorted()
    .map((name) => readFileSync(join(ROOT, name)));
  const hashes = [...folders, join(ROOT, 'ffi/host')].map(hashOfFolder);
  const key = hashOf(runtime, clang.version, ...flags, ...hashes, ...headers).slice(0, 16);
  const path = join(CACHE_FOLDER, `driver-${dialect}-${key}`, LIBRARY[dialect]);
  if (existsSync(path)) return path;
  const temporary = temporaryBeside(path);
  const { code, stderr } = await run([clang.path, ...flags, ...folders.flatMap(sourcesIn), '-o', temporary]);
  if (code !== 0) {
    rmSync(temporary, { force: true });
    throw new Error(`the emulated driver of ${dialect} does not compile\n${stderr}`);
  }
  writeWhole(join(path, '../runtime.so'), runtime);
  publish(temporary, path);
  return path;
}
