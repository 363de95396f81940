/**
 * A shim, opened: the C functions of ffi/shim.h as typed functions that throw a DeviceError. Buffers that C writes into
 * have an ArrayBuffer of their own, since a small typed array without one may move.
 */

import { dlopen, FFIType } from 'bun:ffi';
import { closeSync, writeSync } from 'node:fs';
import { ABI_VERSION, ARGUMENTS_MAX, EXTENTS_MAX, FAILURES, LaunchBlock, type LaunchFlags, SYMBOLS } from './abi.ts';
import { DeviceError, type DeviceLaunch } from './device.ts';
import { privateFile, privateFolders } from './private-file.ts';

/** A shim's file, or its bytes: of those a file is left in a folder of the user's own where the system has none in memory. */
export type ShimSource = { readonly path: string } | { readonly bytes: Uint8Array };

/** A kernel's attributes as the device reports them, a GPU's not checked yet; what its driver does not tell is absent. */
export interface KernelAttributes {
  readonly max_threads?: number;
  readonly static_local_bytes?: number;
  readonly arguments?: number;
  /** A thread. */
  readonly registers?: number;
  readonly spill_bytes?: number;
  readonly warp?: number;
  /** Lanes of a warp that the source requires; 0 for none. */
  readonly required_warp?: number;
  /** The most that a launch may ask for. */
  readonly max_dynamic_local_bytes?: number;
  /** Host device: words of 32 bits; none where the image does not note its functions. */
  readonly functions?: readonly number[];
}

type Sides = readonly [x: number, y: number, z: number];

/** A device's description of itself; what its driver does not tell is absent. */
export interface DeviceInfo {
  readonly name: string;
  readonly driver: string;
  /** `sm_90`, `gfx1100`, `pvc`, `M1` */
  readonly chip?: string;
  /** A group. */
  readonly max_threads: number;
  readonly max_group?: Sides;
  readonly max_grid?: Sides;
  readonly warp?: number;
  /** A group. */
  readonly registers?: number;
  /** A group, by default and by opt-in. */
  readonly local_bytes: number;
  readonly local_bytes_optin?: number;
  readonly multiprocessors?: number;
  readonly memory_bytes?: number;
}

type Symbols = ReturnType<typeof openLibrary>['symbols'];

/** Opens a shim; throws a DeviceError 'absent' where it cannot be loaded or speaks another ABI. */
export function openShim(source: ShimSource): Shim {
  const { symbols } = 'path' in source ? openLibrary(source.path) : openBytes(source.bytes);
  const version = symbols.tf_abi_version();
  if (version === ABI_VERSION) return new Shim(symbols);
  throw new DeviceError(
    'absent',
    `the shim speaks version ${version} of ffi/shim.h, this harness ${ABI_VERSION}; build it again`,
  );
}

/** The functions of one shim. Handles and addresses are numbers: they are below 2^53. */
export class Shim {
  private readonly handle = new BigUint64Array(new ArrayBuffer(8));
  private readonly text = new Uint8Array(new ArrayBuffer(4096));
  private readonly block = new LaunchBlock();

  constructor(private readonly symbols: Symbols) {}

  open(index: number): number {
    this.check(0, this.symbols.tf_open(index, this.handle));
    return this.taken();
  }

  /** The device's own description. */
  info(device: number): DeviceInfo {
    this.check(device, this.symbols.tf_info(device, this.text, this.text.length));
    return JSON.parse(this.textRead()) as DeviceInfo;
  }

  alloc(device: number, bytes: number): number {
    this.check(device, this.symbols.tf_alloc(device, bytes, this.handle));
    return this.taken();
  }

  free(device: number, buffer: number): void {
    this.check(device, this.symbols.tf_free(device, buffer));
  }

  upload(device: number, address: number, from: Uint8Array): void {
    if (from.length > 0) this.check(device, this.symbols.tf_upload(device, address, from, from.length));
  }

  download(device: number, address: number, into: Uint8Array): void {
    if (into.length > 0) this.check(device, this.symbols.tf_download(device, address, into, into.length));
  }

  fill(device: number, address: number, word: number, bytes: number): void {
    this.check(device, this.symbols.tf_fill(device, address, word >>> 0, bytes));
  }

