/** The lines, the table and the verdict of `--faults`, from results that are stated here. */
import { describe, expect, test } from 'bun:test';
import type { FaultResult } from '../../src/faults/result.ts';
import type { Fault } from '../../src/faults/rule.ts';
import type { FaultRow } from '../../src/report/faults.ts';
import {
  faultExitCode,
  faultLines,
  faultProblemLines,
  faultSummary,
  faultTable,
  faultTally,
} from '../../src/report/faults.ts';
import { faultsReport } from '../../src/report/faults-json.ts';
import { PLAIN } from '../../src/report/style.ts';

const context = { seed: '7', command: 'run', style: PLAIN };

function row(rule: string, result: Partial<FaultResult>, dialect: Fault['dialect'] = 'cuda'): FaultRow {
  const address = `k@${dialect}~${rule}.1`;
  const plant = { kind: 'launch', launch: (launch) => launch } as const satisfies Fault['plant'];
  return {
    fault: { kernel: 'k', dialect, rule, address, place: 'k.cu:3', from: 'a < b', to: 'a <= b', plant },
    result: { address, status: 'survives', reason: 'every gate stays green', elapsedMs: 120, ...result },
  };
}

const KILLED = row('tail', { status: 'killed', gate: 'shapes', finding: 'value', reason: 'rows=1: 3 of 4 past\nmore' });
const OPEN = row('guard', {});
const ARGUED = row('idle', {}, 'hip');
const SAME = row('same', { status: 'same code', reason: "it compiles to the kernel's own code" });
const BROKEN = row('broken', { status: 'broken', reason: 'k.cu:3: error: no such name' });
const EXPLAINED = { because: new Map([[ARGUED.fault.address, 'the guard is never taken']]), dead: [], problems: [] };

describe('a line', () => {
  test.each<[string, FaultRow, string | undefined, string[]]>([
    ['killed', KILLED, undefined, ['KILLED  k@cuda~tail.1  k.cu:3  gate 3 value  rows=1: 3 of 4 past  0.12 s']],
    [
      'that survives',
      OPEN,
      undefined,
      [
        'SURVIVES  k@cuda~guard.1  k.cu:3  every gate stays green  0.12 s',
        '      a < b → a <= b',
        "      Rerun: run --faults --only 'k@cuda~guard.1' --seed 7",
      ],
    ],
    [
      'that is argued away',
      ARGUED,
      'the guard is never taken',
      ['EQUIVALENT  k@hip~idle.1  k.cu:3  0.12 s', '      a < b → a <= b', '      the guard is never taken'],
    ],
    [
      'of the same code',
      SAME,
      undefined,
      ["SAME CODE  k@cuda~same.1  k.cu:3  it compiles to the kernel's own code", '      a < b → a <= b'],
    ],
    [
      'that does not compile',
      BROKEN,
      undefined,
      ['BROKEN  k@cuda~broken.1  k.cu:3', '      a < b → a <= b', '      k.cu:3: error: no such name'],
    ],
  ])('of a fault %s', (_what, one, because, lines) => {
    expect(faultLines(one, because, context)).toEqual(lines);
  });

  test('of a dead anchor and of an explanation without its fault', () => {
    const dead = { kernel: 'k', dialect: 'hip', rule: 'tail', what: 'tail applies and finds no place' } as const;
    expect(faultProblemLines([dead], ['an entry names no fault'], PLAIN)).toEqual([
      'DEAD ANCHOR  k@hip  tail applies and finds no place',
      'FAIL  an entry names no fault',
    ]);
  });
});

const ALL = [KILLED, OPEN, ARGUED, SAME, BROKEN];

describe('the tally', () => {
  const tally = faultTally(ALL, EXPLAINED);

  test('has every fault in one count', () => {
    expect(tally).toEqual({ total: 5, killed: [0, 0, 1, 0, 0], sameCode: 1, equivalent: 1, open: 1, broken: 1 });
  });

  test('is one line', () => {
    expect(faultSummary(tally, 1, 2)).toBe(
      'FAULTS 5 faults: 1 killed (gate 1 0, gate 2 0, gate 3 1, gate 4 0, gate 5 0); 3 survive: 2 equivalent (1 by the same code), 1 open; ' +
        '1 broken; 1 dead anchor; 2 explanations without their faults',
    );
  });

  test.each<[string, readonly FaultRow[], number, number, 0 | 1]>([
    ['all killed or argued away', [KILLED, ARGUED, SAME], 0, 0, 0],
    ['one that survives', [KILLED, OPEN], 0, 0, 1],
    ['one that does not compile', [KILLED, BROKEN], 0, 0, 1],
    ['a dead anchor', [KILLED], 1, 0, 1],
    ['an explanation without its fault', [KILLED], 0, 1, 1],
    ['nothing at all', [], 0, 0, 1],
  ])('with %s', (_what, rows, dead, problems, code) => {
    expect(faultExitCode(faultTally(rows, EXPLAINED), dead, problems)).toBe(code);
  });
});

test('the table has killed of total by rule and dialect, survivors in the total', async () => {
  const cells = (await faultTable(ALL, EXPLAINED, 160)).map((line) => line.split('│').map((cell) => cell.trim()));
  const of = (name: string): string[] | undefined => cells.find((line) => line[1] === name);
  expect(of('fault')).toEqual(expect.arrayContaining(['cuda', 'xpu', 'gate 4', 'equivalent', 'open']));
  expect(of('guard')?.slice(2, 8)).toEqual(['0/1', '', '', '', '0/1', '']);
  expect(of('all')?.slice(2)).toEqual(['1/4', '0/1', '', '', '1/5', '', '', '1', '', '', '2', '2', '']);
});

test('the report has every fault, and the argument of one that is equivalent', () => {
  const program = { version: '1', commit: 'c', platform: 'p' };
  const head = { program, seed: '7', elapsedMs: 1, summary: 's', exitCode: 1 } as const;
  const { faults, deadAnchors } = faultsReport(head, ALL, [], EXPLAINED);
  expect(faults.map(({ status }) => status)).toEqual(['killed', 'survives', 'survives', 'same code', 'broken']);
  expect(faults.map(({ because }) => because)).toEqual([
    undefined,
    undefined,
    'the guard is never taken',
    undefined,
    undefined,
  ]);
  expect(deadAnchors).toEqual([]);
});
