import { describe, expect, test } from 'bun:test';
import { editsOf } from '../../../src/device/toolchain/lower/edit.ts';
import { filesOf, locatorOf } from '../../../src/device/toolchain/lower/locate.ts';

describe('edits', () => {
  test('are made together, whatever their order', () => {
    const edits = editsOf('a b c');
    edits.replace(4, 5, 'C');
    edits.insert(2, '<');
    edits.remove(0, 1);
    edits.insert(3, '>');
    expect(edits.apply()).toBe(' <b> C');
  });

  test('keep the newlines of what they replace', () => {
    const edits = editsOf('one\ntwo\nthree\nfour');
    edits.replace(0, 13, 'x');
    expect(edits.apply()).toBe('x\n\n\nfour');
  });

  test('insert before a replacement at the same place', () => {
    const edits = editsOf('ab');
    edits.remove(0, 1);
    edits.insert(0, 'x');
    expect(edits.apply()).toBe('xb');
  });

  test('that overlap are refused', () => {
    const edits = editsOf('abcd');
    edits.replace(0, 3, '');
    edits.replace(2, 4, '');
    expect(() => edits.apply()).toThrow('overlap');
  });
});

describe('places', () => {
  const text = ['# 1 "k.cu"', 'a', 'b', '# 7 "dir/h.cuh" 1', 'c', '# 3 "k.cu" 2', 'd', 'e'].join('\n');
  const place = (word: string): string => {
    const { file, line } = locatorOf(text)(text.search(new RegExp(`^${word}$`, 'm')));
    return `${file}:${line}`;
  };

  test.each([
    ['a', 'k.cu:1'],
    ['b', 'k.cu:2'],
    ['c', 'dir/h.cuh:7'],
    ['d', 'k.cu:3'],
    ['e', 'k.cu:4'],
  ])('%s is at %s', (word, want) => {
    expect(place(word)).toBe(want);
  });

  test('of text without markers count from its start', () => {
    expect(locatorOf('a\nb\nc')(4)).toEqual({ file: '<source>', line: 3 });
  });

  test('unescape file names', () => {
    expect(locatorOf('# 5 "a\\"b\\\\c.cu"\nx')(17)).toEqual({ file: 'a"b\\c.cu', line: 5 });
  });

  test("name the files included, less the compiler's own", () => {
    expect(filesOf(`# 1 "<built-in>"\n${text}`)).toEqual(['k.cu', 'dir/h.cuh']);
  });
});
