/** LZ4 blocks written out by hand, and blocks that lie. */
import { describe, expect, test } from 'bun:test';
import { unpackLz4 } from '../../../src/audit/images/lz4.ts';
import { literalsOnly } from './cuda-kit.ts';
import { ascii, join, le } from './elf-kit.ts';

/** One sequence: literals, then a match. Lengths below 15. */
function sequence(literals: string, distance: number, match: number): Uint8Array {
  return join(le(1, (literals.length << 4) | (match - 4)), ascii(literals), le(2, distance));
}

const END = literalsOnly(ascii('.'));

describe('a block', () => {
  test.each([0, 1, 14, 15, 16, 269, 270, 271, 5000])('of %i literals', (length) => {
    const bytes = Uint8Array.from({ length }, (_, i) => i * 7);
    expect(unpackLz4(literalsOnly(bytes), length)).toEqual(bytes);
  });

  test.each([
    [sequence('abcdef', 6, 4), 'abcdefabcd.'],
    [sequence('abcdef', 3, 6), 'abcdefdefdef.'],
    [sequence('ab', 1, 5), 'abbbbbb.'],
    [sequence('ab', 2, 7), 'abababababa'.slice(0, 9) + '.'],
    [join(sequence('abcd', 4, 4), sequence('', 8, 5)), 'abcdabcdabcda.'],
  ])('with a match %#', (packed, text) => {
    expect(unpackLz4(join(packed, END), text.length)).toEqual(ascii(text));
  });

  test('with a match of many bytes, repeating and not', () => {
    const literals = Uint8Array.from({ length: 14 }, (_, i) => 65 + i);
    const packed = join(le(1, 0xef), literals, le(2, 7, 1, 255, 1, 31), END);
    const want = Array.from({ length: 14 + 305 }, (_, i) => (i < 14 ? 65 + i : 65 + 7 + ((i - 14) % 7)));
    expect(unpackLz4(packed, 320)).toEqual(Uint8Array.from([...want, 46]));
    const far = Uint8Array.from({ length: 100 }, (_, i) => i);
    const copied = join(le(1, 0xff, 1, 85), far, le(2, 100, 1, 41), END);
    expect(unpackLz4(copied, 161)).toEqual(join(far, far.subarray(0, 60), ascii('.')));
  });
});

describe('a block is damaged', () => {
  test.each([
    ['when a match reaches before the start', join(sequence('ab', 3, 4), END), 7],
    ['when a match has no distance', join(sequence('ab', 0, 4), END), 7],
    ['when it holds more than declared', join(sequence('ab', 1, 4), END), 6],
    ['when it holds less', join(sequence('ab', 1, 4), END), 8],
    ['when literals are missing', le(1, 0x50, 1, 65), 5],
    ['when a length has no end', le(1, 0xf0, 1, 255, 1, 255), 700],
    ['when a distance is cut', join(le(1, 0x10), ascii('a'), le(1, 1)), 5],
  ])('%s', (_, packed, size) => {
    expect(() => unpackLz4(packed, size)).toThrow('damaged LZ4');
  });
});
