/** A device behind a shim: what the host device and every GPU have in common. */
import type { LaunchFlags } from './abi.ts';
import type { Device, DeviceBuffer, DeviceKernel, DeviceKind, DeviceLaunch, DeviceModule } from './device.ts';
import { DeviceError } from './device.ts';
import type { Shim } from './shim.ts';

export abstract class ShimDevice implements Device {
  abstract readonly kind: DeviceKind;
  abstract readonly name: string;
  private isOpen = true;

  constructor(
    protected readonly shim: Shim,
    protected handle: number,
  ) {}

  get generation(): number {
    return 0;
  }

  /** Device memory; on the host device it ends against an inaccessible page, and a multiple of 256 bytes starts at one too. */
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

  abstract kernel(module: DeviceModule, symbol: string): DeviceKernel;

  launch(launch: DeviceLaunch & LaunchFlags): void {
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

  /** The open handle; a DeviceError where the device is closed. */
  protected use(): number {
    if (!this.isOpen) throw new DeviceError('lost', `the ${this.kind} device is closed`);
    return this.handle;
  }
}
