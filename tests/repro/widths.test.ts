/** A finding at 64 lanes a warp: its aim, its smallest input and its fixture keep the width, and it replays there. */
import { expect, test } from 'bun:test';
import { aimsOf } from '../../src/repro/aims.ts';
import { fixtureOf } from '../../src/repro/fixture.ts';
import { pursue } from '../../src/repro/pursue.ts';
import { replay } from '../../src/repro/replay.ts';
import type { Contract } from '../../src/spec/contract.ts';
import { f32, rows } from '../../src/spec/contract.ts';
import { fixtureText, readFixture } from '../../src/spec/fixture.ts';
import { HOUR, SETTINGS, shopOf } from './kit.ts';

/** A row's sum by 64 threads; in HIP by shuffles that start at 16, and as many partial sums as there are warps. */
const sum = (shuffle: string, warp: string): string => `
extern "C" __global__ void k(const float* x, float* y, unsigned width) {
  __shared__ float partials[2];
  const unsigned t = threadIdx.x;
  float sum = t < width ? x[size_t(blockIdx.x) * width + t] : 0.0f;
  for (int by = 16; by > 0; by /= 2) sum += ${shuffle};
  if (t % ${warp} == 0) partials[t / ${warp}] = sum;
  __syncthreads();
  float total = partials[0];
  for (unsigned i = 1; i < 64 / ${warp}; i++) total += partials[i];
  if (t == 0) y[blockIdx.x] = total;
}
// first place
// second place
`;
const launch = { symbol: 'k', threads: 64, grid: ({ rows: n = 1 }) => [n], depth: () => 6 };
const STATED = {
  name: 'case',
  dims: { rows: { least: 1 }, width: { tile: 64, step: 1, least: 1 } },
  served: [{ rows: [1, 4], width: [64] }],
  inputs: { x: f32('rows', 'width') },
  outputs: { y: f32('rows') },
  args: ['x', 'y', 'width'],
  formula: rows('width', 'y = sum(x)'),
  nan: 'propagate',
  accumulator: 'f32',
  launch: { cuda: launch, hip: launch },
  controls: [],
} as const satisfies Contract;

const label = 'rows=4,width=64,warp=64';

test('from a finding at 64 lanes to a fixture that replays there, and passes in a dialect whose warps have 32', async () => {
  const files = { 'case/case.hip': `#include <hip/hip_runtime.h>\n${sum('__shfl_xor(sum, by)', 'warpSize')}` };
  const shop = shopOf(STATED, sum('__shfl_xor_sync(~0u, sum, by)', '32'), files);
  const finding = {
    class: 'value',
    cause: { code: 'value', of: 'y' },
    what: '4 of 4 outputs past the bound',
    label,
  } as const;
  const row = {
    kernel: 'case',
    dialect: 'hip',
    gate: 'shapes',
    device: 'host',
    status: 'fail',
    findings: [finding],
  } as const;
  const [aim] = aimsOf(shop.kernel, row);
  if (!aim) throw new Error('no aim');
  expect(aim).toMatchObject({ address: `case@hip:shapes:${label}`, way: { mode: 'plain', warp: 64 } });

  const pursued = await pursue(shop, aim, SETTINGS, { timeMs: HOUR });
  if ('missed' in pursued) throw new Error(pursued.missed);
  const { small, suspect } = pursued;
  expect(small.way).toEqual({ mode: 'plain', warp: 64 });
  const { inputs, finding: last } = small;
  const fixture = readFixture(fixtureText(fixtureOf(suspect, { inputs, finding: last, label })));
  suspect.release();
  expect(fixture).toMatchObject({ dialect: 'hip', mode: 'plain', warp: 64, address: `case@hip:shapes:${label}` });

  // What lies in the upper half of a wave is lost.
  const columns = fixture.inputs['x']?.cells.map(({ at }) => at[1] ?? 0) ?? [];
  expect(columns.some((column) => column >= 16)).toBe(true);

  const again = await replay(shop, fixture, { limitMs: SETTINGS.limitMs });
  expect(again).toMatchObject({ isSame: true, isStale: false });
  const { warp: _warp, ...first } = fixture;
  expect(await replay(shop, first, { limitMs: SETTINGS.limitMs })).toMatchObject({ isSame: false, findings: [] });
  expect(await replay(shop, fixture, { limitMs: SETTINGS.limitMs }, 'cuda')).toMatchObject({
    isSame: false,
    findings: [],
  });
});
