/** Records: text to sets and back, which set an image is held to, what is inherited, and what a measurement changes. */
import { describe, expect, test } from 'bun:test';
import type { Measured } from '../../src/audit/measured.ts';
import type { MeasuredRecord, PendingRecord, RecordLine, RecordSet } from '../../src/audit/records.ts';
import { byKey, byRelease, keyText } from '../../src/audit/records.ts';
import { parseRecords, serialiseRecords } from '../../src/audit/records-file.ts';
import { chooseSet, mergeRecords, resolveSet } from '../../src/audit/records-sets.ts';
import { sourceHasher } from '../../src/audit/records-source.ts';
import { staleImage, staleSource } from '../../src/audit/records-stale.ts';
import { cdna, cuda, hip, metal, xpu } from './rules-kit.ts';

const HASH = '0123456789abcdef';

function record(facts: Measured, changes: Partial<MeasuredRecord> = {}): MeasuredRecord {
  const { chip, symbol } = facts;
  return { kernel: 'norm', chip, symbol, source: HASH, facts, ...changes };
}

const pending = (chip: string, kernel = 'norm'): PendingRecord => ({ kernel, chip, symbol: 'k', pending: true });

const nvcc = (release: string, lines: readonly RecordLine[], inherits?: string): RecordSet => ({
  dialect: 'cuda',
  compiler: 'nvcc',
  release,
  ...(inherits !== undefined && { inherits }),
  lines,
});

/** Registers of the one kernel on sm_80, or why there are none. */
function registers(set: RecordSet, sets: readonly RecordSet[]): number | 'pending' | undefined {
  const found = resolveSet(set, sets).records.get(keyText(pending('sm_80')));
  if (!found) return undefined;
  return 'pending' in found || found.facts.dialect !== 'cuda' ? 'pending' : found.facts.registers;
}

describe('the text of a set', () => {
  const SETS: RecordSet[] = [
    nvcc('13.0', [
      record(cuda({ release: '13.0', maxThreads: [256, 1, 1] })),
      record(cuda({ release: '13.0', chip: 'sm_100', cluster: [2, 1, 1] }), { laterPending: true }),
      { ...pending('sm_120'), defines: 'HEAD=128' },
    ]),
    nvcc('13.2', [record(cuda({ release: '13.2' }))], 'nvcc-13.0'),
    {
      dialect: 'hip',
      compiler: 'clang',
      release: '19',
      lines: [record(cdna({ release: '19' })), record(hip({ release: '19', features: ['xnack-'] }))],
    },
    { dialect: 'xpu', compiler: 'ocloc', release: '22.43', lines: [record(xpu({ release: '22.43' }))] },
    { dialect: 'metal', compiler: 'clang', release: '19', lines: [record(metal({ release: '19', reserved: 256 }))] },
  ];

  test.each(SETS.map((set) => [`${set.dialect}/${set.compiler}-${set.release}`, set] as const))(
    '%s reads back as it was, and writes the same again',
    (name, set) => {
      const sorted = { ...set, lines: set.lines.toSorted(byKey) };
      const text = serialiseRecords(set);
      const read = parseRecords(set.dialect, `${name.split('/')[1]}.jsonl`, text);
      expect(read).toEqual({ set: sorted, problems: [] });
      expect(serialiseRecords(read.set ?? set)).toBe(text);
    },
  );

  test('is one object a line, the set that it inherits first', () => {
    expect(serialiseRecords(nvcc('13.2', [pending('sm_80'), record(cuda({ chip: 'sm_90' }))], 'nvcc-13.0'))).toBe(
      '{"inherits":"nvcc-13.0"}\n' +
        '{"kernel":"norm","chip":"sm_80","symbol":"k","pending":true}\n' +
        '{"kernel":"norm","chip":"sm_90","symbol":"k","source":"0123456789abcdef","registers":32,"staticShared":0,' +
        '"stack":0,"registerCap":255,"barriers":1,"explicitCluster":false,"spillStores":0,"spillLoads":0}\n',
    );
  });

  test('is sorted by kernel, then chip by its number', () => {
    const lines = [pending('sm_100'), pending('sm_90'), pending('sm_80', 'softmax'), pending('sm_80')];
    const order = [...serialiseRecords(nvcc('13.0', lines)).matchAll(/"kernel":"(\w+)","chip":"(\w+)"/g)];
    expect(order.map(([, kernel, chip]) => `${kernel} ${chip}`)).toEqual([
      'norm sm_80',
      'norm sm_90',
      'norm sm_100',
      'softmax sm_80',
    ]);
  });
});

