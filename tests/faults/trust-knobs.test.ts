/** Public faults of harnesses, fifth part: everything that a contract or a run can state changes a verdict. */
import { expect, test } from 'bun:test';
import { f32, rows } from '#contract';
import type { GateName, Launch } from '../../src/spec/contract.ts';
import type { Shape } from '../../src/families/tensor.ts';
import { sizeOf } from '../../src/families/tensor.ts';
import type { Stated } from './harness.ts';
import { MODES } from '../../src/spec/modes.ts';
import { BASIC, verdict } from './harness.ts';

const SOURCE = `
#define ROW extern "C" __global__ void
#define EACH for (unsigned i = blockIdx.x * width; i < (blockIdx.x + 1) * width; i++)

__device__ float sum_of(const float* x, unsigned width) {
  float sum = 0.0f;
  EACH sum += x[i];
  return sum;
}
ROW sum_off(const float* x, float* y, unsigned width) { y[blockIdx.x] = sum_of(x, width) + 1e-3f; }
ROW sum_right(const float* x, float* y, unsigned width) { y[blockIdx.x] = sum_of(x, width); }
ROW sum_but_9(const float* x, float* y, unsigned width) { y[blockIdx.x] = width == 9 ? 0.0f : sum_of(x, width); }
/** The same sum in another order where there is one row alone. */
ROW sum_by_rows(const float* x, float* y, unsigned width) {
  float sum = 0.0f;
  for (unsigned i = width; i-- > 0;) sum += x[blockIdx.x * width + i];
  y[blockIdx.x] = gridDim.x == 1 ? sum_of(x, width) : sum;
}
ROW scaled(const float* x, float* y, unsigned width, float s) { EACH y[i] = x[i] * s; }
ROW flushed(const float* x, float* y, unsigned width, float s) {
  EACH {
    const float v = x[i] * s;
    y[i] = fabsf(v) < 1.17549435e-38f ? 0.0f : v;
  }
}
ROW spins(const float* x, float* y, unsigned width, float s) {
  volatile unsigned turns = 0;
  while (turns < 50000000u) turns = turns + 1;
  EACH y[i] = x[i] * s;
}
/** Clears the output before it reads the input. */
ROW clears_first(const float* x, float* y, unsigned width, float s) {
  EACH y[i] = 0.0f;
  EACH y[i] = x[i] * s;
}
ROW by_threads(const float* x, float* y, unsigned width, float s) {
  y[blockIdx.x * width + threadIdx.x] = x[blockIdx.x * width + threadIdx.x] * s;
}
ROW by_local(const float* x, float* y, unsigned width, float s) {
  extern __shared__ float local[];
  for (unsigned i = 0; i < width; i++) local[i] = x[blockIdx.x * width + i];
  for (unsigned i = 0; i < width; i++) y[blockIdx.x * width + i] = local[i] * s;
}
ROW by_define(const float* x, float* y, unsigned width, float s) {
#ifdef DOUBLED
  s *= 2.0f;
#endif
  EACH y[i] = x[i] * s;
}
ROW plain_softmax(const float* x, float* y, unsigned width) {
  float sum = 0.0f;
  EACH sum += expf(x[i]);
  EACH y[i] = expf(x[i]) / sum;
}
`;

type Part = Partial<Omit<Stated, 'launch'>> & { readonly launch?: Partial<Launch> };

const stated = (symbol: string, base: Omit<Stated, 'launch' | 'name' | 'dims' | 'inputs'>, part: Part): Stated => {
  const { launch, ...rest } = part;
  const own: Launch = {
    symbol,
    threads: 1,
    grid: (shape: Shape) => [sizeOf(shape, 'rows')],
    depth: (shape: Shape) => sizeOf(shape, 'width'),
    ...launch,
  };
  return {
    name: symbol,
    dims: { rows: {}, width: {} },
    inputs: { x: f32('rows', 'width') },
    ...base,
    ...rest,
    launch: { cuda: own },
  };
};

const sum = (symbol: string, part: Part = {}): Stated =>
  stated(
    symbol,
    {
      served: [{ rows: 4, width: 1024 }],
      outputs: { y: f32('rows') },
      args: ['x', 'y', 'width'],
      formula: rows('width', 'y = sum(x)'),
      accumulator: 'f32',
    },
    part,
  );

const each = (symbol: string, part: Part = {}): Stated =>
  stated(
    symbol,
    {
      served: [{ rows: 4, width: 16 }],
      outputs: { y: f32('rows', 'width') },
      scalars: { s: 0.5 },
      args: ['x', 'y', 'width', 's'],
      formula: rows('width', 'y = x * s'),
      accumulator: 'none',
    },
    part,
  );

const softmax = (part: Part): Stated =>
  stated(
    'plain_softmax',
    {
      served: [{ rows: 4, width: 16 }],
      outputs: { y: f32('rows', 'width') },
      args: ['x', 'y', 'width'],
      formula: rows('width', 'e = exp(x - max(x)); y = e / sum(e)'),
      accumulator: 'f32',
    },
    part,
  );

const TINY = { scalars: { s: 2 ** -130 } };
const SMALL = { served: [{ rows: 4, width: 12 }] };
const FIXED = {
  gate: 'shapes',
  finding: 'value',
  within: 1e43, // 0.001, beside a row of zeros
  what: 'a sum is off',
  link: 'docs/known-findings.md#sum',
} as const;

