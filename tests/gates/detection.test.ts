/** Limits of detection: exact at an output, told by the comparer itself, and of sums by terms that a replay loses. */
import { expect, test } from 'bun:test';
import { bf16, f32, rows } from '../../src/spec/contract.ts';
import { compareRanges } from '../../src/gates/compare.ts';
import { detectionOf, limitAt } from '../../src/gates/detection.ts';
import type { GateResult } from '../../src/gates/result.ts';
import { encodeAll, round } from '../../src/numerics/codec.ts';
import type { DType } from '../../src/numerics/dtype.ts';
import { nextDown, nextUp, ulp } from '../../src/numerics/ulp.ts';
import { random } from '../../src/numerics/random.ts';
import type { Stated } from '../faults/harness.ts';
import { verdict } from '../faults/harness.ts';

const judged = (type: DType, value: number) => ({
  name: 'y',
  tensor: { dtype: type, dims: ['n'] },
  shape: { n: 1 },
  bytes: encodeAll(type, [value]),
});
const passes = (type: DType, value: number, lo: number, hi: number): boolean =>
  compareRanges(judged(type, value), Float64Array.of((lo + hi) / 2), {
    lo: Float64Array.of(lo),
    hi: Float64Array.of(hi),
  }).finding === undefined;

test.each<DType>(['f32', 'bf16', 'f16'])(
  '%s: an error of the limit is caught, and one of a step less is not',
  (type) => {
    const source = random(`limits ${type}`);
    for (let i = 0; i < 500; i++) {
      const middle = source.normal() * 2 ** source.int(-10, 10);
      const spread = Math.abs(middle) * 2 ** -source.int(2, 20);
      const [lo, hi] = [middle - spread, middle + spread];
      const got = round(type, lo + (hi - lo) * source.unit());
      const limit = limitAt(type, got, lo, hi);
      const caught = [got + limit, got - limit].map((value) => !passes(type, round(type, value), lo, hi));
      expect(caught.some((is) => is)).toBe(true);
      const less = [nextDown(type, round(type, got + limit)), nextUp(type, round(type, got - limit))];
      expect(less.some((value) => passes(type, value, lo, hi))).toBe(true);
    }
  },
);

test('is told in ulps and in bounds, and says where half of an output would be missed', () => {
  const got = [1, 2, 4, 0];
  const tensor = f32('n');
  const limits = detectionOf(
    { name: 'y', tensor, shape: { n: 4 }, bytes: encodeAll('f32', got) },
    Float64Array.from(got),
    { lo: Float64Array.of(1, 1.75, -4, 0), hi: Float64Array.of(1, 2.25, 12, 0) },
  );
  expect(limits).toMatchObject({ output: 'y', outputs: 4, blind: 1, least: { ulps: 1 } });
  expect(limits?.worst).toMatchObject({ where: 'y[2]', ulps: (8 + ulp('f32', 12)) / ulp('f32', 4) });
  expect(limits?.median.ulps).toBe((0.25 + ulp('f32', 2)) / ulp('f32', 2));
});

test('where nothing has a bound there is no limit', () => {
  const open = { lo: Float64Array.of(-Infinity), hi: Float64Array.of(Infinity) };
  expect(detectionOf(judged('f32', 1), Float64Array.of(1), open)).toBeUndefined();
});

const SUM = `
#include <cuda_bf16.h>
extern "C" __global__ void k(const float* x, OUT* y, unsigned width) {
  float s = 0.0f;
  for (unsigned i = 0; i < width; i++) s += x[size_t(blockIdx.x) * width + i];
  y[blockIdx.x] = OUT(s);
}
`;
const contract = (change: Partial<Stated> = {}): Stated => ({
  name: 'k',
  dims: { rows: { least: 1 }, width: { tile: 256, step: 8, least: 8 } },
  served: [{ rows: [1, 24], width: 1024 }],
  inputs: { x: f32('rows', 'width') },
  outputs: { y: f32('rows') },
  args: ['x', 'y', 'width'],
  formula: rows('width', 'y = sum(x)'),
  accumulator: 'f32',
  fills: { x: 'positive' },
  launch: { cuda: { symbol: 'k', threads: 1, grid: ({ rows: n = 1 }) => [n], depth: ({ width = 0 }) => width } },
  ...change,
});
const run = (stated: Stated, out: string): Promise<GateResult> => verdict(stated, SUM.replaceAll('OUT', out), 'shapes');

test('a wider bound and a narrower output see less, of outputs and of terms', async () => {
  const right = await run(contract(), 'float');
  const [deep] =
    (await run(contract({ launch: { cuda: { ...launch(), depth: () => 60_000 } } }), 'float')).detected ?? [];
  const narrow = await run(contract({ outputs: { y: bf16('rows') } }), '__nv_bfloat16');
  const [own] = right.detected ?? [];
  expect(own).toMatchObject({ label: 'rows=24,width=1024', outputs: [{ outputs: 24, blind: 0 }] });
  const lost = (result: typeof own): number => result?.sums[0]?.lost ?? Infinity;
  const median = (result: typeof own): number => result?.outputs[0]?.median.ulps ?? Infinity;
  expect(median(deep)).toBeGreaterThan(20 * median(own));
  expect(lost(deep)).toBeGreaterThan(20 * lost(own));
  // Half an ulp of bf16 is about a 400th of a sum of 1,024 terms: one lost term passes, a few do not.
  expect(lost(narrow.detected?.[0])).toBeGreaterThan(1);
  expect(lost(narrow.detected?.[0])).toBeLessThan(16);
  expect(lost(own)).toBeLessThan(1);
});

const launch = () => ({ symbol: 'k', threads: 1, grid: ({ rows: n = 1 }) => [n] });

test('a bound under which the kernel without any term would pass says so', async () => {
  const { detected } = await run(contract({ launch: { cuda: { ...launch(), depth: () => 8_400_000 } } }), 'float');
  expect(detected?.[0]?.outputs[0]).toMatchObject({ outputs: 24, blind: 24 });
  expect(detected?.[0]?.sums[0]?.lost).toBeGreaterThan(1000);
});

test('gates say what is the least that they see', async () => {
  expect((await run(contract(), 'float')).sees).toBe('ranges');
  expect((await verdict(contract(), SUM.replaceAll('OUT', 'float'), 'repeat')).sees).toBe('repeat');
  expect((await verdict(contract(), SUM.replaceAll('OUT', 'float'), 'nonfinite')).sees).toBe('class');
});