describe('what is wrong with a file is told with its line', () => {
  const good = serialiseRecords(nvcc('13.0', [record(cuda())]));
  const problem = (text: string, file = 'nvcc-13.0.jsonl'): readonly string[] =>
    parseRecords('cuda', file, text).problems;
  const waiting = serialiseRecords(nvcc('13.0', [pending('sm_80')]));

  test.each([
    ['no JSON', 'x\n', ':1: no JSON object'],
    ['a fact that is text', good.replace('"registers":32', '"registers":"32"'), ':1: registers: '],
    ['a negative fact', good.replace('"registers":32', '"registers":-1'), ':1: registers: a number of at least 0'],
    ['a fact that is missing', good.replace('"stack":0,', ''), ':1: stack: '],
    ['a fact of another dialect', good.replace('"stack":0', '"stack":0,"vgprs":1'), ':1: vgprs: '],
    ['a hash that is none', good.replace(HASH, 'main'), ':1: source: a hash in hexadecimal'],
    ['a pending record with facts', waiting.replace('true', 'true,"registers":1'), ':1: registers: '],
    ['an inherited set further down', `${good}{"inherits":"nvcc-12.9"}\n`, ':2: '],
    ['a kernel twice', good + good, ': norm on sm_80 is recorded twice'],
    ['a record out of order', serialiseRecords(nvcc('13.0', [pending('sm_90')])) + good, ' stands out of order: '],
  ])('%s', (_what, text, want) => {
    const problems = problem(text);
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.join('\n')).toContain(`records/cuda/nvcc-13.0.jsonl${want.startsWith(':') ? want : ''}`);
    expect(problems.join('\n')).toContain(want);
  });

  test('a name that is no set', () => {
    expect(parseRecords('cuda', 'nvcc.jsonl', good).set).toBeUndefined();
    expect(problem(good, 'nvcc.jsonl')[0]).toContain('named <compiler>-<release>.jsonl');
  });

  test('other lines are kept', () => {
    const { set, problems } = parseRecords('cuda', 'nvcc-13.0.jsonl', `x\n${good}`);
    expect([set?.lines.length, problems.length]).toEqual([1, 1]);
  });
});

describe('the set of an image', () => {
  const sets = ['13.10', '13.0', '13.2'].map((release) => nvcc(release, []));

  test.each([
    ['13.0', '13.0'],
    ['13.1', '13.0'],
    ['13.2', '13.2'],
    ['13.9', '13.2'],
    ['13.10', '13.10'],
    ['14.0', '13.10'],
    ['12.9', undefined],
    [undefined, '13.0'],
  ])('release %p is held to %p', (release, want) => {
    expect(chooseSet(sets, 'nvcc', release)?.release).toBe(want as string);
  });

  test("is its own compiler's", () => {
    expect(chooseSet(sets, 'hipcc', '13.0')).toBeUndefined();
  });

  test('releases compare by number', () => {
    expect(['13.10', '13', '13.2', '9.0'].toSorted(byRelease)).toEqual(['9.0', '13', '13.2', '13.10']);
  });
});