  load(device: number, image: Uint8Array): number {
    this.check(device, this.symbols.tf_load(device, image, image.length, this.handle));
    return this.taken();
  }

  unload(device: number, module: number): void {
    this.check(device, this.symbols.tf_unload(device, module));
  }

  kernel(device: number, module: number, symbol: string): { handle: number; attributes: KernelAttributes } {
    const name = Buffer.from(`${symbol}\0`);
    const { text, handle } = this;
    this.check(device, this.symbols.tf_kernel(device, module, name, handle, text, text.length));
    return { handle: this.taken(), attributes: JSON.parse(this.textRead()) as KernelAttributes };
  }

  launch(device: number, launch: DeviceLaunch, flags: LaunchFlags): void {
    if (launch.arguments.length > ARGUMENTS_MAX) {
      throw new DeviceError(
        'bad-argument',
        `launch: ${launch.arguments.length} arguments; at most ${ARGUMENTS_MAX} can be passed`,
      );
    }
    const extents = launch.check?.extents?.length ?? 0;
    if (extents > EXTENTS_MAX)
      throw new DeviceError('bad-argument', `launch: ${extents} extents; at most ${EXTENTS_MAX} can be passed`);
    this.check(device, this.symbols.tf_launch(device, this.block.write(launch, flags)));
  }

  wait(device: number, limitMs: number): void {
    this.check(device, this.symbols.tf_wait(device, Math.round(limitMs * 1e6)));
  }

  close(device: number): void {
    this.check(device, this.symbols.tf_close(device));
  }

  private check(device: number, status: number): void {
    if (status === 0) return;
    this.symbols.tf_error(device, this.text, this.text.length);
    throw new DeviceError(FAILURES[status] ?? 'lost', this.textRead() || `the shim returned status ${status}`);
  }

  private taken(): number {
    return Number(this.handle[0]);
  }

  private textRead(): string {
    const end = this.text.indexOf(0);
    return new TextDecoder().decode(this.text.slice(0, end < 0 ? this.text.length : end));
  }
}

// --- loading ---

function openLibrary(path: string) {
  try {
    return dlopen(path, SYMBOLS);
  } catch (error) {
    throw new DeviceError('absent', `the shim ${path} does not load: ${(error as Error).message}`);
  }
}

/** No file is left behind where the system has files in memory alone, and lets them run. */
function openBytes(bytes: Uint8Array): ReturnType<typeof openLibrary> {
  const descriptor = process.platform === 'linux' ? memoryFile() : -1;
  if (descriptor < 0) return openFirst(bytes, privateFolders());
  try {
    for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done);
    return openLibrary(`/proc/self/fd/${descriptor}`); // stays open: its path must stay this library's
  } catch {
    closeSync(descriptor);
    return openFirst(bytes, privateFolders());
  }
}

/** Opens a library from a file in the first of the folders that takes it and lets it run; throws a DeviceError 'absent'. */
export function openFirst(bytes: Uint8Array, folders: readonly string[]): ReturnType<typeof openLibrary> {
  const faults: string[] = [];
  for (const folder of folders) {
    try {
      return openLibrary(privateFile(folder, bytes));
    } catch (error) {
      faults.push(`  ${(error as Error).message}`);
    }
  }
  throw new DeviceError(
    'absent',
    `the shim does not load from any folder:\n${faults.join('\n')}\n  Set TF_CACHE_DIR to a folder of yours that programs may run from.`,
  );
}

const LIBC = ['libc.so.6', `libc.musl-${process.arch === 'x64' ? 'x86_64' : 'aarch64'}.so.1`];
const CLOSE_ON_EXEC = 1;

/** A file that exists in memory alone; -1 where the system has none. */
function memoryFile(): number {
  for (const name of LIBC) {
    try {
      const { symbols } = dlopen(name, {
        memfd_create: { args: [FFIType.cstring, FFIType.u32], returns: FFIType.i32 },
      });
      return symbols.memfd_create(Buffer.from('tf-shim\0'), CLOSE_ON_EXEC);
    } catch {
      // not this system's C library
    }
  }
  return -1;
}
