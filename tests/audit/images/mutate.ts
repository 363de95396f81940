/** Damaged copies of an image: what a reader must answer without a throw, a hang or a large allocation. */
import { expect } from 'bun:test';
import type { ImageReading } from '../../../src/audit/measured.ts';

/** mulberry32: whole numbers below `limit`. */
export function randomFrom(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return Math.floor((((x ^ (x >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
}

/** Values that sizes, counts and offsets are broken with. */
const HOSTILE = [0, 1, 7, 0x7f, 0xff, 0xffff, 0x7fffffff, 0xfffffff0, 0xffffffff];

/** `count` copies: cut short, bits flipped, numbers made hostile, parts moved over others. */
export function* mutants(image: Uint8Array, count: number, seed: number): Generator<Uint8Array> {
  const random = randomFrom(seed);
  for (let i = 0; i < count; i++) {
    const copy = image.slice();
    const kind = i % 4;
    if (kind === 0) yield copy.subarray(0, random(copy.length));
    else {
      const times = 1 + random(kind === 1 ? 16 : 4);
      for (let k = 0; k < times; k++) damage(copy, kind, random);
      yield copy;
    }
  }
}

function damage(copy: Uint8Array, kind: number, random: (limit: number) => number): void {
  const at = random(copy.length);
  if (kind === 1) copy[at] = copy[at]! ^ (1 << random(8));
  else if (kind === 2)
    new DataView(copy.buffer).setUint32(Math.min(at, copy.length - 4), HOSTILE[random(HOSTILE.length)]!, true);
  else copy.copyWithin(at, random(copy.length), random(copy.length));
}

/** Reads every mutant and every truncation of `image`; each must be answered, and none with a pile of problems. */
export function expectAnswers(image: Uint8Array, count: number, read: (bytes: Uint8Array) => ImageReading): void {
  const seed = image.length;
  const step = Math.max(1, Math.floor(image.length / 500));
  for (let length = 0; length < image.length; length += step)
    answered(read(image.subarray(0, length)), `first ${length}`);
  let i = 0;
  for (const bytes of mutants(image, count, seed)) answered(read(bytes), `mutant ${i++} of seed ${seed}`);
}

function answered({ kernels, problems }: ImageReading, which: string): void {
  if (kernels.length + problems.length === 0) throw new Error(`${which}: neither a kernel nor a problem`);
  expect(problems.length, which).toBeLessThan(100);
}
