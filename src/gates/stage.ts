/**
 * One case on a device: its inputs between guards, uploaded once for all subjects, and outputs that are poisoned before every
 * run. Whatever a kernel does to them is a finding of the subject that did it, and mended before the next.
 */
import type { CheckOptions, Device, DeviceLaunch, Extent, LaunchArgument } from '../device/device.ts';
import type { GuardedBuffer } from '../device/guarded.ts';
import { GUARD_NAN, POISONS, allocGuarded, brokenGuard, fillGuards } from '../device/guarded.ts';
import type { Inputs } from '../families/inputs.ts';
import type { Shape, Tensor } from '../families/tensor.ts';
import { byteCount } from '../families/tensor.ts';
import type { Contract } from '../spec/contract.ts';
import type { Finding } from './finding.ts';
import { findingOf } from './finding.ts';
import type { Route } from './subject.ts';

export interface RunOptions {
  readonly schedule?: number;
  readonly poison?: number;
  readonly localPoison?: number;
  /** Outputs that lie on an input's buffer. */
  readonly alias?: Readonly<Record<string, string>>;
  /** Of a check image: how it runs. What it may touch is the case's own. */
  readonly check?: CheckOptions;
  /** Bytes of an output that a check image lets no thread write: it stops the first one that does. */
  readonly sealed?: { readonly output: string; readonly from: number; readonly bytes: number };
}

export type Outputs = Readonly<Record<string, Uint8Array>>;

/** Local memory before a group, by run: a NaN that no kernel makes, then words that send a branch on unset memory elsewhere. */
export const LOCAL_POISONS = [0x7fa7dead, 0, 0xffffffff, 1, 0x3c3c3c3c] as const;

/** Bytes that are read back at a time. */
const PIECE = 1 << 20;

export class Stage {
  private readonly scratch = new Uint8Array(new ArrayBuffer(PIECE));
  private readonly buffers = new Map<string, GuardedBuffer>();
  private guard = GUARD_NAN;
  private dirty = true;
  private order = 0;

  constructor(
    private readonly device: Device,
    private readonly contract: Contract,
    private inputs: Inputs,
    private readonly limitMs: number,
  ) {
    try {
      for (const [name, tensor] of this.tensors())
        this.buffers.set(name, allocGuarded(device, byteCount(tensor, this.shape)));
    } catch (error) {
      this.close();
      throw error;
    }
  }

  get shape(): Shape {
    return this.inputs.shape;
  }

  private tensors(): [string, Tensor][] {
    return Object.entries({ ...this.contract.inputs, ...this.contract.outputs });
  }

  private buffer(name: string): GuardedBuffer {
    const buffer = this.buffers.get(name);
    if (!buffer) throw new Error(`the case has no buffer ${name}`);
    return buffer;
  }

  /** Other inputs of the same shape, in the same buffers, from the next run on. */
  replace(inputs: Inputs): void {
    this.inputs = inputs;
    this.dirty = true;
  }

  /** The order of runs that name none, from now on. */
  setOrder(schedule: number): void {
    this.order = schedule;
  }

  /** What the guards hold from now on. */
  setGuards(byte: number): void {
    if (byte === this.guard && !this.dirty) return;
    this.guard = byte;
    for (const buffer of this.buffers.values()) fillGuards(this.device, buffer, byte);
  }

  private upload(): void {
    for (const name of Object.keys(this.contract.inputs)) {
      this.device.upload(this.buffer(name).address, this.inputs.bytes[name] ?? new Uint8Array(0));
    }
    this.setGuards(this.guard);
    this.dirty = false;
  }

  /** Runs a route once and returns the outputs' bytes; throws a DeviceError where the launch fails. */
  run(route: Route, options: RunOptions = {}): Outputs {
    if (this.dirty) this.upload();
    const place = (name: string): string => options.alias?.[name] ?? name;
    for (const name of Object.keys(this.contract.outputs)) {
      if (place(name) === name)
        this.device.fill(this.buffer(name).address, options.poison ?? POISONS[0], this.buffer(name).bytes);
      else this.dirty = true;
    }
    try {
      this.device.launch(this.launchOf(route, options));
      this.device.wait(this.limitMs);
    } catch (error) {
      this.dirty = true;
      throw error;
    }
    const names = Object.keys(this.contract.outputs);
    return Object.fromEntries(names.map((name) => [name, this.read(place(name), this.buffer(name).bytes)]));
  }

