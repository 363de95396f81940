/** The audit of all launches: a verdict for every launch, chip and set of records. */
import { describe, expect, test } from 'bun:test';
import type { Contract, Launch } from '../../src/spec/contract.ts';
import type { Kernel } from '../../src/spec/registration.ts';
import type { Verdict } from '../../src/audit/audit.ts';
import { auditAll } from '../../src/audit/audit.ts';
import { SERVED_CHIPS } from '../../src/audit/chips/all.ts';
import { auditLaunches } from '../../src/audit/launches.ts';
import { recordedLaunches } from '../../src/audit/recorded.ts';
import type { Measured } from '../../src/audit/measured.ts';
import type { RecordLine, RecordSet } from '../../src/audit/records.ts';
import { hashedLaunches, sourceHasher } from '../../src/audit/records-source.ts';
import { judgeControls, LIMIT_CONTROLS } from '../../src/audit/controls.ts';
import { chip, cuda, metal } from './rules-kit.ts';

const SOURCES = new Map([
  ['k/k.cu', 'cuda'],
  ['k/k.metal', 'metal'],
]);
const LAUNCH: Launch = { symbol: 'k', threads: 256, grid: ({ rows = 0 }) => [rows], depth: () => 1 };

/** A kernel of one dimension served at 1, 8 and 100 rows. */
const kernel = (dialect: 'cuda' | 'metal', launch: Launch | readonly Launch[] = LAUNCH): Kernel => ({
  name: 'norm',
  folder: 'k',
  path: 'k/k.contract.ts',
  contract: {
    dims: { rows: { least: 1 } },
    served: [{ rows: [1, 8, 100] }],
    launch: { [dialect]: launch },
  } as unknown as Contract,
  dialects: [dialect],
  controls: [],
  regressions: [],
});

const hashOf = (dialect: 'cuda' | 'metal'): string =>
  sourceHasher(SOURCES)({ dialect, source: dialect === 'cuda' ? 'k/k.cu' : 'k/k.metal', defines: {} });

const line = (facts: Measured, source = hashOf(facts.dialect as 'cuda' | 'metal')): RecordLine => ({
  kernel: 'norm',
  chip: facts.chip,
  symbol: 'k',
  source,
  facts,
});

const nvcc = (release: string, lines: readonly RecordLine[], inherits?: string): RecordSet => ({
  dialect: 'cuda',
  compiler: 'nvcc',
  release,
  ...(inherits !== undefined && { inherits }),
  lines,
});

const auditOf = (
  sets: readonly RecordSet[],
  of: Kernel = kernel('cuda'),
  chips = ['sm_80'],
): { readonly verdicts: readonly Verdict[]; readonly problems: readonly string[] } => {
  const [dialect = 'cuda'] = of.dialects;
  const launches = hashedLaunches([of], SOURCES);
  const on = chips.map((name) => chip(dialect, name));
  const recorded = recordedLaunches(launches, { sets, problems: [] }, on);
  return { verdicts: auditAll(recorded, on), problems: recorded.problems };
};

const verdicts = (...args: Parameters<typeof auditOf>): readonly Verdict[] => auditOf(...args).verdicts;
const statuses = (...args: Parameters<typeof auditOf>): string[] => verdicts(...args).map(({ status }) => status);

describe('a launch', () => {
  const shapesOf = (launch: Partial<Launch>): (string | undefined)[] | undefined =>
    auditLaunches(kernel('cuda', { ...LAUNCH, ...launch }))[0]?.at.map(({ label }) => label);

  test('is audited at the shapes that no other stands for', () => {
    expect(shapesOf({})).toEqual(['rows=100']);
    expect(shapesOf({ grid: ({ rows = 0 }) => [rows, 200 - rows] })).toEqual(['rows=1', 'rows=8', 'rows=100']);
    expect(shapesOf({ localBytes: ({ rows = 0 }) => 1024 - rows })).toEqual(['rows=1', 'rows=8', 'rows=100']);
    expect(shapesOf({ cluster: 4 })).toEqual(['rows=1', 'rows=8', 'rows=100']);
    expect(shapesOf({ grid: ({ rows = 0 }) => [rows - 1] })).toEqual(['rows=1', 'rows=100']);
  });

  test('is audited at the shapes of its own route', () => {
    const few = { ...LAUNCH, symbol: 'few', when: ({ rows = 0 }) => rows < 9 };
    const routes = auditLaunches(kernel('cuda', [few, LAUNCH]));
    expect(routes.map(({ symbol, at }) => [symbol, ...at.map(({ grid }) => grid[0])])).toEqual([
      ['few', 8],
      ['k', 100],
    ]);
  });
});