/** A knob, the gate it turns, and the same kernel under two settings: red, then green. */
const KNOBS: readonly (readonly [string, GateName, Stated, Stated])[] = [
  [
    'depth',
    'shapes',
    sum('sum_off', { launch: { depth: () => 1 } }),
    sum('sum_off', { launch: { depth: () => 4096 } }),
  ],
  ['denormals', 'shapes', each('flushed', TINY), each('flushed', { ...TINY, denormals: 'flush' })],
  [
    'tile',
    'shapes',
    sum('sum_but_9', { ...SMALL, dims: { rows: {}, width: { tile: 8, step: 1, least: 1 } } }),
    sum('sum_but_9', SMALL),
  ],
  [
    'least',
    'shapes',
    sum('sum_but_9', { ...SMALL, dims: { rows: {}, width: { tile: 12, step: 1, least: 9 } } }),
    sum('sum_but_9', { ...SMALL, dims: { rows: {}, width: { tile: 12, step: 1, least: 10 } } }),
  ],
  ['served', 'shapes', sum('sum_but_9', { served: [{ rows: 4, width: [9, 12] }] }), sum('sum_but_9', SMALL)],
  ['rowIndependent', 'repeat', sum('sum_by_rows', { rowIndependent: 'rows' }), sum('sum_by_rows')],
  ['inPlace', 'repeat', each('clears_first', { inPlace: { y: 'x' } }), each('clears_first')],
  ['fills', 'shapes', softmax({ fills: { x: 'logits' } }), softmax({ fills: { x: 'signed' } })],
  ['formula', 'shapes', each('scaled', { formula: rows('width', 'y = x * s * 1.005') }), each('scaled')],
  [
    'scalars',
    'shapes',
    each('scaled', { formula: rows('width', 'y = x * 0.25') }),
    each('scaled', { formula: rows('width', 'y = x * 0.25'), scalars: { s: 0.25 } }),
  ],
  [
    'threads',
    'shapes',
    each('by_threads', { launch: { threads: 8 } }),
    each('by_threads', { launch: { threads: 16 } }),
  ],
  ['grid', 'shapes', each('scaled', { launch: { grid: () => [3] } }), each('scaled', { launch: { grid: () => [4] } })],
  ['localBytes', 'shapes', each('by_local'), each('by_local', { launch: { localBytes: () => 64 } })],
  ['defines', 'shapes', each('by_define', { launch: { defines: { DOUBLED: 1 } } }), each('by_define')],
  [
    'unproven',
    'sums',
    sum('sum_right', { served: [{ rows: 4, width: 2 }] }),
    sum('sum_right', {
      served: [{ rows: 4, width: 2 }],
      unproven: { accumulators: ['f16', 'bf16'], because: 'two terms' },
    }),
  ],
  ['accumulator', 'sums', sum('sum_off', { launch: { depth: () => 4096 } }), sum('sum_right')],
];

for (const [knob, gate, red, green] of KNOBS) {
  test(`H09: ${knob} turns a verdict`, async () => {
    expect((await verdict(red, SOURCE, gate)).findings.length).toBeGreaterThan(0);
    expect(await verdict(green, SOURCE, gate, { only: BASIC })).toMatchObject({ status: 'pass', findings: [] });
  });
}

test('H09: a known finding turns a failure into known, and is itself red once the kernel is right', async () => {
  const off = { launch: { depth: () => 1 } };
  expect((await verdict(sum('sum_off', off), SOURCE, 'shapes')).status).toBe('fail');
  expect((await verdict(sum('sum_off', { ...off, known: [FIXED] }), SOURCE, 'shapes')).status).toBe('known');
  const { within: _within, ...rest } = FIXED;
  const other = { ...rest, finding: 'unwritten' } as const;
  expect((await verdict(sum('sum_off', { ...off, known: [other] }), SOURCE, 'shapes')).status).toBe('fail');
  const fixed = await verdict(sum('sum_right', { known: [FIXED] }), SOURCE, 'shapes', { modes: MODES });
  expect(fixed.status).toBe('fail');
  expect(fixed.reason).toContain('passes now');
});

test('H09: the time that a launch may take turns a verdict', async () => {
  const slow = each('spins', { served: [{ rows: 1, width: 2 }] });
  const { status, findings } = await verdict(slow, SOURCE, 'shapes', { limitMs: 5 });
  expect(status).toBe('fail');
  expect(findings[0]).toMatchObject({ class: 'fault', what: expect.stringContaining('did not finish in 0.005 s') });
  expect((await verdict(slow, SOURCE, 'shapes', { limitMs: 60_000 })).status).toBe('pass');
});

test('H09: a scalar that fp32 does not hold is judged as the fp32 number that the kernel gets', async () => {
  for (const s of [0.1, 0.3, 0.7, 1e-6]) {
    const many = each('scaled', { served: [{ rows: 40, width: 64 }], scalars: { s } });
    expect(await verdict(many, SOURCE, 'shapes')).toMatchObject({ status: 'pass', findings: [] });
  }
});

test('H09: the seed changes the data', async () => {
  const margins = new Set<number | undefined>();
  for (const seed of ['1', '2', '3']) {
    margins.add((await verdict(sum('sum_right'), SOURCE, 'shapes', { seed })).margin?.share);
  }
  expect(margins.size).toBe(3);
});
