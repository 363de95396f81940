/**
 * Buffers between guard bytes. The guard begins at the exact logical end of the data, and outputs hold a poison before every
 * run, so that a stray write, an unwritten element and a wrong one are told apart.
 */
import type { Device, DeviceBuffer } from './device.ts';

/** Guard bytes before the data and, at least, behind it; a multiple of every vector load's alignment. */
const GUARD = 256;

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
  const total = Math.ceil((bytes + 2 * GUARD) / GUARD) * GUARD;
  const whole = device.alloc(total);
  return { address: whole.address + GUARD, bytes, whole };
}

/** Fills both guards with a byte. */
export function fillGuards(device: Device, buffer: GuardedBuffer, byte: number): void {
  const word = byte * 0x01010101;
  const end = buffer.address + buffer.bytes;
  device.fill(buffer.whole.address, word >>> 0, GUARD);
  device.fill(end, word >>> 0, buffer.whole.address + buffer.whole.bytes - end);
}

/** A byte of a guard that no longer holds what it was filled with: its distance from the data, negative before it. */
export interface GuardBreak {
  readonly offset: number;
  readonly count: number;
}

/** Compares both guards with their byte. */
export function brokenGuard(device: Device, buffer: GuardedBuffer, byte: number): GuardBreak | undefined {
  const before = new Uint8Array(new ArrayBuffer(GUARD));
  const end = buffer.address + buffer.bytes;
  const after = new Uint8Array(new ArrayBuffer(buffer.whole.address + buffer.whole.bytes - end));
  device.download(buffer.whole.address, before);
  device.download(end, after);
  const wrong = [
    ...positions(before, byte).map((i) => i - GUARD),
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