describe('a verdict', () => {
  test('fits, and says how many blocks an SM holds, and which limit is the nearest', () => {
    expect(verdicts([nvcc('13.0', [line(cuda())])])).toEqual([
      {
        kernel: 'norm',
        dialect: 'cuda',
        symbol: 'k',
        chip: 'sm_80',
        set: 'nvcc-13.0',
        status: 'fits',
        problems: [],
        near: {
          limit: 'registers',
          used: 0.125,
          what: expect.stringContaining('8 x 1,024 = 8,192 <= 65,536 registers a block of sm_80'),
          at: 'rows=100',
        },
        groups: 8,
      },
    ]);
  });

  test('is tight from nine tenths of a limit that a compile moves', () => {
    const [tight] = verdicts([nvcc('13.0', [line(cuda({ registers: 232 }))])]);
    expect(tight?.status).toBe('tight');
    expect(tight?.near?.limit).toBe('registers');
    expect(tight?.near?.used).toBeCloseTo(0.906, 3);
    expect(tight?.near?.what).toEndWith('8 x 7,424 = 59,392 <= 65,536 registers a block of sm_80');
    expect(statuses([nvcc('13.0', [line(cuda({ registers: 224, maxThreads: [256, 1, 1] }))])])).toEqual(['fits']);
  });

  test('does not fit, at the shape that misses the limit by most', () => {
    const wide = kernel('cuda', { ...LAUNCH, localBytes: ({ rows = 0 }) => rows * 1024 });
    const [verdict] = verdicts([nvcc('13.0', [line(cuda())])], wide);
    expect(verdict?.status).toBe('does not fit');
    expect(verdict?.problems.map(({ limit, at }) => [limit, at])).toEqual([['opt-in', 'rows=100']]);
    const optIn = (bytes: number): Kernel =>
      kernel('cuda', { ...LAUNCH, localBytes: ({ rows = 0 }) => rows * bytes, optIn: true });
    expect(statuses([nvcc('13.0', [line(cuda())])], optIn(1024))).toEqual(['fits']);
    const [past] = verdicts([nvcc('13.0', [line(cuda())])], optIn(25_000));
    expect(past?.problems.map(({ limit, at }) => [limit, at])).toEqual([['local bytes', 'rows=100']]);
  });

  test('is pending without a record, but not where the launch alone breaks a limit', () => {
    expect(statuses([nvcc('13.0', [])])).toEqual(['pending']);
    expect(statuses([])).toEqual(['pending']);
    expect(statuses([], kernel('cuda', { ...LAUNCH, threads: 2048 }))).toEqual(['does not fit']);
    const [verdict] = verdicts([], kernel('cuda', { ...LAUNCH, grid: () => [1, 70_000] }));
    expect(verdict?.problems[0]?.what).toBe('grid y 70,000 > 65,535 of sm_80 (4,465 over)');
  });

  test('is stale where the source is another, and its numbers are not judged', () => {
    const old = line(cuda({ registers: 255, maxThreads: [32, 1, 1] }), 'fedcba9876543210');
    const [verdict] = verdicts([nvcc('13.0', [old])]);
    expect(verdict?.status).toBe('stale');
    expect(verdict?.problems.map(({ limit }) => limit)).toEqual(['stale']);
    expect(verdict?.problems[0]?.do).toBe('Run: tf-kernel-contract --offline DIR --only norm@cuda --write');
  });

  test('is given for each set of records, by what the set inherits', () => {
    const base = nvcc('13.0', [line(cuda()), line(cuda({ chip: 'sm_90' }))]);
    const later = nvcc('13.2', [line(cuda({ maxThreads: [128, 1, 1] }))], 'nvcc-13.0');
    const all = verdicts([base, later], kernel('cuda'), ['sm_80', 'sm_90', 'sm_120']).toSorted(
      (a, b) => Number(a.chip.slice(3)) - Number(b.chip.slice(3)),
    );
    expect(all.map((verdict) => [verdict.chip, verdict.set, verdict.status])).toEqual([
      ['sm_80', 'nvcc-13.0', 'fits'],
      ['sm_80', 'nvcc-13.2', 'does not fit'],
      ['sm_90', 'nvcc-13.0', 'fits'],
      ['sm_90', 'nvcc-13.2', 'fits'],
      ['sm_120', 'nvcc-13.0', 'pending'],
      ['sm_120', 'nvcc-13.2', 'pending'],
    ]);
  });

  test("takes a record of the chip's own features", () => {
    expect(statuses([nvcc('13.0', [line(cuda({ chip: 'sm_90a' }))])], kernel('cuda'), ['sm_90'])).toEqual(['fits']);
  });

  test('a set that inherits nothing that is there is told once', () => {
    expect(auditOf([nvcc('13.2', [], 'nvcc-13.0')]).problems).toEqual([
      'records/cuda/nvcc-13.2.jsonl inherits nvcc-13.0, which is no earlier set of nvcc',
    ]);
  });
});

