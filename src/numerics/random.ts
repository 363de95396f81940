/**
 * Seeded random numbers: xoshiro128**, seeded by a hash of a text. Integer steps and exact float64 arithmetic only, so
 * one seed gives the same numbers on every platform.
 */

export interface Random {
  /** An integer in [0, 2 ** 32). */
  u32(): number;
  /** In [0, 1), a multiple of 2 ** -24: exact in fp32, so no rounding takes it to 1. */
  unit(): number;
  /** In [-1, 1), a multiple of 2 ** -24. */
  signed(): number;
  /** About normal, mean 0 and variance 1, within [-6, 6]: the sum of twelve uniforms, a multiple of 2 ** -17. */
  normal(): number;
  /** An integer in [lo, hi], both ends included, each as likely. Throws a RangeError if there are none or too many. */
  int(lo: number, hi: number): number;
  /** Puts the elements in a random order, each as likely, in place; returns the array. */
  shuffle<A extends { readonly length: number; [index: number]: unknown }>(array: A): A;
}

/** A generator for a seed; a number seeds as its decimal text does. */
export function random(seed: string | number): Random {
  const u32 = xoshiro(hash(String(seed)));
  const int = (lo: number, hi: number): number => lo + below(u32, hi - lo + 1);
  return {
    u32,
    unit: () => (u32() >>> 8) * 2 ** -24,
    signed: () => (u32() >> 7) * 2 ** -24,
    normal: () => normal(u32),
    int,
    shuffle: (array) => shuffle(array, int),
  };
}

export type State = readonly [number, number, number, number];

/** Four 32-bit words from a text: FNV-1a with four offsets, each word then mixed by Murmur3's finalizer. */
function hash(text: string): State {
  const words = [0x811c9dc5, 0x9e3779b9, 0x85ebca6b, 0xc2b2ae35].map((offset) => {
    let word = offset;
    for (let i = 0; i < text.length; i++) word = Math.imul(word ^ text.charCodeAt(i), 0x01000193);
    return mix(word);
  });
  return [words[0]!, words[1]!, words[2]!, words[3]! | 1];
}

function mix(word: number): number {
  const a = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  const b = Math.imul(a ^ (a >>> 13), 0xc2b2ae35);
  return (b ^ (b >>> 16)) >>> 0;
}

/** xoshiro128** by Blackman and Vigna; its state must not be all zero. */
export function xoshiro(state: State): () => number {
  let [a, b, c, d] = state;
  return () => {
    const result = Math.imul(rotate(Math.imul(b, 5), 7), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotate(d, 11);
    return result;
  };
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

/** An integer in [0, count). Words past the last whole multiple of count are drawn again, so that none is favoured. */
function below(u32: () => number, count: number): number {
  if (!(Number.isInteger(count) && count >= 1 && count <= 2 ** 32)) {
    throw new RangeError(`a range of ${count} integers: it must hold 1 to 2 ** 32`);
  }
  const limit = 2 ** 32 - (2 ** 32 % count);
  let word = u32();
  while (word >= limit) word = u32();
  return word % count;
}

/** Twelve 16-bit uniforms, each of mean 65535 / 2 and variance 2 ** 32 / 12 less a 2 ** -32 share. */
function normal(u32: () => number): number {
  let sum = 0;
  for (let i = 0; i < 6; i++) {
    const word = u32();
    sum += (word >>> 16) + (word & 0xffff);
  }
  return (sum - 6 * 0xffff) * 2 ** -16;
}

function shuffle<A extends { readonly length: number; [index: number]: unknown }>(
  array: A,
  int: (lo: number, hi: number) => number,
): A {
  for (let i = array.length - 1; i > 0; i--) {
    const j = int(0, i);
    const held = array[i];
    array[i] = array[j];
    array[j] = held;
  }
  return array;
}
