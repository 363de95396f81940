/** The vacuity meter: outputs that no input moves, and inputs that move no output; red where the kernel is to blame. */
import { expect, test } from 'bun:test';
import { codes, f32, rows, rule, u32 } from '../../src/spec/contract.ts';
import type { GateResult } from '../../src/gates/result.ts';
import type { Stated } from '../faults/harness.ts';
import { verdict } from '../faults/harness.ts';

/** A contract over a row of x and r, with a bound so wide that gate 3 sees next to nothing. */
const contract = (change: Partial<Stated> = {}): Stated => ({
  name: 'k',
  dims: { rows: { least: 1 }, width: { tile: 32, step: 1, least: 1 } },
  served: [{ rows: [1, 4], width: 64 }],
  inputs: { x: f32('rows', 'width'), r: f32('rows', 'width') },
  outputs: { y: f32('rows') },
  args: ['x', 'r', 'y', 'width'],
  formula: rows('width', 'y = sum(x + r)'),
  accumulator: 'f32',
  launch: { cuda: { symbol: 'k', threads: 1, grid: ({ rows: n = 1 }) => [n], depth: () => 8_400_000 } },
  ...change,
});

const kernel = (body: string): string => `
extern "C" __global__ void k(const float* x, const float* r, float* y, unsigned width) {
  x += size_t(blockIdx.x) * width;
  r += size_t(blockIdx.x) * width;
  float s = 0.0f;
  ${body}
}
`;
/** At the tail alone: one row of a tile and a step. */
const run = (stated: Stated, source: string): Promise<GateResult> =>
  verdict(stated, source, 'shapes', { only: (address) => /rows=1,width=(33|40)$/.test(address) });
const told = ({ status, findings, notes }: GateResult): unknown[] => [
  status,
  findings.map((finding) => `${finding.class}: ${finding.what}`),
  notes,
];

const SUM = kernel('for (unsigned i = 0; i < width; i++) s += x[i] + r[i]; y[blockIdx.x] = s;');

test('a sum that takes all of its inputs moves with each', async () => {
  expect(told(await run(contract(), SUM))).toEqual(['pass', [], []]);
});

test('what a wide bound hides is red: an output that is one constant, and places that are never read', async () => {
  const constant = await run(contract(), kernel('y[blockIdx.x] = s;'));
  const places = ['x', 'r'].flatMap((name) =>
    [0, 16, 32].map((column) => `vacuous: ${name}[0, ${column}] moves no output`),
  );
  expect(told(constant)).toEqual(['fail', ['vacuous: no input moves 1 of 1 outputs, the first y[0]', ...places], []]);
  expect(constant.findings[0]?.why).toMatch(/^In float64 y\[\d\] moves from -?[\d.]+ to -?[\d.]+\.$/);

  const tail = kernel('for (unsigned i = 0; i < width / 32 * 32; i++) s += x[i] + r[i]; y[blockIdx.x] = s;');
  expect(told(await run(contract(), tail))[1]).toEqual([
    'vacuous: x[0, 32] moves no output',
    'vacuous: r[0, 32] moves no output',
  ]);
  // At other shapes the same kernel passes: only the wide bound is judged there.
  const wide = await verdict(contract(), tail, 'shapes', { only: (address) => !address.endsWith('rows=1,width=33') });
  expect(wide.status).toBe('pass');
});

test('what the formula itself makes vacuous is told, and no fault of the kernel', async () => {
  const unused = contract({ formula: rows('width', 'y = sum(x + 0 * r)') });
  const [status, findings, notes] = told(
    await run(unused, kernel('for (unsigned i = 0; i < width; i++) s += x[i]; y[blockIdx.x] = s;')),
  );
  expect([status, findings]).toEqual(['pass', []]);
  expect(notes).toEqual([0, 16, 32].map((column) => `vacuous: r[0, ${column}] moves no output`));

  const fixed = contract({
    outputs: { y: f32('rows', 'width') },
    formula: rows('width', 'y = max(x - x, r - r)'),
    accumulator: 'none',
  });
  const zero = kernel('for (unsigned i = 0; i < width; i++) y[blockIdx.x * width + i] = 0.0f;');
  expect(told(await run(fixed, zero))[2]).toContain('vacuous: no input moves 33 of 33 outputs, the first y[0, 0]');
});

test('outputs that are 0 for half of all inputs are moved by others', async () => {
  const relu = contract({
    outputs: { y: f32('rows', 'width') },
    formula: rows('width', 'y = relu(x + r)'),
    accumulator: 'none',
  });
  const source = kernel(
    'for (unsigned i = 0; i < width; i++) y[blockIdx.x * width + i] = x[i] + r[i] > 0 ? x[i] + r[i] : 0.0f;',
  );
  expect(told(await run(relu, source))).toEqual(['pass', [], []]);
});

test('codes move the sum that they weigh', async () => {
  const weighed = contract({
    inputs: { x: f32('rows', 'width'), r: codes(4, 'rows', 'width') },
    dims: { rows: { least: 1 }, width: { tile: 32, step: 8, least: 8 } },
    formula: rows('width', 'y = sum(x * r)'),
  });
  const source = (width: string): string => `
    extern "C" __global__ void k(const float* x, const unsigned* r, float* y, unsigned width) {
      float s = 0.0f;
      for (unsigned i = 0; i < ${width}; i++) {
        const unsigned at = blockIdx.x * width + i;
        s = fmaf(x[at], float(r[at / 8] >> (i % 8 * 4) & 15u), s);
      }
      y[blockIdx.x] = s;
    }`;
  expect(told(await run(weighed, source('width')))).toEqual(['pass', [], []]);
  const [, findings, notes] = told(await run(weighed, source('width - 1')));
  expect(findings).toEqual(['vacuous: x[0, 39] moves no output']);
  // One code is worth too little for a bound so wide: told, and not red.
  expect(notes).toEqual(['vacuous: r[0, 39] moves no output']);
});

test('outputs by a stated rule move with each input', async () => {
  const most = contract({
    nan: 'rule',
    outputs: { y: u32('rows') },
    formula: rule('width', 'how many of x and r are above 0', ({ x = [], r = [] }, { rows: n = 0, width = 0 }) => {
      const above = (of: ArrayLike<number>, row: number): number =>
        Array.from(of)
          .slice(row * width, (row + 1) * width)
          .filter((value) => value > 0).length;
      return { y: Uint32Array.from({ length: n }, (_, row) => above(x, row) + above(r, row)) };
    }),
    accumulator: 'none',
  });
  const source = kernel(
    'for (unsigned i = 0; i < width; i++) s += (x[i] > 0) + (r[i] > 0); ((unsigned*)y)[blockIdx.x] = s;',
  );
  expect(told(await run(most, source))).toEqual(['pass', [], []]);
});
