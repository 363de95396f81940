/**
 * A GPU behind its shim. What breaks its context (a fault, a trap, a hang, a lost device) is thrown as the kernel's failure, after
 * the device was closed and opened again: the next launch finds a healthy one. Buffers and modules of before are gone then, and
 * freeing them is nothing.
 */
import type { LaunchFlags } from './abi.ts';
import type { DeviceBuffer, DeviceFailure, DeviceKernel, DeviceLaunch, DeviceModule } from './device.ts';
import { DeviceError } from './device.ts';
import { DeviceGone } from './device-gone.ts';
import type { Dialect } from '../families/formula/functions.ts';
import type { GpuInfo } from './gpu-info.ts';
import { readAttributes, readInfo } from './gpu-info.ts';
import type { Shim, ShimSource } from './shim.ts';
import { openShim } from './shim.ts';
import { ShimDevice } from './shim-device.ts';
import { messageOf } from '../spec/message-of.ts';

/** Bytes that a device opened anew has to give back. */
const PROBE = 256;

/** After these nothing is known of the context. */
const BREAKS: readonly DeviceFailure[] = ['fault', 'divergence', 'timeout', 'lost'];

/** Opens GPU `index` of a shim; throws a DeviceError, 'absent' where there is none. */
export function openGpu(kind: Dialect, source: ShimSource, index: number): GpuDevice {
  const shim = openShim(source);
  return new GpuDevice(kind, shim, index, shim.open(index));
}

export class GpuDevice extends ShimDevice {
  readonly info: GpuInfo;
  readonly name: string;
  /** Buffers and modules of this opening. */
  private readonly live = new Set<DeviceBuffer | DeviceModule>();
  private openings = 0;
  private isGone = false;

  constructor(
    readonly kind: Dialect,
    shim: Shim,
    private readonly index: number,
    handle: number,
  ) {
    super(shim, handle);
    this.info = readInfo(shim.info(handle));
    this.name = this.info.name;
  }

  override get generation(): number {
    return this.openings;
  }

  override alloc(bytes: number): DeviceBuffer {
    return this.kept(this.healed(() => super.alloc(bytes)));
  }

  override free(buffer: DeviceBuffer): void {
    if (this.live.delete(buffer)) this.healed(() => super.free(buffer));
  }

  override upload(address: number, from: Uint8Array): void {
    this.healed(() => super.upload(address, from));
  }

  override download(address: number, into: Uint8Array): void {
    this.healed(() => super.download(address, into));
  }

  override fill(address: number, word: number, bytes: number): void {
    this.healed(() => super.fill(address, word, bytes));
  }

  override load(image: Uint8Array): DeviceModule {
    return this.kept(this.healed(() => super.load(image)));
  }

  override unload(module: DeviceModule): void {
    if (this.live.delete(module)) this.healed(() => super.unload(module));
  }

  kernel(module: DeviceModule, symbol: string): DeviceKernel {
    const { handle, attributes } = this.healed(() => this.shim.kernel(this.use(), module.handle, symbol));
    const loaded = readAttributes(attributes);
    const { max_threads: maxThreads = 0, static_local_bytes: staticLocalBytes = 0 } = loaded;
    return { handle, symbol, maxThreads, staticLocalBytes, loaded };
  }

  override launch(launch: DeviceLaunch & LaunchFlags): void {
    this.healed(() => super.launch(launch));
  }

  override wait(limitMs: number): void {
    this.healed(() => super.wait(limitMs));
  }

  /** A device that is gone has nothing left to close. */
  override close(): void {
    if (!this.isGone) super.close();
  }

  private kept<T extends DeviceBuffer | DeviceModule>(made: T): T {
    this.live.add(made);
    return made;
  }

  /** Calls the driver. After a failure that breaks the context, the device is open anew when the failure is thrown. */
  private healed<T>(call: () => T): T {
    try {
      return call();
    } catch (error) {
      if (error instanceof DeviceError && BREAKS.includes(error.failure)) this.reopen(error);
      throw error;
    }
  }

  /** A driver may open a context in which every call fails as the last one did. */
  private probe(): void {
    const { shim, handle } = this;
    const [word, bytes] = [0x5a5a5a5a, new Uint8Array(new ArrayBuffer(PROBE))];
    const address = shim.alloc(handle, PROBE);
    shim.fill(handle, address, word, PROBE);
    shim.download(handle, address, bytes);
    shim.free(handle, address);
    if (bytes.some((byte) => byte !== 0x5a)) throw new DeviceError('lost', 'its memory does not hold what it is given');
  }

  private reopen(cause: DeviceError): void {
    this.live.clear();
    this.openings++;
    try {
      this.shim.close(this.handle);
    } catch {
      // it is gone with all that was in it; whether another opens is what counts
    }
    try {
      this.handle = this.shim.open(this.index);
      this.probe();
    } catch (error) {
      const why = messageOf(error);
      this.isGone = true;
      throw new DeviceGone(`${cause.failure}: ${cause.message}; the device does not open again: ${why}`);
    }
  }
}
