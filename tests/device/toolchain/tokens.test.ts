import { describe, expect, test } from 'bun:test';
import { stringValue, tokenize } from '../../../src/device/toolchain/lower/tokens.ts';

const texts = (source: string): string[] => tokenize(source).map((token) => token.text);
const kinds = (source: string): string[] => tokenize(source).map((token) => token.kind);

describe('tokens', () => {
  test.each([
    // Common
    ['a+=b->c;', ['a', '+=', 'b', '->', 'c', ';']],
    ['x<<=1', ['x', '<<=', '1']],
    ['f(int...)', ['f', '(', 'int', '...', ')']],

    // Two marks on purpose: template lists close twice, attributes open twice
    ['vec<vec<T>>', ['vec', '<', 'vec', '<', 'T', '>', '>']],
    ['[[kernel]]', ['[', '[', 'kernel', ']', ']']],

    // Numbers
    ["1.0e-5f .5 0x1Fu 1'000 1.0h", ['1.0e-5f', '.5', '0x1Fu', "1'000", '1.0h']],
    ['1.', ['1.']],

    // Comments are no tokens
    ['a/* b\n */c // d\ne', ['a', 'c', 'e']],

    // Strings and characters, with escapes and prefixes
    ['"a\\"b" \'\\\'\' u8"c"', ['"a\\"b"', "'\\''", 'u8"c"']],
    ['R"x(a)")x" b', ['R"x(a)")x"', 'b']],
  ])('of %p', (source, want) => {
    expect(texts(source)).toEqual(want);
  });

  test('a directive is one token, only at the start of a line', () => {
    expect(texts('  #pragma unroll 4\nfor # x')).toEqual(['#pragma unroll 4', 'for', '#', 'x']);
    expect(kinds('#pragma once\nx')).toEqual(['directive', 'name']);
  });

  test('offsets name the source', () => {
    const source = 'float4 v = make( "s", 1.5 );';
    for (const { text, start, end } of tokenize(source)) expect(source.slice(start, end)).toBe(text);
  });

  test('each kind is told', () => {
    expect(kinds('a 1 "s" +')).toEqual(['name', 'number', 'string', 'mark']);
  });

  test('adjacent strings have one value', () => {
    expect(stringValue(tokenize('"a\\n" "b\\t\\"c\\"" R"(d\\n)"'))).toBe('a\nb\t"c"d\\n');
  });
});
