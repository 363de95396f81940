/**
 * What a gate may ask of a device, the same for the host device and every GPU. Addresses are plain numbers: a buffer's
 * address plus an offset inside it is a valid argument of a launch.
 */

import type { LoadedAttributes } from './gpu-info.ts';

export type DeviceKind = 'host' | 'cuda' | 'hip' | 'metal' | 'xpu';

/** Why a launch or a call failed; the words of ffi/shim.h's TfStatus. */
export type DeviceFailure =
  'absent' | 'bad-argument' | 'bad-image' | 'no-memory' | 'fault' | 'divergence' | 'timeout' | 'lost' | CheckFailure;

/** What only a check image's launch fails by. */
export type CheckFailure = (typeof CHECK_FAILURES)[number];
const CHECK_FAILURES = ['race', 'uninitialised', 'bounds', 'misaligned', 'input'] as const;
export const isCheckFailure = (failure: DeviceFailure): failure is CheckFailure =>
  CHECK_FAILURES.some((one) => one === failure);

/** A failed call of a shim: its status as a word, and the device's own text as the message. */
export class DeviceError extends Error {
  constructor(
    readonly failure: DeviceFailure,
    message: string,
  ) {
    super(message);
    this.name = 'DeviceError';
  }
}

/** Device memory of `bytes` bytes at `address`. */
export interface DeviceBuffer {
  readonly address: number;
  readonly bytes: number;
}

/** A loaded image. */
export interface DeviceModule {
  readonly handle: number;
}

/** A kernel of a loaded image, with the attributes the device reports for it. */
export interface DeviceKernel {
  readonly handle: number;
  readonly symbol: string;
  /** The most threads a group may have by the kernel's own launch bound; 0 where it has none. */
  readonly maxThreads: number;
  readonly staticLocalBytes: number;
  /** Host device: lanes of a warp. */
  readonly warp?: number;
  /** Host device: lanes of a warp that the source requires; 0 for none. */
  readonly requiredWarp?: number;
  /** Host device: the functions that the module's last launch called, by number, in an image that notes it. */
  readonly functions?: readonly number[];
  /** A GPU's: what its driver tells of the loaded kernel. */
  readonly loaded?: LoadedAttributes;
}

export type LaunchArgument =
  | { readonly kind: 'buffer'; readonly address: number }
  | { readonly kind: 'u32'; readonly value: number }
  | { readonly kind: 'i32'; readonly value: number }
  | { readonly kind: 'f32'; readonly value: number }
  | { readonly kind: 'local'; readonly bytes: number };

/** Bytes of a buffer, and what a launch may do with them: `read` an input, find an output `written` first, or both. */
export interface Extent {
  readonly address: number;
  readonly bytes: number;
  readonly access: 'read' | 'written' | 'updated';
  /** For reports. */
  readonly name: string;
}

/** How a check image runs. */
export interface CheckOptions {
  /** Another thread may run after any access, by the schedule. */
  readonly preempt?: boolean;
  /** A warp's lanes take turns at local memory, and do not race with each other. */
  readonly lockstep?: boolean;
  /** Only a warp's barrier orders its accesses to memory; its other collectives do not. */
  readonly strictWarps?: boolean;
  /** What the launch may touch; a buffer in none of these may be read and written, all of it. */
  readonly extents?: readonly Extent[];
}

export interface DeviceLaunch {
  readonly kernel: DeviceKernel;
  readonly arguments: readonly LaunchArgument[];
  /** Groups in x, y and z. */
  readonly grid: readonly [number, number, number];
  /** Threads a group in x, y and z. */
  readonly group: readonly [number, number, number];
  readonly dynamicLocalBytes: number;
  /** Groups a cluster; 0 for none. */
  readonly cluster: number;
  /**
   * Host device: 0 runs threads and groups in index order, any other value seeds another legal order; in that of 1 and 2 the
   * first and the last warp that can run goes on for as long as it can. GPUs ignore it.
   */
  readonly schedule: number;
  /** Host device: the word that fills local memory before every group. GPUs ignore it. */
  readonly localPoison: number;
  /** Host device: for the launch of a check image. */
  readonly check?: CheckOptions;
  /** fp32 subnormals are zero, as operands and as results. On a GPU this is its compiler's to say. */
  readonly flushDenormals?: boolean;
  /** Host device, images whose functions may be off: 0 exact, 1 and 2 every result at its upper and lower limit, else a seed. */
  readonly ulps?: number;
}

export interface Device {
  readonly kind: DeviceKind;
  /** The device's own name, for output. */
  readonly name: string;
  /** How often it was opened anew: what was allocated or loaded before is gone with the opening that it was of. */
  readonly generation: number;
  alloc(bytes: number): DeviceBuffer;
  free(buffer: DeviceBuffer): void;
  upload(address: number, from: Uint8Array): void;
  download(address: number, into: Uint8Array): void;
  /** Fills `bytes` bytes with a repeated 32-bit word. */
  fill(address: number, word: number, bytes: number): void;
  load(image: Uint8Array): DeviceModule;
  unload(module: DeviceModule): void;
  kernel(module: DeviceModule, symbol: string): DeviceKernel;
  /** Queues a launch. */
  launch(launch: DeviceLaunch): void;
  /** Runs what was queued to its end; throws a DeviceError of the kernel's failure, after which the device is usable. */
  wait(limitMs: number): void;
  close(): void;
}
