/** ffi/shim.h for bun:ffi: its functions and structs, line by line. Nothing else of the harness knows an offset. */

import { FFIType, ptr } from 'bun:ffi';
import type { CheckOptions, DeviceFailure, DeviceLaunch, Extent, LaunchArgument } from './device.ts';

export const ABI_VERSION = 2;

/** TfStatus, by value; 0 is success. */
export const FAILURES: readonly (DeviceFailure | undefined)[] = [
  undefined,
  'absent',
  'bad-argument',
  'bad-image',
  'no-memory',
  'fault',
  'divergence',
  'timeout',
  'lost',
  'race',
  'uninitialised',
  'bounds',
  'misaligned',
  'input',
];

const { i32, u32, u64, ptr: pointer } = FFIType;

/** The functions of ffi/shim.h, in its order. */
export const SYMBOLS = {
  tf_abi_version: { args: [], returns: u32 },
  tf_open: { args: [u32, pointer], returns: i32 },
  tf_info: { args: [u64, pointer, u64], returns: i32 },
  tf_alloc: { args: [u64, u64, pointer], returns: i32 },
  tf_free: { args: [u64, u64], returns: i32 },
  tf_upload: { args: [u64, u64, pointer, u64], returns: i32 },
  tf_download: { args: [u64, u64, pointer, u64], returns: i32 },
  tf_fill: { args: [u64, u64, u32, u64], returns: i32 },
  tf_load: { args: [u64, pointer, u64, pointer], returns: i32 },
  tf_unload: { args: [u64, u64], returns: i32 },
  tf_kernel: { args: [u64, u64, pointer, pointer, pointer, u64], returns: i32 },
  tf_launch: { args: [u64, pointer], returns: i32 },
  tf_wait: { args: [u64, u64], returns: i32 },
  tf_close: { args: [u64], returns: i32 },
  tf_error: { args: [u64, pointer, u64], returns: i32 },
} as const;

const FLUSH_DENORMALS = 1;
const COOPERATIVE = 2;
const PREEMPT = 4;
const LOCKSTEP = 8;
const STRICT_WARPS = 16;

const ACCESS: Readonly<Record<Extent['access'], number>> = { read: 0, written: 1, updated: 2 };

const BUFFER = 0;
const BYTES = 1;
const LOCAL = 2;

const LAUNCH_BYTES = 88;
const ARGUMENT_BYTES = 16;
export const ARGUMENTS_MAX = 64;
const EXTENT_BYTES = 64;
const EXTENT_NAME_BYTES = 43;
export const EXTENTS_MAX = 64;

/** What a launch asks of the device beyond DeviceLaunch. */
export interface LaunchFlags {
  /** All groups are resident at once, so that they may wait for each other. */
  readonly cooperative?: boolean;
}

const EXTENTS_AT = LAUNCH_BYTES + ARGUMENTS_MAX * ARGUMENT_BYTES;
const BLOCK_BYTES = EXTENTS_AT + EXTENTS_MAX * EXTENT_BYTES;

/** A TfLaunch with its arguments and extents behind it, in memory that does not move. */
export class LaunchBlock {
  private readonly bytes = new Uint8Array(new ArrayBuffer(BLOCK_BYTES));
  private readonly view = new DataView(this.bytes.buffer);

  /** The struct for `launch`; valid until the next call. */
  write(launch: DeviceLaunch, flags: LaunchFlags): Uint8Array {
    const { view } = this;
    view.setBigUint64(0, BigInt(launch.kernel.handle), true);
    view.setBigUint64(8, BigInt(ptr(this.bytes, LAUNCH_BYTES)), true);
    view.setUint32(16, launch.arguments.length, true);
    view.setUint32(20, launch.dynamicLocalBytes, true);
    for (let i = 0; i < 3; i++) {
      view.setUint32(24 + 4 * i, launch.grid[i] ?? 1, true);
      view.setUint32(36 + 4 * i, launch.group[i] ?? 1, true);
    }
    view.setUint32(48, launch.cluster, true);
    view.setUint32(52, flagBits(launch, flags) | checkBits(launch.check), true);
    view.setBigUint64(56, BigInt(launch.schedule), true);
    view.setUint32(64, launch.localPoison, true);
    const extents = launch.check?.extents ?? [];
    view.setUint32(68, extents.length, true);
    view.setBigUint64(72, BigInt(ptr(this.bytes, EXTENTS_AT)), true);
    view.setUint32(80, launch.ulps ?? 0, true);
    extents.forEach((extent, i) => this.writeExtent(EXTENTS_AT + i * EXTENT_BYTES, extent));
    launch.arguments.forEach((argument, i) => this.writeArgument(LAUNCH_BYTES + i * ARGUMENT_BYTES, argument));
    return this.bytes;
  }

  private writeExtent(at: number, { address, bytes, access, name }: Extent): void {
    const { view } = this;
    view.setBigUint64(at, BigInt(address), true);
    view.setBigUint64(at + 8, BigInt(bytes), true);
    view.setUint32(at + 16, ACCESS[access], true);
    this.bytes.fill(0, at + 20, at + EXTENT_BYTES);
    new TextEncoder().encodeInto(name, this.bytes.subarray(at + 20, at + 20 + EXTENT_NAME_BYTES));
  }

  private writeArgument(at: number, argument: LaunchArgument): void {
    const { view } = this;
    view.setUint32(at, argument.kind === 'buffer' ? BUFFER : argument.kind === 'local' ? LOCAL : BYTES, true);
    view.setUint32(at + 4, argument.kind === 'buffer' ? 8 : argument.kind === 'local' ? argument.bytes : 4, true);
    view.setBigUint64(at + 8, 0n, true);
    switch (argument.kind) {
      case 'buffer':
        return view.setBigUint64(at + 8, BigInt(argument.address), true);
      case 'u32':
        return view.setUint32(at + 8, argument.value, true);
      case 'i32':
        return view.setInt32(at + 8, argument.value, true);
      case 'f32':
        return view.setFloat32(at + 8, argument.value, true);
      case 'local':
        return;
    }
  }
}

function checkBits({ preempt, lockstep, strictWarps }: CheckOptions = {}): number {
  return (preempt ? PREEMPT : 0) | (lockstep ? LOCKSTEP : 0) | (strictWarps ? STRICT_WARPS : 0);
}

function flagBits({ flushDenormals }: DeviceLaunch, { cooperative }: LaunchFlags): number {
  return (flushDenormals ? FLUSH_DENORMALS : 0) | (cooperative ? COOPERATIVE : 0);
}
