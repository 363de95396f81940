import { expect, test } from 'bun:test';
import { sourceLines } from '../../src/device/message.ts';

test('lines of a message: where something was done comes before where the variable is declared', () => {
  const text =
    'race: thread (0,0,0) writes 4 bytes of local memory part (32 bytes, declared at k/a.cu:2), at k/a.cu:14; ' +
    'thread (63,0,0) read it at k/a.cu:18, and again at k/a.cu:14';
  expect(sourceLines(text)).toEqual(['k/a.cu:14', 'k/a.cu:18', 'k/a.cu:2']);
  expect(sourceLines('no line of a source: 12:30')).toEqual([]);
});
