/** A journal gives back what was written into it, and nothing of what was not. */
import { expect, test } from 'bun:test';
import { HOST } from '../../src/device/run-device.ts';
import type { JobDone } from '../../src/gates/lanes/lane.ts';
import type { GateResult } from '../../src/gates/result.ts';
import type { RunOptions } from '../../src/gates/run.ts';
import { askedOf, headLine, isKept, jobLine, JournalError, readJournal } from '../../src/report/journal.ts';

const options: RunOptions = {
  seed: '1',
  limitMs: 1000,
  only: [],
  gates: ['shapes'],
  dialects: ['cuda'],
  modes: ['plain'],
  devices: [HOST],
  controls: true,
  jobs: 1,
};
const asked = askedOf(options, 'hash', 'of the program');
const base = { kernel: 'k', dialect: 'cuda', gate: 'shapes', elapsedMs: 1 } as const;
const gate: GateResult = {
  ...base,
  kind: 'gate',
  status: 'fail',
  cases: 1,
  findings: [{ class: 'value', cause: { code: 'value', of: 'y' }, what: 'wrong', times: Infinity, label: 'rows=1' }],
  margin: { share: Infinity, where: 'y[0]', label: 'rows=1' },
  notes: [],
  detected: [{ outputs: [], sums: [{ sum: 'sum(x)', terms: 8 }], label: 'rows=1' }],
  loaded: [{ symbol: 'tf_k', defines: { N: 1 }, attributes: { registers: 32 } }],
};
const done: JobDone = {
  job: { kernel: 'k', gate: 'shapes', device: 'host' },
  results: [gate, { ...base, kind: 'control', id: '1', fault: 'f', status: 'red', reason: 'r' }],
  referenceMs: 2,
};

test('a result of another job, or a count that is none, is refused', () => {
  const other = { ...done, results: [{ ...gate, kernel: 'other' }] };
  expect(() => readJournal(headLine(asked) + jobLine(other), asked)).toThrow('a result is of another job');
  const halves = { ...done, results: [{ ...gate, cases: 1.5 }] };
  expect(() => readJournal(headLine(asked) + jobLine(halves), asked)).toThrow(
    'line 2 is not one of a journal: at results.0.cases: ',
  );
});

test('jobs are read back as they were, numbers that JSON has not among them', () => {
  expect(readJournal(headLine(asked) + jobLine(done), asked)).toEqual([done]);
});

test('a line that was cut short is none; one that is not a job is refused by its number', () => {
  expect(readJournal(headLine(asked) + jobLine(done) + jobLine(done).slice(0, -9), asked)).toEqual([done]);
  for (const line of ['{}\n', 'x\n', jobLine({ ...done, results: [{ ...gate, gate: 'no' as 'sums' }] })])
    expect(() => readJournal(headLine(asked) + line, asked)).toThrow(/^line 2 is not one of a journal/);
  expect(() => readJournal('', asked)).toThrow(JournalError);
});

test('a journal of another run is refused by what differs', () => {
  const others = { seed: { seed: '2' }, selection: { only: ['a'] }, devices: { devices: [] } };
  for (const [name, part] of Object.entries(others))
    expect(() => readJournal(headLine(askedOf({ ...options, ...part }, 'hash', 'of the program')), asked)).toThrow(
      `differs in the ${name}`,
    );
  expect(() => readJournal(headLine(askedOf(options, 'other', 'of the program')), asked)).toThrow(
    'contracts and sources',
  );
});

test('what another run may come out otherwise is not kept', () => {
  expect([isKept(done), isKept({ ...done, lost: 'w' })]).toEqual([true, true]);
  expect([isKept({ ...done, error: 'e' }), isKept({ ...done, notRun: 'n' })]).toEqual([false, false]);
});
