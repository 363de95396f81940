import { describe, expect, test } from 'bun:test';
import { styleFor } from '../../src/cli/colour.ts';
import { NothingRunError, tell, UsageError } from '../../src/cli/errors.ts';
import { barText, progressOn } from '../../src/cli/progress.ts';
import { runProgress } from '../../src/cli/run-progress.ts';
import type { Job } from '../../src/gates/run.ts';
import { DeviceError } from '../../src/device/device.ts';
import { ToolchainError } from '../../src/device/toolchain/toolchain-error.ts';
import { ContractError } from '../../src/spec/contract-error.ts';

const terminal = { isTTY: true };
const pipe = {};

test.each<[string, { isTTY?: boolean }, Record<string, string>, boolean]>([
  ['a terminal', terminal, {}, true],
  ['a pipe', pipe, {}, false],
  ['a pipe in CI', pipe, { CI: 'true' }, false],
  ['a pipe with FORCE_COLOR', pipe, { FORCE_COLOR: '1' }, true],
  ['a pipe with FORCE_COLOR=0', pipe, { FORCE_COLOR: '0' }, false],
  ['a terminal with NO_COLOR', terminal, { NO_COLOR: '1' }, false],
  ['a terminal with an empty NO_COLOR', terminal, { NO_COLOR: '' }, true],
  ['NO_COLOR against FORCE_COLOR', terminal, { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
])('colours on %s: %#', async (_, stream, env, coloured) => {
  expect((await styleFor(stream, env)).good('PASS') !== 'PASS').toBe(coloured);
});

describe('the bar of a run', () => {
  const job = (kernel: string): Job => ({ kernel, gate: 'shapes', device: 'host' });

  test('says what runs, how long it has taken, and about how long what is left takes by its weight', () => {
    const written: string[] = [];
    const [short, long] = [job('short'), job('long')];
    let time = 0;
    const stream = { isTTY: true, columns: 200, write: (text: string) => written.push(text) };
    const progress = runProgress(
      stream,
      [short, long],
      ({ kernel }) => (kernel === 'long' ? 3 : 1),
      () => time,
    );
    progress.begin(short);
    progress.begin(long);
    expect(written.at(-1)).toEndWith('  0/2  0:00  short shapes, long shapes');
    time = 20_000;
    progress.done({ ...short });
    expect(written.at(-1)).toEndWith('  1/2  0:20, about 1:00 left  long shapes');
    progress.close();
    expect(written.at(-1)).toBe('\r\u001b[K');
  });
});

describe('the progress bar', () => {
  test('draws nothing where stderr is no terminal', () => {
    const written: string[] = [];
    const progress = progressOn({ write: (text) => written.push(text) });
    progress.show(1, 2, 'row_sum shapes');
    progress.clear();
    expect(written).toEqual([]);
  });

  test('stays on one line of a narrow terminal and is wiped', () => {
    const written: string[] = [];
    const progress = progressOn({ isTTY: true, columns: 20, write: (text) => written.push(text) });
    progress.show(1, 2, 'a kernel with a long name');
    progress.clear();
    expect(written).toEqual([`\r\u001b[K${barText(1, 2, '').slice(0, 19)}`, '\r\u001b[K']);
  });

  test.each([
    [0, 4, '[------------------------]  0/4  k'],
    [1, 4, '[######------------------]  1/4  k'],
    [4, 4, '[########################]  4/4  k'],
  ])('%p of %p', (done, total, text) => {
    expect(barText(done, total, 'k')).toBe(text);
  });
});

test.each<[string, unknown, number, string]>([
  ['a wrong command', new UsageError('Unknown flag'), 2, 'Unknown flag'],
  ['nothing selected', new NothingRunError('Nothing is selected'), 1, 'Nothing is selected'],
  ['no compiler', new ToolchainError('No host compiler'), 1, 'No host compiler'],
  ['wrong contracts', new ContractError(['kernels/a: one', 'kernels/b: two']), 1, '  kernels/b: two'],
  ['no device', new DeviceError('absent', 'the shim does not load'), 1, '(absent): the shim does not load'],
  ['anything else', new TypeError('x is not a function'), 70, 'x is not a function'],
  ['what is no error', 'a string', 70, 'a string'],
])('%s is told with its exit code', (_, error, code, text) => {
  const told = tell(error);
  expect(told.code as number).toBe(code);
  expect(told.text).toContain(text);
});
