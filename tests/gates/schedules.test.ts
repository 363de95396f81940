/** Orders beyond gate 2's own: a difference comes down to two of them, and the command that runs those two again. */
import { expect, test } from 'bun:test';
import { f32, rows } from '#contract';
import { findingLines } from '../../src/report/lines.ts';
import { PLAIN } from '../../src/report/style.ts';
import type { Stated } from '../faults/harness.ts';
import { verdict } from '../faults/harness.ts';

/** Right but where thread 17 is the first of 32 past the barrier, which few orders make it. */
const SOURCE = `
extern "C" __global__ void k(const float* x, float* y, unsigned width) {
  __shared__ unsigned first;
  if (threadIdx.x == 0) first = 0;
  __syncthreads();
  const bool odd = atomicAdd(&first, 1u) == 0 && threadIdx.x == 17;
  for (unsigned i = threadIdx.x; i < width; i += 32) y[i] = x[i] + (odd && i == 49 ? 1.0f : 0.0f);
}
`;
const STATED: Stated = {
  name: 'k',
  dims: { width: { least: 1 } },
  served: [{ width: 64 }],
  inputs: { x: f32('width') },
  outputs: { y: f32('width') },
  args: ['x', 'y', 'width'],
  formula: rows('width', 'y = x + 0'),
  accumulator: 'none',
  launch: { cuda: { symbol: 'k', threads: 32, grid: () => [1], depth: () => 0 } },
};

test('five orders do not show it; among 200 two are named, with the output that differs', async () => {
  expect((await verdict(STATED, SOURCE, 'repeat')).status).toBe('pass');
  const schedules = Array.from({ length: 200 }, (_, schedule) => schedule);
  const found = await verdict(STATED, SOURCE, 'repeat', { schedules });
  const [finding] = found.findings;
  const other = /^1 of 64 outputs differ between schedule 0 and schedule (\d+)$/.exec(finding?.what ?? '')?.[1];
  expect(Number(other)).toBeGreaterThan(4);
  expect(finding?.worst).toMatch(/^y\[49\]  first run \S+ \(0x\w+\)  second run /);
  expect(finding?.schedules).toEqual([0, Number(other)]);

  const again = await verdict(STATED, SOURCE, 'repeat', { schedules: [0, Number(other)] });
  expect(again.findings).toEqual(found.findings);
  const lines = finding && findingLines(found, finding, { device: 'host', seed: '1', style: PLAIN });
  expect(lines?.at(-1)).toBe(
    `      Rerun: tf-kernel-contract --only k@cuda:repeat:width=64 --seed 1 --schedules 0,${other}`,
  );
});

test('the orders that are asked for are those that run', async () => {
  const { notes } = await verdict(STATED, SOURCE, 'repeat', { schedules: [0, 1, 2] });
  expect(notes.join(' ')).toStartWith('3 equal runs');
});