describe('a later set', () => {
  const at = (count: number, changes: Partial<MeasuredRecord> = {}): MeasuredRecord =>
    record(cuda({ registers: count }), changes);

  test('inherits what it does not name, and hides what it does', () => {
    const base = nvcc('13.0', [at(40)]);
    const same = nvcc('13.2', [], 'nvcc-13.0');
    const other = nvcc('13.3', [at(48)], 'nvcc-13.2');
    const gone = nvcc('13.4', [pending('sm_80')], 'nvcc-13.3');
    const sets = [base, same, other, gone];
    expect(sets.map((set) => registers(set, sets))).toEqual([40, 40, 48, 'pending']);
  });

  test('that inherits nothing holds only its own', () => {
    const sets = [nvcc('13.0', [at(40)]), nvcc('14.0', [])];
    expect(registers(nvcc('14.0', []), sets)).toBeUndefined();
  });

  test('does not take over what was measured after it: 13.0 and 13.1 use it, 13.2 and later stay as they are', () => {
    const base = nvcc('13.0', [at(40, { laterPending: true })]);
    const unmeasured = nvcc('13.2', [], 'nvcc-13.0');
    const measured = nvcc('13.3', [at(44)], 'nvcc-13.2');
    const sets = [base, unmeasured, measured];
    const chosen = (release: string): RecordSet => chooseSet(sets, 'nvcc', release) ?? base;
    expect(['13.0', '13.1', '13.2', '13.3'].map((release) => registers(chosen(release), sets))).toEqual([
      40,
      40,
      'pending',
      44,
    ]);
  });

  test('names an earlier set that is there', () => {
    const sets = [nvcc('13.2', [], 'nvcc-13.0'), nvcc('13.3', [], 'nvcc-13.3'), nvcc('13.4', [], 'nvcc-13.5')];
    for (const set of sets) {
      expect(resolveSet(set, sets).problems).toEqual([
        `records/cuda/nvcc-${set.release}.jsonl inherits ${set.inherits}, which is no earlier set of nvcc`,
      ]);
    }
  });
});

describe('a measurement', () => {
  const at = (count: number, chip = 'sm_80', source = HASH): MeasuredRecord =>
    record(cuda({ registers: count, chip }), { source });

  test('that says the same changes nothing', () => {
    const set = nvcc('13.0', [at(40), at(50, 'sm_90')]);
    const merged = mergeRecords(set, [set], [at(50, 'sm_90'), at(40)]);
    expect(merged.changes).toEqual([]);
    expect(serialiseRecords(merged.set)).toBe(serialiseRecords(set));
  });

  test('changes its own record alone, and says from what to what', () => {
    const set = nvcc('13.0', [at(40), at(50, 'sm_90'), pending('sm_120')]);
    const { set: after, changes } = mergeRecords(set, [set], [at(56, 'sm_90', 'fedcba9876543210')]);
    expect(changes.map(({ key, before, after: to }) => [key.chip, before?.chip, to?.chip])).toEqual([
      ['sm_90', 'sm_90', 'sm_90'],
    ]);
    const [before, now] = [serialiseRecords(set), serialiseRecords(after)].map((text) => text.split('\n'));
    expect(before?.map((line, i) => line === now?.[i])).toEqual([true, false, true, true]);
  });

  test('takes the place of pending, and of a launch that is gone', () => {
    const set = nvcc('13.0', [at(40), pending('sm_90')]);
    const merged = mergeRecords(set, [set], [at(50, 'sm_90')], ({ chip }) => chip !== 'sm_80');
    expect(merged.set.lines).toEqual([at(50, 'sm_90')]);
    expect(merged.changes.map(({ key, after }) => [key.chip, after !== undefined])).toEqual([
      ['sm_80', false],
      ['sm_90', true],
    ]);
  });

  test('of a later release is kept only where it differs', () => {
    const base = nvcc('13.0', [at(40), at(50, 'sm_90')]);
    const later = nvcc('13.2', [], 'nvcc-13.0');
    const { set } = mergeRecords(later, [base, later], [at(40), at(52, 'sm_90')]);
    expect(set.lines).toEqual([at(52, 'sm_90')]);
  });

  test('of an earlier release is not passed on to later sets, whose own records stay', () => {
    const base = nvcc('13.0', [pending('sm_80'), at(50, 'sm_90')]);
    const later = nvcc('13.2', [at(54, 'sm_90')], 'nvcc-13.0');
    const { set } = mergeRecords(base, [base, later], [at(40), at(51, 'sm_90')]);
    const sets = [set, later];
    expect(set.lines).toEqual([{ ...at(40), laterPending: true }, at(51, 'sm_90')]);
    expect([registers(set, sets), registers(later, sets)]).toEqual([40, 'pending']);
    // Measured by the later release too, it stands in both sets, though equal.
    const filled = mergeRecords(later, sets, [at(40)]).set;
    expect(registers(filled, [set, filled])).toBe(40);
    // Measured again, nothing moves.
    expect(mergeRecords(set, [set, filled], [at(40), at(51, 'sm_90')]).changes).toEqual([]);
  });
});

