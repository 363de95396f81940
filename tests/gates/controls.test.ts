/** The controls of the harness itself: each fails the run in its own words. */
import { describe, expect, test } from 'bun:test';
import type { Contract, Control, GateName } from '../../src/spec/contract.ts';
import { bf16, edit, f32, rows } from '../../src/spec/contract.ts';
import type { ControlResult } from '../../src/gates/result.ts';
import { judge, verdict } from '../faults/harness.ts';

/** y = Σ x by a group of 64, a partial a thread, summed in order by the first. */
const SOURCE = `
#include <cuda_bf16.h>
extern "C" __global__ void __launch_bounds__(64) k(const __nv_bfloat16* x, float* y, unsigned width) {
  __shared__ float partials[64];
  float sum = 0.0f;
  for (unsigned i = threadIdx.x; i < width; i += 64) sum += __bfloat162float(x[size_t(blockIdx.x) * width + i]);
  partials[threadIdx.x] = sum;
  __syncthreads();
  float total = 0.0f;
  for (unsigned i = 0; i < 64; i++) total += partials[i];
  if (threadIdx.x == 0) y[blockIdx.x] = total;
}
`;

const CONTRACT = {
  name: 'k',
  dims: { rows: { least: 1 }, width: { tile: 64, step: 1, least: 1 } },
  served: [{ rows: [1, 3], width: [128, 200] }],
  inputs: { x: bf16('rows', 'width') },
  outputs: { y: f32('rows') },
  args: ['x', 'y', 'width'],
  formula: rows('width', 'y = sum(x)'),
  accumulator: 'f32',
  launch: {
    cuda: {
      symbol: 'k',
      threads: 64,
      grid: ({ rows = 1 }) => [rows],
      depth: ({ width = 1 }) => Math.ceil(width / 64) + 64,
    },
  },
} as const satisfies Partial<Contract>;

const plant = (
  from: string,
  to: string,
  reddens: GateName,
  finding: Control['finding'],
  more: Partial<Control> = {},
): Control => ({
  fault: `${from} becomes ${to}`,
  reddens,
  finding,
  edit: { cuda: edit(from, to) },
  ...more,
});
const GOOD = plant('i < width;', 'i < width - 1;', 'shapes', 'value');

/** The verdicts of two controls, the second a good one. */
async function trial(control: Control): Promise<ControlResult[]> {
  const results = await judge(
    { ...CONTRACT, controls: [control, GOOD] },
    { cuda: SOURCE },
    { runControls: true, gates: ['nonfinite', 'repeat', 'shapes', 'sums'] },
  );
  const gates = results.filter((result) => result.kind === 'gate');
  expect(gates.map(({ gate, status }) => [gate, status])).toEqual([
    ['nonfinite', 'pass'],
    ['repeat', 'pass'],
    ['shapes', 'pass'],
    ['sums', 'pass'],
  ]);
  return results.filter((result) => result.kind === 'control');
}

async function only(control: Control): Promise<ControlResult> {
  const found = (await trial(control)).find(({ id }) => id === '1');
  if (!found) throw new Error('the control did not come back');
  return found;
}

