/** What is printed is text: nothing of it moves a cursor, opens a clipboard, or commands a workflow's runner. */
import { expect, test } from 'bun:test';
import { shown } from '../../src/cli/print.ts';

const ESC = '\u001b';

test.each([
  ['a screen that is cleared', `a${ESC}[2Jb`, 'a�[2Jb'],
  ['a clipboard', `${ESC}]52;c;YQ==\u0007`, '�]52;c;YQ==�'],
  ['a sequence in one character', 'a\u009b31mb', 'a�31mb'],
  ['a carriage return, but for that of a line end', 'PASS\rFAIL\r\n', 'PASS�FAIL\n'],
  ['another direction of writing', 'a\u202eb\u2066c', 'a�b�c'],
  ['half a pair', 'a\ud800b', 'a�b'],
  ['tabs, line ends and other scripts stay', 'a\tb\nß 한글 …', 'a\tb\nß 한글 …'],
])('%s', (_what, text, plain) => {
  expect(shown(text, true, false)).toBe(plain);
});

test('colours are those of the program, where there are any', () => {
  const red = `${ESC}[31mFAIL${ESC}[39m`;
  expect([shown(red, true, false), shown(red, false, false)]).toEqual([red, 'FAIL']);
  expect(shown(`${ESC}[8mhidden`, true, false)).toBe('�[8mhidden');
});

test("no line is a command to a workflow's runner, and outside of one none is changed", () => {
  const text = 'why\n  ::add-mask::x\n##[error]y\na::b';
  expect(shown(text, false, false)).toBe(text);
  expect(
    shown(text, false, true)
      .split('\n')
      .filter((line) => /^\s*::|##\[/.test(line)),
  ).toEqual([]);
});
