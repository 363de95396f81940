/** What an executable must be before it is released; each throws an Error that says what is not so. */
import { existsSync, readFileSync } from 'node:fs';
import { MACHINE } from '../../src/audit/images/elf.ts';
import { buildShim, shimsOf } from '../../src/device/shims/build.ts';
import { buildRuntime } from '../../src/device/toolchain/runtime.ts';
import { ownPlatform, type Platform, processorOf } from '../../src/device/toolchain/target.ts';
import { DIALECTS } from '../../src/families/formula/functions.ts';
import { VERSION } from '../../src/cli/version.ts';
import { checkMachO } from './macho.ts';

/** The C library of Linux on arm64, as Debian's libc6-arm64-cross has it. */
export const ARM64_ROOT = '/usr/aarch64-linux-gnu';

/** Checks it, and runs it where this machine can; returns what was checked. */
export async function checkExecutable(platform: Platform, path: string): Promise<string> {
  const bytes = new Uint8Array(readFileSync(path));
  const checked = platform === 'darwin-arm64' ? await checkDarwin(bytes) : checkLinux(bytes, platform);
  return `${checked}, ${run(platform, path)}`;
}

function checkLinux(bytes: Uint8Array, platform: Platform): string {
  const machine = processorOf(platform) === 'x64' ? MACHINE.x86_64 : MACHINE.arm64;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(0) !== 0x7f454c46 || view.getUint16(18, true) !== machine)
    throw new Error(`the executable for ${platform} is no ELF file for its processor`);
  return 'ELF';
}

/** The executable, and each library that it holds. */
async function checkDarwin(bytes: Uint8Array): Promise<string> {
  const libraries = [await buildRuntime('darwin-arm64')];
  for (const dialect of shimsOf('darwin-arm64')) libraries.push(await buildShim(dialect, 'darwin-arm64'));
  const found = [bytes, ...libraries].map(checkMachO);
  for (const library of libraries)
    if (Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(library) < 0)
      throw new Error('the executable does not hold a library as it was signed');
  return `${found.reduce((sum, { pages }) => sum + pages, 0)} signed pages of ${found.length} files`;
}

/** What is run of a kernel, in every dialect: its image in each mode, in steps and as fibers, in several orders of threads. */
const KERNEL = ['--only', 'row_sum', '--gate', 'repeat', '--no-controls', '--device', 'host', '--quiet'];

/** Runs it, on this machine or on its emulator; says where neither can. */
function run(platform: Platform, path: string): string {
  const command = runner(platform);
  if (!command) return 'not run here';
  const { length } = DIALECTS;
  said([...command, path, '--version'], (text) => text.includes(` ${VERSION} `) && text.includes(platform));
  said([...command, path, ...KERNEL], (text) => text.includes(`SUMMARY ${length} kernels: ${length} pass gate 2, `));
  return `runs a kernel in ${length} dialects`;
}

/** Throws unless the command ends well and says what is right. */
function said(command: readonly string[], isRight: (text: string) => boolean): void {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command]);
  if (exitCode === 0 && isRight(stdout.toString())) return;
  throw new Error(`${command.join(' ')} ended with ${exitCode}: ${stdout.toString()}${stderr.toString()}`);
}

/** What a platform's executable is called by here; none where it cannot run. */
export function runner(platform: Platform): string[] | undefined {
  if (platform === ownPlatform()) return [];
  const qemu = Bun.which('qemu-aarch64-static') ?? Bun.which('qemu-aarch64');
  const canEmulate = platform === 'linux-arm64' && qemu !== null && existsSync(ARM64_ROOT);
  return canEmulate ? [qemu, '-L', ARM64_ROOT] : undefined;
}
