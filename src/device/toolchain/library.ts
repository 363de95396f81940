/**
 * Shared objects of the project's own C and C++, the host device's runtime and the shims of GPUs, for this platform or another. They
 * are linked to nothing: on Linux they find the C library in the process that loads them, whichever that is, and on macOS in the
 * system's one library. Headers of macOS are those of ffi/darwin, so that no SDK is needed.
 */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { hashOf, publishSealed, readSealed, temporaryBeside } from './cache.ts';
import { type Clang, findClang } from './clang.ts';
import { CACHE_FOLDER, HOST_FOLDER } from './flags.ts';
import { run } from '../processes/process.ts';
import { type Platform, ownPlatform } from './target.ts';
import { ToolchainError } from './toolchain-error.ts';

export interface LibraryParts {
  /** In messages, and what its cached file's name begins with. */
  readonly name: string;
  readonly file: string;
  readonly platform: Platform;
  /** Of the language. */
  readonly flags: readonly string[];
  readonly sources: readonly string[];
  /** A hash of the sources and all that they include. */
  readonly hash: string;
}

/** The folder of the C ABI and all that stands behind it. */
export const FFI_FOLDER = join(HOST_FOLDER, '..');

const COMMON = [
  '-O2',
  '-fPIC',
  '-fvisibility=hidden',
  '-fno-stack-protector',
  '-Wall',
  '-Wextra',
  '-fno-color-diagnostics',
  '-nostdlib',
  '-fuse-ld=lld',
];

const LINUX = ['-shared', '-Wl,-Bsymbolic,-z,now,-z,noexecstack'];

const DARWIN = join(FFI_FOLDER, 'darwin');
/** The headers of the C library for arm64, as Debian's libc6-dev-arm64-cross has them. */
const ARM64_HEADERS = '/usr/aarch64-linux-gnu/include';

/** The least processors are those of images (flags.ts): both are of one machine. */
const PLATFORM: Readonly<Record<Platform, readonly string[]>> = {
  'linux-x64': ['--target=x86_64-linux-gnu', '-march=x86-64-v3', '-fcf-protection=none', ...LINUX],
  'linux-arm64': [
    '--target=aarch64-linux-gnu',
    '-mno-outline-atomics',
    '-mbranch-protection=none',
    '-ffixed-x18', // ffi/host/switch.h keeps no value in it
    ...LINUX,
  ],
  'darwin-arm64': [
    '--target=arm64-apple-macos13',
    '-nostdlibinc',
    `-isystem${join(DARWIN, 'include')}`,
    '-dynamiclib',
    '-Wl,-install_name,@rpath/tf.dylib', // not the path where it happened to be built
    '-Wl,-no_uuid', // of the linker's own making; the code signature tells builds apart
    join(DARWIN, 'libSystem.tbd'),
  ],
};

/** The bytes of a library, built or found built before; throws a ToolchainError where it cannot be built. */
export async function buildLibrary(parts: LibraryParts): Promise<Uint8Array> {
  const clang = await findClang();
  const flags = [...parts.flags, ...COMMON, ...(await platformFlags(parts.platform, clang))];
  const key = hashOf(parts.hash, clang.version, ...flags);
  const path = join(CACHE_FOLDER, `${parts.file}-${key}.so`);
  const cached = readSealed(path);
  if (cached) return cached;
  const temporary = temporaryBeside(path);
  const { code, stderr } = await run([clang.path, ...flags, ...parts.sources, '-o', temporary]);
  if (code === 0) return publishSealed(temporary, path);
  rmSync(temporary, { force: true });
  throw new ToolchainError(`${parts.name} does not compile with clang ${clang.version}.\n${stderr}`);
}

async function platformFlags(platform: Platform, clang: Clang): Promise<string[]> {
  if (platform === ownPlatform()) return [...PLATFORM[platform]];
  if (platform === 'linux-arm64') return [...PLATFORM[platform], ...arm64Headers()];
  if (platform === 'darwin-arm64') return [...PLATFORM[platform], `--ld-path=${await darwinLinker(clang)}`];
  throw new ToolchainError(`Nothing is built for ${platform} on another platform.`);
}

function arm64Headers(): string[] {
  if (existsSync(ARM64_HEADERS)) return ['-nostdlibinc', `-isystem${ARM64_HEADERS}`];
  throw new ToolchainError(
    `No headers of Linux on arm64: ${ARM64_HEADERS} is absent.\n` +
      '  A release is built for every platform on one.\n' +
      '  Install them (apt-get install libc6-dev-arm64-cross).',
  );
}

async function darwinLinker(clang: Clang): Promise<string> {
  const path = (await run([clang.path, '-print-prog-name=ld64.lld'])).stdout.trim();
  if (path.includes('/') && existsSync(path)) return path;
  throw new ToolchainError(`No linker for macOS: ${clang.path} has no ld64.lld beside it.\n  Install lld with clang.`);
}
