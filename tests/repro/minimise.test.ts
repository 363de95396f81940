/** The smallest inputs of planted faults: known by hand, the same every time. */
import { describe, expect, test } from 'bun:test';
import { bytesFor } from '../../src/families/inputs.ts';
import { decodeAll } from '../../src/numerics/codec.ts';
import { casesFor, findCase } from '../../src/repro/find.ts';
import { minimise } from '../../src/repro/minimise.ts';
import type { Minimal } from '../../src/repro/minimise.ts';
import { Suspect } from '../../src/repro/suspect.ts';
import { edit, f32, rows } from '../../src/spec/contract.ts';
import { HOUR, SETTINGS, STATED, each, shopOf, smallestOf } from './kit.ts';

const values = ({ inputs, target }: Minimal, name = 'x'): number[] => {
  const size = Object.values(inputs.shape).reduce((a, b) => a * b, 1);
  return [...decodeAll(target.kernel.contract.inputs[name]?.dtype ?? 'f32', bytesFor(inputs, name), size)];
};

const sums = {
  ...STATED,
  outputs: { y: f32('rows') },
  formula: rows('width', 'y = sum(x)'),
  accumulator: 'f32',
  launch: { cuda: { ...STATED.launch.cuda, depth: ({ width = 1 }) => width + 8 } },
} as const;
const summed = (body: string): string => `
#include <cuda_fp16.h>
extern "C" __global__ void k(const float* x, float* y, unsigned width) {
  __shared__ float cell;
  const float* row = x + size_t(blockIdx.x) * width;
  ${body}
}
// first place
// second place
`;

describe('the smallest input', () => {
  test('of a relu that drops a NaN is one NaN', async () => {
    const small = await smallestOf(shopOf(STATED, each('fmaxf(v, 0.0f)')), 'nonfinite');
    expect(small).toMatchObject({ inputs: { shape: { rows: 1, width: 1 } }, needsAll: true, isLeast: true });
    expect(small && values(small)).toEqual([Number.NaN]);
    expect(small?.cause).toEqual({ code: 'class', of: 'y' });
  });

  test('of a negative that is kept is one -1', async () => {
    const small = await smallestOf(shopOf(STATED, each('v')), 'shapes');
    expect(small && values(small)).toEqual([-1]);
  });

  test('of a lost tail past a tile has the size at which the fault begins, and one input', async () => {
    const small = await smallestOf(shopOf(STATED, each('i < 37 ? fmaxf(v, 0.0f) : 0.0f')), 'shapes');
    expect(small?.inputs.shape).toEqual({ rows: 1, width: 38 });
    expect(
      small &&
        values(small)
          .map((value, i) => [i, value])
          .filter(([, value]) => value !== 0),
    ).toEqual([[37, 1]]);
  });

  test('of a row that reaches its neighbour has two rows', async () => {
    const source = each('fmaxf(v, 0.0f) + (blockIdx.x > 0 && i == 0 ? fmaxf(x[0], 0.0f) : 0.0f)');
    const small = await smallestOf(shopOf(STATED, source), 'shapes');
    expect(small?.inputs.shape).toEqual({ rows: 2, width: 1 });
    expect(small && values(small)).toEqual([1, 0]);
  });

  test('of an output that is not written has no input at all', async () => {
    const small = await smallestOf(shopOf(STATED, each('fmaxf(v, 0.0f); if (i + 1 == width) return')), 'shapes');
    expect(small).toBeUndefined();
    const source = each('fmaxf(v, 0.0f)').replace('i < width', 'i + 1 < width');
    const unwritten = await smallestOf(shopOf(STATED, source), 'shapes');
    expect(unwritten).toMatchObject({ cause: { code: 'unwritten', of: 'y' }, nonzero: [] });
    expect(unwritten?.inputs.shape).toEqual({ rows: 1, width: 1 });
  });

  test('of a sum in any order has three terms, and names the two orders', async () => {
    const body = `if (threadIdx.x == 0) cell = 0.0f;
  __syncthreads();
  for (unsigned i = threadIdx.x; i < width; i += blockDim.x) atomicAdd(&cell, row[i]);
  __syncthreads();
  if (threadIdx.x == 0) y[blockIdx.x] = cell;`;
    const small = await smallestOf(shopOf({ ...sums, fills: { x: 'binades' } }, summed(body)), 'repeat', {
      class: 'different',
    });
    expect(small?.nonzero.length).toBe(3);
    expect(small?.needsAll).toBe(true);
    expect(small?.schedules?.length).toBe(2);
  });

  test('of a race is the least shape, and its lines are of the cause', async () => {
    const body = `if (threadIdx.x == 0) cell = row[0];
  if (threadIdx.x < width) y[blockIdx.x] = cell;`;
    const small = await smallestOf(shopOf(sums, summed(body)), 'repeat', { class: 'race' });
    expect(small).toMatchObject({ way: { mode: 'check' }, nonzero: [] });
    expect(small?.cause).toMatchObject({
      code: 'race',
      lines: expect.arrayContaining([expect.stringMatching(/case\.cu:[67]$/)]),
    });
  });

  test('of a sum in half is of integers, no larger than gate 4 gave', async () => {
    const body = `half sum = __float2half(0.0f);
  for (unsigned i = 0; i < width; i++) sum = __hadd(sum, __float2half(row[i]));
  if (threadIdx.x == 0) y[blockIdx.x] = __half2float(sum);`;
    const small = await smallestOf(shopOf(sums, summed(body)), 'sums', { class: 'value' });
    const found = small ? values(small).filter((value) => value !== 0) : [];
    expect(found.length).toBeLessThanOrEqual(2);
    expect(found.every((value) => Number.isInteger(value) && Math.abs(value) < 2 ** 21)).toBe(true);
  });
});

