/**
 * The host device: kernels run on this processor, under the orders and with the memory behaviour that a launch asks
 * for. What it shows is the source's arithmetic, order and accesses, not a GPU's compiler or units.
 */

import type { LaunchFlags } from './abi.ts';
import {
  type Device,
  type DeviceBuffer,
  DeviceError,
  type DeviceKernel,
  type DeviceLaunch,
  type DeviceModule,
} from './device.ts';
import { openShim, type Shim, type ShimSource } from './shim.ts';

/** A launch on the host device. */
export interface HostLaunch extends DeviceLaunch, LaunchFlags {}

/** Opens a host device over its runtime; throws a DeviceError. Several may be open, each used by one thread. */
export function openHost(runtime: ShimSource): HostDevice {
  const shim = openShim(runtime);
  return new HostDevice(shim, shim.open(0));
}

export class HostDevice implements Device {
  readonly kind = 'host';
  readonly name: string;
  private isOpen = true;

  constructor(
    private readonly shim: Shim,
    private readonly handle: number,
  ) {
    const { name, driver } = shim.info(handle);
    this.name = `${name} (${driver})`;
  }

  /** Device memory that ends against an inaccessible page; a multiple of 256 bytes starts at one too. */
  alloc(bytes: number): DeviceBuffer {
    return { address: this.shim.alloc(this.use(), bytes), bytes };
  }

  free(buffer: DeviceBuffer): void {
    this.shim.free(this.use(), buffer.address);
  }

  upload(address: number, from: Uint8Array): void {
    this.shim.upload(this.use(), address, from);
  }

  download(address: number, into: Uint8Array): void {
    this.shim.download(this.use(), address, into);
  }

  fill(address: number, word: number, bytes: number): void {
    this.shim.fill(this.use(), address, word, bytes);
  }

  load(image: Uint8Array): DeviceModule {
    return { handle: this.shim.load(this.use(), image) };
  }

  unload(module: DeviceModule): void {
    this.shim.unload(this.use(), module.handle);
  }

  /** The kernel `symbol`; its static local bytes are those of the launches that ran so far, 0 before the first. */
  kernel(module: DeviceModule, symbol: string): DeviceKernel {
    const { handle, attributes } = this.shim.kernel(this.use(), module.handle, symbol);
    const { max_threads: maxThreads = 0, static_local_bytes: staticLocalBytes = 0, functions = [] } = attributes;
    return { handle, symbol, maxThreads, staticLocalBytes, functions: bitsOf(functions) };
  }

  launch(launch: HostLaunch): void {
    this.shim.launch(this.use(), launch, launch);
  }

  /** Runs the queue to its end or until `limitMs` (0: no limit); what was queued behind a failure is dropped. */
  wait(limitMs: number): void {
    this.shim.wait(this.use(), limitMs);
  }

  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.shim.close(this.handle);
  }

  private use(): number {
    if (!this.isOpen) throw new DeviceError('lost', 'the host device is closed');
    return this.handle;
  }
}

/** The numbers of the bits that are set, in words of 32. */
const bitsOf = (words: readonly number[]): number[] =>
  words.flatMap((word, i) =>
    Array.from({ length: 32 }, (_, bit) => 32 * i + bit).filter((bit) => (word >>> (bit % 32)) & 1),
  );