describe('a metal launch', () => {
  const sourced = (facts: Parameters<typeof metal>[0]): RecordSet => ({
    dialect: 'metal',
    compiler: 'clang',
    release: '19',
    lines: [line(metal({ ...facts, chip: 'source' }))],
  });
  const translated = (facts: Parameters<typeof metal>[0]): RecordSet => ({
    dialect: 'metal',
    compiler: 'metal',
    release: '32023',
    lines: [line(metal(facts))],
  });
  const on = (records: readonly RecordSet[]): string[] => statuses(records, kernel('metal'), ['M1', 'M2', 'M3', 'M5']);

  test('whose source reserves its threads needs no compile', () => {
    expect(on([sourced({ reserved: 256 })])).toEqual(['fits', 'fits', 'fits', 'fits']);
    expect(on([sourced({ reserved: 128 })])).toEqual(Array(4).fill('does not fit'));
  });

  test('is pending on M1 and M2 where nothing was compiled, and only there', () => {
    expect(on([sourced({})])).toEqual(['pending', 'pending', 'fits', 'fits']);
    expect(on([sourced({ tensorOps: true })])).toEqual(['fits', 'fits', 'fits', 'fits']);
    expect(on([])).toEqual(Array(4).fill('pending'));
  });

  test("keeps its source's memory beside what was compiled for a chip", () => {
    const memory = { staticThreadgroup: 32_784 };
    expect(on([sourced(memory), translated({ maxThreads: 224, ...memory })])).toEqual(Array(4).fill('does not fit'));
    expect(on([sourced({}), translated({ maxThreads: 224 })])).toEqual(['does not fit', 'pending', 'fits', 'fits']);
    expect(on([sourced({}), translated({ maxThreads: 640 })])).toEqual(['fits', 'pending', 'fits', 'fits']);
    const old = { ...sourced({}), lines: [line(metal({ chip: 'source', reserved: 128 }), 'fedcba9876543210')] };
    expect(on([old, translated({ maxThreads: 640 })])).toEqual(['fits', 'stale', 'stale', 'stale']);
  });
});

describe('the standing controls', () => {
  test.each(judgeControls().map((result) => [result.id, result] as const))('%s goes red', (_id, { status, reason }) => {
    expect([status, reason()]).toEqual(['red', reason()]);
  });

  test('name every chip that is served', () => {
    const named = new Set(LIMIT_CONTROLS.flatMap(({ chips }) => chips));
    expect(SERVED_CHIPS.filter(({ name }) => !named.has(name))).toEqual([]);
  });

  const [bound] = LIMIT_CONTROLS;
  if (!bound) throw new Error('there are no standing controls');

  test('one that fits is missed, one that breaks another limit or is unsound is broken', () => {
    const judged = (changes: Partial<typeof bound>): string =>
      judgeControls([{ ...bound, ...changes }])[0]?.status ?? '';
    expect(judged({ planted: bound.sound })).toBe('missed');
    expect(judged({ limit: 'registers' })).toBe('broken');
    expect(judged({ sound: bound.planted })).toBe('broken');
    expect(judged({ chips: [] })).toBe('broken');
    expect(judged({ chips: ['sm_1'] })).toBe('broken');
    const both = { ...bound.planted, facts: { ...bound.planted.facts, registers: 255 } };
    expect(judged({ planted: both })).toBe('broken');
  });
});
