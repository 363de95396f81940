/**
 * Buffers between guard bytes. The guard begins at the exact logical end of the data, and outputs hold a poison before every
 * run, so that a stray write, an unwritten element and a wrong one are told apart.
 */
import type { Device, DeviceBuffer } from './device.ts';

/** Guard bytes behind the data, at least; a multiple of every vector load's alignment. */
const BEHIND = 256;
/** Guard bytes before the data, at least. The whole is a multiple of it: on the host device, pages with none before them. */
const BEFORE = 4096;

/**
 * Poison words, for elements of any width. The first is a NaN in every float type, and a signalling one where the type has a
 * quiet bit of its own, so that arithmetic on it does not give it back; the second is large and finite in every float type.
 */
export const POISONS = [0x7fa17fa1, 0x7149f2ca] as const;
/** What guards hold: NaN in every float type, and a small finite number in every float type. */
export const GUARD_NAN = 0xff;
export const GUARD_FINITE = 0x3c;

export interface GuardedBuffer {
  /** Where the data begins. */
  readonly address: number;
  readonly bytes: number;
  readonly whole: DeviceBuffer;
}

/** Allocates `bytes` bytes of data between guards. The guards are not filled yet. */
export function allocGuarded(device: Device, bytes: number): GuardedBuffer {
  const tail = Math.ceil((bytes + BEHIND) / BEHIND) * BEHIND;
  const total = Math.ceil((BEFORE + tail) / BEFORE) * BEFORE;
  const whole = device.alloc(total);
  return { address: whole.address + total - tail, bytes, whole };
}

/** Fills both guards with a byte. */
export function fillGuards(device: Device, buffer: GuardedBuffer, byte: number): void {
  const word = byte * 0x01010101;
  const end = buffer.address + buffer.bytes;
  device.fill(buffer.whole.address, word >>> 0, buffer.address - buffer.whole.address);
  device.fill(end, word >>> 0, buffer.whole.address + buffer.whole.bytes - end);
}

/** A byte of a guard that no longer holds what it was filled with: its distance from the data, negative before it. */
export interface GuardBreak {
  readonly offset: number;
  readonly count: number;
}

/** Compares both guards with their byte. */
export function brokenGuard(device: Device, buffer: GuardedBuffer, byte: number): GuardBreak | undefined {
  const before = new Uint8Array(new ArrayBuffer(buffer.address - buffer.whole.address));
  const end = buffer.address + buffer.bytes;
  const after = new Uint8Array(new ArrayBuffer(buffer.whole.address + buffer.whole.bytes - end));
  device.download(buffer.whole.address, before);
  device.download(end, after);
  const wrong = [
    ...positions(before, byte).map((i) => i - before.length),
    ...positions(after, byte).map((i) => i + buffer.bytes),
  ];
  const [offset] = wrong;
  return offset === undefined ? undefined : { offset, count: wrong.length };
}

function positions(bytes: Uint8Array, byte: number): number[] {
  const out: number[] = [];
  for (let i = 0; i < bytes.length; i++) if (bytes[i] !== byte) out.push(i);
  return out;
}