describe('the hash of a source', () => {
  const SOURCES = new Map([
    ['norm/norm.cu', '#include "reduce.cuh"\n#include <cuda_bf16.h>\n#include "local.cuh"\nnorm'],
    ['norm/local.cuh', 'local'],
    ['other/other.cu', 'other'],
    ['shared/cuda/reduce.cuh', '#pragma once\n#include "round.cuh"\n'],
    ['shared/cuda/round.cuh', '#include "reduce.cuh"\nround'],
    ['shared/hip/reduce.cuh', 'hip'],
  ]);
  const hash = (path: string, text?: string, defines = {}): string => {
    const sources = new Map(SOURCES);
    if (text !== undefined) sources.set(path, text);
    return sourceHasher(sources)({ dialect: 'cuda', source: 'norm/norm.cu', defines });
  };
  const whole = hash('');

  test.each(['norm/norm.cu', 'norm/local.cuh', 'shared/cuda/reduce.cuh', 'shared/cuda/round.cuh'])(
    'moves with %s',
    (path) => {
      expect(hash(path, `${SOURCES.get(path)} `)).not.toBe(whole);
    },
  );

  test.each(['other/other.cu', 'shared/hip/reduce.cuh', 'shared/cuda/unused.cuh'])('does not move with %s', (path) => {
    expect(hash(path, 'changed')).toBe(whole);
  });

  test('moves with a define, whatever the order of defines', () => {
    expect(hash('', undefined, { HEAD: 128 })).not.toBe(whole);
    expect(hash('', undefined, { HEAD: 128, K: 1 })).toBe(hash('', undefined, { K: 1, HEAD: 128 }));
  });
});

describe('a stale record prints the command that mends it', () => {
  const found = { ...record(cuda({ registers: 40 })), path: 'records/cuda/nvcc-13.0.jsonl' };

  test('of another source', () => {
    expect(staleSource(found, 'cuda', HASH)).toBeUndefined();
    expect(staleSource(found, 'cuda', 'fedcba9876543210')).toEqual({
      limit: 'stale',
      what:
        'records/cuda/nvcc-13.0.jsonl: norm on sm_80 is stale: it was compiled from source 0123456789abcdef, ' +
        'and the source is now fedcba9876543210',
      do: 'Run: tf-kernel-contract --offline DIR --only norm@cuda --write',
    });
  });

  test('of another compile', () => {
    expect(staleImage(found, cuda({ registers: 40, release: '13.1' }))).toBeUndefined();
    expect(staleImage(found, cuda({ registers: 48, maxThreads: [256, 1, 1], release: '13.2' }))?.what).toBe(
      'records/cuda/nvcc-13.0.jsonl: norm on sm_80 is stale: registers 40, now 48; maxThreads none, now 256 x 1 x 1 ' +
        'in the image, of release 13.2',
    );
  });

  test('but not one that is pending', () => {
    const waiting = { ...pending('sm_80'), path: found.path };
    expect(staleSource(waiting, 'cuda', HASH)).toBeUndefined();
    expect(staleImage(waiting, cuda())).toBeUndefined();
  });
});
