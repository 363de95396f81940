/** A device that is present is one more row: its own limits, and what its driver tells of each loaded kernel, against the launches. */
import { expect, test } from 'bun:test';
import type { Verdict } from '../../src/audit/audit.ts';
import type { LiveDevice, LiveKernel } from '../../src/audit/live.ts';
import { auditLive } from '../../src/audit/live.ts';
import { leastMeasured } from '../../src/audit/least.ts';
import { chipNamed } from '../../src/audit/chips/all.ts';
import type { Dialect } from '../../src/families/formula/functions.ts';
import type { Recorded } from '../../src/audit/recorded.ts';

const device: LiveDevice = { id: 'cuda:0', dialect: 'cuda', chip: 'sm_90', limits: { max_threads: 1024 } };
const kernel: LiveKernel = {
  kernel: 'k',
  dialect: 'cuda',
  symbol: 'tf_k',
  defines: { N: 1 },
  attributes: { max_threads: 1024, static_local_bytes: 512, registers: 32 },
  set: 'nvcc-13.0',
};

/** The records of one launch of 512 threads. */
function recorded(dialect: Dialect, chipName: string, facts: object = {}): Recorded {
  const chip = chipNamed(dialect, chipName);
  if (!chip) throw new Error(`no chip ${chipName}`);
  const at = [{ threads: [512, 1, 1], grid: [4, 1, 1], localBytes: 1024, optIn: false, label: 'rows=4' }] as const;
  const launch = { kernel: 'k', dialect, symbol: 'tf_k', source: 'k/k.cu', defines: { N: 1 }, at, hash: 'h' };
  const least = leastMeasured('tf_k', chip);
  const record = { kernel: 'k', chip: chipName, symbol: 'tf_k', source: 'h', facts: { ...least, ...facts }, path: 'p' };
  return { launches: [{ launch, set: 'nvcc-13.0', records: { [chipName]: record } }], problems: [] } as Recorded;
}

const cuda = recorded('cuda', 'sm_90', { registers: 32, staticShared: 512 });
const audited = (part: Partial<LiveKernel>, own: Partial<LiveDevice> = {}, records = cuda): Verdict | undefined =>
  auditLive({ ...device, ...own }, [{ ...kernel, ...part }], records)?.[0];
const told = (verdict: Verdict | undefined): string[] =>
  verdict?.problems.map(({ limit, what }) => `${limit}: ${what}`) ?? [];

test('a kernel that fits is a row of the device', () => {
  expect(audited({})).toMatchObject({ chip: 'cuda:0 sm_90', status: 'fits', problems: [], defines: 'N=1' });
});

test('a driver’s own most threads of a kernel is its launch bound', () => {
  const verdict = audited({ attributes: { ...kernel.attributes, max_threads: 384 } });
  expect(verdict?.status).toBe('does not fit');
  expect(told(verdict)[0]).toMatch(/^launch bound: 512 > 384/);
});

test('limits of the device take the place of its chip’s', () => {
  expect(told(audited({}, { limits: { max_threads: 256 } }))[0]).toMatch(/^threads: 512 > 256/);
  expect(told(audited({}, { limits: { local_bytes: 1000 } }))[0]).toContain('1,536 > 1,000');
  expect(told(audited({}, { limits: { registers: 8192 } }))[0]).toMatch(/^registers: .*> 8,192/);
});

test('a record that says other than the driver is a problem that names both, where one compiler made both', () => {
  const verdict = audited({ attributes: { ...kernel.attributes, registers: 40 } });
  expect(verdict?.status).toBe('stale');
  expect(told(verdict)).toEqual(['stale: nvcc-13.0 records 32 registers a thread on sm_90, and cuda:0 has loaded 40']);
  expect(audited({ attributes: { ...kernel.attributes, registers: 40 }, set: 'nvrtc-13.0' })?.status).toBe('fits');
});

test.each([
  ['hip', 'gfx1100', { max_threads: 256 }, 'launch bound'],
  ['metal', 'M1', { max_threads: 256 }, 'pipeline'],
] as const)('%s: a kernel’s own limit holds on %s', (dialect, chip, attributes, limit) => {
  const records = recorded(dialect, chip);
  const verdict = audited({ dialect, attributes }, { id: `${dialect}:0`, dialect, chip, limits: {} }, records);
  expect(verdict?.problems.map((problem) => problem.limit)).toContain(limit);
});

test('a chip without a row gives no verdict, which is no pass', () => {
  expect(auditLive({ ...device, chip: 'sm_77' }, [kernel], cuda)).toBeUndefined();
});
