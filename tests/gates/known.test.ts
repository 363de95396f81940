/** A known finding must keep failing; once it passes, the run fails until the entry goes. */
import { describe, expect, test } from 'bun:test';
import type { KnownFinding } from '../../src/spec/contract.ts';
import { f32, rows } from '../../src/spec/contract.ts';
import { MODES } from '../../src/spec/modes.ts';
import { judge, verdict } from '../faults/harness.ts';

const source = (relu: string): string => `
extern "C" __global__ void k(const float* x, float* y, unsigned width) {
  for (unsigned i = threadIdx.x; i < width; i += 32) {
    const float v = x[size_t(blockIdx.x) * width + i];
    y[size_t(blockIdx.x) * width + i] = ${relu};
  }
}
`;
const DROPPED = source('fmaxf(v, 0.0f)');
const KEPT = source('v < 0.0f ? 0.0f : v');

const known = (change: Partial<KnownFinding> = {}): KnownFinding => ({
  gate: 'nonfinite',
  finding: 'class',
  what: 'relu drops a NaN',
  link: 'docs/known-findings.md#k',
  ...change,
});
const contract = (...entries: readonly KnownFinding[]) => ({
  name: 'k',
  dims: { rows: { least: 1 }, width: { tile: 32, step: 1, least: 1 } },
  served: [{ rows: [1, 44], width: 48 }],
  inputs: { x: f32('rows', 'width') },
  outputs: { y: f32('rows', 'width') },
  args: ['x', 'y', 'width'],
  formula: rows('width', 'y = relu(x)'),
  accumulator: 'none' as const,
  launch: { cuda: { symbol: 'k', threads: 32, grid: ({ rows: n = 1 }) => [n], depth: () => 0 } },
  known: entries,
});

describe('a known finding', () => {
  test('that still fails is known, and says where it is tracked', async () => {
    const result = await verdict(contract(known()), DROPPED, 'nonfinite');
    expect(result.status).toBe('known');
    expect(result.reason).toBe('relu drops a NaN (docs/known-findings.md#k)');
  });

  test('that passes fails the run until its entry goes', async () => {
    const result = await verdict(contract(known()), KEPT, 'nonfinite', { modes: MODES });
    expect(result.status).toBe('fail');
    expect(result.reason).toContain('the known finding passes now: remove the entry');
  });

  test('that a part of the cases does not show is not gone', async () => {
    const part = { only: (address: string) => address.includes('lanes=x'), modes: MODES };
    expect((await verdict(contract(known()), KEPT, 'nonfinite', part)).status).toBe('pass');
    expect((await verdict(contract(known()), DROPPED, 'nonfinite', part)).status).toBe('known');
    expect((await verdict(contract(known()), KEPT, 'nonfinite', { modes: ['plain'] })).status).toBe('pass');
  });

  test('of a chip excuses nothing on the host device, and is asked of that chip alone', async () => {
    const entry = known({ chips: ['sm_90'] });
    expect((await verdict(contract(entry), DROPPED, 'nonfinite')).status).toBe('fail');
    expect((await verdict(contract(entry), KEPT, 'nonfinite', { modes: MODES })).status).toBe('pass');
    const on = (chip: string) => ({ modes: MODES, chip });
    expect((await verdict(contract(entry), DROPPED, 'nonfinite', on('sm_90'))).status).toBe('known');
    expect((await verdict(contract(entry), KEPT, 'nonfinite', on('sm_90'))).reason).toContain('remove the entry');
    expect((await verdict(contract(entry), DROPPED, 'nonfinite', on('sm_120'))).status).toBe('fail');
  });

  test('excuses nothing of another class', async () => {
    const result = await verdict(contract(known({ finding: 'unwritten' })), DROPPED, 'nonfinite');
    expect(result.status).toBe('fail');
  });

  test('excuses no other gate', async () => {
    const result = await verdict(
      contract(known({ gate: 'shapes', finding: 'value', within: 2 })),
      DROPPED,
      'nonfinite',
    );
    expect(result.status).toBe('fail');
  });

  test('of another dialect excuses nothing here', async () => {
    const { launch, ...stated } = contract(known({ on: ['hip'] }));
    const both = { ...stated, launch: { cuda: launch.cuda, hip: launch.cuda } };
    const sources = { cuda: DROPPED, hip: `#include <hip/hip_runtime.h>\n${DROPPED}` };
    const results = await judge(both, sources, { gates: ['nonfinite'] });
    expect(results.map(({ status }) => status)).toEqual(['fail', 'known']);
  });

  test('beside another is known with it, and both are told', async () => {
    const entries = [known(), known({ finding: 'unwritten', what: 'a column is left out' })];
    const both = await verdict(contract(...entries), DROPPED.replace('i < width', 'i + 1 < width'), 'nonfinite');
    expect(both.status).toBe('known');
    expect(both.reason).toContain('; a column is left out');
    const one = await verdict(contract(...entries), DROPPED, 'nonfinite', { modes: MODES });
    expect(one.reason).toContain("remove the entry 'a column is left out'");
  });

  test('makes no control red: only what the fault adds does', async () => {
    const controls = [
      { from: '// first place', to: '//' }, // changes nothing
      { from: 'v = x[size_t(blockIdx.x) * width + i]', to: 'v = i < 9 ? 0.0f : x[size_t(blockIdx.x) * width + i]' },
    ].map((cuda, i) => ({ fault: `${i}`, reddens: 'shapes', finding: 'value', edit: { cuda } }) as const);
    const entry = known({ gate: 'shapes', finding: 'value', what: 'a whole tile is doubled', within: 1e9 });
    const partly = source('width == 32 ? v + v : v');
    const stated = { ...contract(entry), formula: rows('width', 'y = x * 1'), controls };
    const results = await judge(stated, { cuda: partly }, { gates: ['shapes'], runControls: true });
    expect(results.map(({ status }) => status)).toEqual(['known', 'missed', 'red']);
  });

  test('of a value covers nothing that is worse than it says', async () => {
    const entry = known({ gate: 'shapes', finding: 'value', what: 'an ulp off', within: 16 });
    const stated = { ...contract(entry), formula: rows('width', 'y = x * 1') };
    const off = (factor: string): string => source(`v * ${factor}`);
    expect((await verdict(stated, off('1.0000003f'), 'shapes')).status).toBe('known');
    expect((await verdict(stated, off('2.5f'), 'shapes')).status).toBe('fail');
  });

  test('without an entry, the kernel fails where it drops a NaN and passes where it keeps it', async () => {
    expect((await verdict(contract(), DROPPED, 'nonfinite')).status).toBe('fail');
    expect((await verdict(contract(), KEPT, 'nonfinite')).status).toBe('pass');
  });
});