test('a control is shown by an input that the kernel without it passes', async () => {
  // The kernel itself fails at widths of 40 and more, the control at 8 and more.
  const source = each('i == 40 ? 7.0f : (v < 0.0f ? 0.0f : v)');
  const control = {
    fault: 'the tail',
    reddens: 'shapes',
    finding: 'value',
    edit: { cuda: edit('i == 40', 'i == 40 || i == 50') },
  } as const;
  const small = await smallestOf(shopOf({ ...STATED, controls: [control] }, source), 'shapes', { class: 'value' }, '1');
  expect(small).toBeUndefined();
  const other = { ...control, edit: { cuda: edit('i == 40', 'i == 40 || i == 8') } };
  const shown = await smallestOf(shopOf({ ...STATED, controls: [other] }, source), 'shapes', { class: 'value' }, '1');
  expect(shown?.inputs.shape).toEqual({ rows: 1, width: 9 });
});

test('two searches come to the same input', async () => {
  const once = (): Promise<Minimal | undefined> =>
    smallestOf(shopOf(STATED, each('i < 37 ? fmaxf(v, 0.0f) : v')), 'shapes');
  const [first, second] = [await once(), await once()];
  expect(second?.inputs).toEqual(first?.inputs ?? { shape: {}, bytes: {} });
  expect(second?.trials).toBe(first?.trials ?? 0);
});

test('a search whose time is up says so, gives what it has, and tells whoever watches', async () => {
  const shop = shopOf(STATED, each('v'));
  const target = { kernel: shop.kernel, dialect: 'cuda', gate: 'shapes' } as const;
  const suspect = await Suspect.prepare(shop, target, [{ mode: 'plain' }], SETTINGS);
  const cases = casesFor(target, {}, '1').filter(({ mode }) => mode === 'plain');
  const found = await findCase(suspect, cases.toReversed(), {}, () => Promise.resolve());
  const small = found && (await minimise(found, { until: 0 }));
  expect([small?.isSpent, small?.needsAll, small?.isLeast]).toEqual([true, false, false]);
  expect(small?.inputs.shape).toEqual(found?.gateCase.shape ?? {});
  const stop = new Error('stopped by the watcher');
  const watched =
    found &&
    minimise(found, {
      until: performance.now() + HOUR,
      watch: () => {
        throw stop;
      },
      breath: 0,
    });
  expect(watched).rejects.toBe(stop);
  await watched?.catch(() => {});
  suspect.release();
});