describe('a control', () => {
  test('that the named gate finds for the named reason is red, and says where', async () => {
    const red = await only(plant('i += 64)', 'i += 128)', 'shapes', 'value'));
    expect(red.status).toBe('red');
    expect(red.reason).toContain('past the bound');
  });

  test('that does not compile is broken, with the compiler text and the line', async () => {
    const broken = await only(plant('float total = 0.0f;', 'float total = nothing;', 'shapes', 'value'));
    expect(broken.status).toBe('broken');
    expect(broken.reason).toContain('does not compile');
    expect(broken.reason).toMatch(/case\.cu:9.*nothing/);
  });

  test.each([
    ['nowhere', 'i < depth;', 'its cuda edit matches 0 places, not 1: i < depth;'],
    ['in many places', 'threadIdx.x', 'its cuda edit matches 3 places, not 1: threadIdx.x'],
  ])('whose text is %s is broken, and the gates run all the same', async (_where, from, reason) => {
    const control = await only(plant(from, 'i', 'shapes', 'value'));
    expect(control).toMatchObject({ status: 'broken', reason });
  });

  test.each([
    ['is nowhere', edit('mean(x)', 'x'), 'its formula edit matches 0 places, not 1: mean(x)'],
    ['has no meaning', edit('sum(x)', 'sum('), 'sum('],
  ])('of the formula whose text %s is broken, and the gates run all the same', async (_what, formula, reason) => {
    const control = await only({ fault: 'another claim', reddens: 'shapes', finding: 'value', formula });
    expect(control.status).toBe('broken');
    expect(control.reason).toContain(reason);
  });

  test('that changes nothing the gate can see is missed', async () => {
    const missed = await only(plant('float total = 0.0f;', 'float total = -0.0f + 0.0f;', 'shapes', 'value'));
    expect(missed.status).toBe('missed');
    expect(missed.reason).toContain('shapes stayed green on every case');
  });

  test('that is red at another gate than it names is missed at the one it names', async () => {
    const missed = await only(plant('i < width;', 'i < width - (width == 200);', 'sums', 'class'));
    expect(missed.status).not.toBe('red');
  });

  test('that its gate finds for another reason is broken', async () => {
    const broken = await only(plant('y[blockIdx.x] = total', 'y[blockIdx.x + 1] = total', 'shapes', 'value'));
    expect(broken.status).toBe('broken');
    expect(broken.reason).toContain("it must be found as 'value'");
    expect(broken.reason).toMatch(/unwritten|guard/);
  });

  test('whose launch faults is broken, never red', async () => {
    const broken = await only(plant('float total = 0.0f;', 'float total = *(volatile float*)8;', 'shapes', 'value'));
    expect(broken.status).toBe('broken');
    expect(broken.reason).toContain('fault');
  });

  test('that is red where it must stay green is broken', async () => {
    const green = { green: ({ width = 0 }) => width % 64 === 0 };
    const broken = await only(plant('i += 64)', 'i += 128)', 'shapes', 'value', green));
    expect(broken.status).toBe('broken');
    expect(broken.reason).toContain('it must stay green at');
  });

  test('that stays green where it must, and is red elsewhere, is red', async () => {
    const green = { green: ({ width = 0 }) => width % 64 === 0 };
    const tail = plant('i < width;', 'i < width - (width % 64 != 0);', 'shapes', 'value', green);
    expect((await only(tail)).status).toBe('red');
  });

  test('of the launch is planted as well', async () => {
    const half = {
      fault: 'half of the threads',
      reddens: 'shapes',
      finding: 'value',
      launch: (launch) => ({ ...launch, threads: 32 }),
    } as const satisfies Control;
    expect((await only(half)).status).toBe('red');
  });

  test('of the formula must be broken by the unchanged kernel', async () => {
    const claim = {
      fault: 'a sum of doubles',
      reddens: 'shapes',
      finding: 'value',
      formula: edit('sum(x)', 'sum(x) * 2'),
    } as const satisfies Control;
    expect((await only(claim)).status).toBe('red');
  });
});

describe('gate 4', () => {
  test('refuses itself where its data prove nothing', async () => {
    const hidden = {
      ...CONTRACT,
      outputs: { y: bf16('rows') },
      formula: rows('width', 'y = exp(sum(x) * 0)'),
    } as const;
    const source = SOURCE.replace('float* y', '__nv_bfloat16* y').replace(
      '= total',
      '= __float2bfloat16(total == total ? 1.0f : total)',
    );
    const result = await verdict({ ...hidden }, source, 'sums');
    expect(result.status).toBe('fail');
    expect(result.findings[0]?.class).toBe('weak');
    expect(result.findings[0]?.what).toContain('the data prove nothing');
  });
});