  /** A route's launch on the case's buffers as they are. */
  launchOf(route: Route, options: RunOptions = {}): DeviceLaunch {
    const place = (name: string): string => options.alias?.[name] ?? name;
    return {
      kernel: route.kernel,
      arguments: this.contract.args.map((arg) => this.argument(arg, place)),
      grid: route.grid(this.shape),
      group: route.group,
      dynamicLocalBytes: route.localBytes(this.shape),
      cluster: route.cluster,
      schedule: options.schedule ?? this.order,
      localPoison: options.localPoison ?? LOCAL_POISONS[0],
      flushDenormals: route.flush,
      ulps: route.ulps,
      ...(options.check && { check: { ...options.check, extents: this.extents(options) } }),
    };
  }

  /** Inputs are read; outputs hold nothing before they are written, but for those that lie on an input. */
  private extents({ alias = {}, sealed }: RunOptions): Extent[] {
    const updated = new Set(Object.values(alias));
    const extent = (name: string, access: Extent['access']): Extent => {
      const { address, bytes } = this.buffer(name);
      return { address, bytes, name, access };
    };
    return [
      ...Object.keys(this.contract.inputs).map((name) => extent(name, updated.has(name) ? 'updated' : 'read')),
      ...Object.keys(this.contract.outputs)
        .filter((name) => alias[name] === undefined)
        .flatMap((name) => {
          const own = extent(name, 'written');
          return sealed?.output === name ? sealedIn(own, sealed.from, sealed.bytes) : [own];
        }),
    ];
  }

  private argument(name: string, place: (name: string) => string): LaunchArgument {
    const size = this.shape[name];
    if (size !== undefined) return { kind: 'u32', value: size };
    const scalar = this.contract.scalars?.[name];
    if (scalar !== undefined) return { kind: 'f32', value: scalar };
    return { kind: 'buffer', address: this.buffer(place(name)).address };
  }

  private read(name: string, bytes: number): Uint8Array {
    const out = new Uint8Array(new ArrayBuffer(bytes));
    this.device.download(this.buffer(name).address, out);
    return out;
  }

  /** What the runs so far did to inputs and guards. Changed memory is restored before the next run. */
  verify(): Finding[] {
    const findings: Finding[] = [];
    for (const name of Object.keys(this.contract.inputs)) {
      const change = this.changeOf(this.buffer(name), this.inputs.bytes[name] ?? new Uint8Array(0));
      if (change) findings.push(findingOf({ code: 'input-changed', of: name }, `the input ${name} changed: ${change}`));
    }
    for (const [name, buffer] of this.buffers) {
      const broken = brokenGuard(this.device, buffer, this.guard);
      if (!broken) continue;
      const { offset, count } = broken;
      const place = offset < 0 ? `${-offset} before its first` : `${offset - buffer.bytes + 1} past its last`;
      const what = `${count} guard bytes of ${name} overwritten, the first ${place} byte`;
      findings.push(findingOf({ code: 'guard', of: name }, what));
    }
    if (findings.length > 0) this.dirty = true;
    return findings;
  }

  /** How a buffer differs from the bytes that it was given, in words; read a piece at a time, since inputs may be large. */
  private changeOf(buffer: GuardedBuffer, before: Uint8Array): string | undefined {
    let count = 0;
    let first = -1;
    for (let from = 0; from < before.length; from += PIECE) {
      const piece = before.subarray(from, from + PIECE);
      const after = this.scratch.subarray(0, piece.length);
      this.device.download(buffer.address + from, after);
      if (Buffer.compare(piece, after) === 0) continue;
      for (let i = 0; i < piece.length; i++) {
        if (piece[i] === after[i]) continue;
        count++;
        if (first < 0) first = from + i;
      }
    }
    return count === 0 ? undefined : `${count} of ${before.length} bytes, the first at byte ${first}`;
  }

  close(): void {
    for (const buffer of this.buffers.values()) this.device.free(buffer.whole);
    this.buffers.clear();
  }
}

/** An extent with some of its bytes only to be read. */
function sealedIn(extent: Extent, from: number, bytes: number): Extent[] {
  const part = (start: number, end: number, access: Extent['access']): Extent => ({
    ...extent,
    address: extent.address + start,
    bytes: end - start,
    access,
  });
  const parts = [
    part(0, from, extent.access),
    part(from, from + bytes, 'read'),
    part(from + bytes, extent.bytes, extent.access),
  ];
  return parts.filter((each) => each.bytes > 0);
}
