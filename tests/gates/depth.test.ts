/** The depth auditor: the real longest chain of a sum, whatever its terms and its output, against the declared one. */
import { expect, test } from 'bun:test';
import { bf16, dense, f32, rows } from '../../src/spec/contract.ts';
import type { GateResult } from '../../src/gates/result.ts';
import type { Stated } from '../faults/harness.ts';
import { verdict } from '../faults/harness.ts';

const WIDTH = 40;

/** One thread a row: `start`, then `step` for each element i, then `end`. */
const serial = (start: string, step: string, end: string): string => `
extern "C" __global__ void k(const float* x, float* y, unsigned width) {
  const float* v = x + size_t(blockIdx.x) * width;
  float* out = y + size_t(blockIdx.x) * width;
  ${start}
  for (unsigned i = 0; i < width; i++) { ${step} }
  ${end}
}
`;

const contract = (depth: number, change: Partial<Stated> = {}): Stated => ({
  name: 'k',
  dims: { rows: { least: 1 }, width: { tile: WIDTH - 8, step: 8, least: 8 } },
  served: [{ rows: [1, 24], width: WIDTH }],
  inputs: { x: f32('rows', 'width') },
  outputs: { y: f32('rows', 'width') },
  args: ['x', 'y', 'width'],
  formula: rows('width', 'y = sum(x) + 0 * x'),
  accumulator: 'f32',
  launch: { cuda: { symbol: 'k', threads: 1, grid: ({ rows: n = 1 }) => [n], depth: () => depth } },
  ...change,
});

const ROW: Partial<Stated> = { outputs: { y: f32('rows') }, formula: rows('width', 'y = sum(x)') };
/** The masks alone: other data would find other faults of the same kernels. */
const audit = (stated: Stated, source: string): Promise<GateResult> =>
  verdict(stated, source, 'sums', { only: (address) => address.includes('data=masks') });
const found = ({ status, chains, findings }: GateResult): unknown[] => [
  status,
  chains?.map(({ longest, why }) => longest ?? why),
  findings.map((finding) => `${finding.class}: ${finding.what}`),
];

const CHAIN = serial('float s = 0.0f;', 's += v[i];', 'y[blockIdx.x] = s;');
const TREE = serial(
  'float p[8] = {};',
  'p[i / (width / 8)] += v[i];',
  'for (int h = 4; h > 0; h /= 2) for (int i = 0; i < h; i++) p[i] += p[i + h]; y[blockIdx.x] = p[0];',
);

test.each<[string, number, string, unknown[]]>([
  ['a chain as declared', 39, CHAIN, ['pass', [39], []]],
  ['eight chains and a tree', 7, TREE, ['pass', [7], []]],
  ['twice what is needed passes', 14, TREE, ['pass', [7], []]],
  [
    'a chain that is declared as a tree',
    7,
    CHAIN,
    [
      'fail',
      [39],
      ['depth: the declared depth 7 is too small: the longest chain of sum(x) is 39 additions, over 40 terms'],
    ],
  ],
  [
    'a depth far too large',
    39,
    TREE,
    [
      'fail',
      [7],
      [
        'depth: the declared depth 39 is 5.57x what the kernel needs: the longest chain of sum(x) is 7 additions, over 40 terms',
      ],
    ],
  ],
  [
    'one declared too small by one addition',
    38,
    CHAIN,
    [
      'fail',
      [39],
      ['depth: the declared depth 38 is too small: the longest chain of sum(x) is 39 additions, over 40 terms'],
    ],
  ],
])('%s', async (_what, depth, source, expected) => {
  expect(found(await audit(contract(depth, ROW), source))).toEqual(expected);
});

const NO_TREE = 'the answers are those of no tree of two-term additions';
const HIDDEN = 'the outputs show no order: their type hides it, or the sum is held in more than fp32';

test.each<[string, string, unknown]>([
  [
    'a wider accumulator rounds once, at its end',
    serial('double s = 0;', 's += v[i];', 'y[blockIdx.x] = float(s);'),
    HIDDEN,
  ],
  [
    'four terms at once, in a wider accumulator',
    serial(
      'float s = 0.0f;',
      'if (i % 4 == 0) s = float(double(s) + double(v[i]) + double(v[i + 1]) + double(v[i + 2]) + double(v[i + 3]));',
      'y[blockIdx.x] = s;',
    ),
    NO_TREE,
  ],
])('%s: the chain is not known, and no depth is judged', async (_what, source, why) => {
  expect(found(await audit(contract(1000, ROW), source))).toEqual(['pass', [why], []]);
});

test.each<[string, string, Partial<Stated>, string]>([
  [
    'squares that are fused, seen by their overflow alone',
    serial(
      'float s = 0.0f;',
      's = fmaf(v[i], v[i], s);',
      'for (unsigned i = 0; i < width; i++) out[i] = v[i] / sqrtf(s + 1e-6f);',
    ),
    { formula: rows('width', 'y = x / sqrt(sum(x * x) + 0.000001)') },
    'y',
  ],
  [
    'exponentials, seen in the last bits of a share',
    serial(
      'float m = v[0], s = 0.0f; for (unsigned i = 1; i < width; i++) m = fmaxf(m, v[i]);',
      's += expf(v[i] - m);',
      'for (unsigned i = 0; i < width; i++) out[i] = expf(v[i] - m) / s;',
    ),
    { formula: rows('width', 'e = exp(x - max(x)); y = e / sum(e)') },
    'y',
  ],
])('%s', async (_what, source, change) => {
  expect(found(await audit(contract(39, change), source))).toEqual(['pass', [39], []]);
  expect(found(await audit(contract(38, change), source))[0]).toBe('fail');
});

test('squares about a mean, whose values sum to nothing', async () => {
  const source = serial(
    'float m = 0.0f; for (unsigned i = 0; i < width; i++) m += v[i]; m /= width;',
    '',
    `for (unsigned i = 0; i < width; i += 2) s += (v[i] - m) * (v[i] - m);
     for (unsigned i = 1; i < width; i += 2) s += (v[i] - m) * (v[i] - m);
     for (unsigned i = 0; i < width; i++) out[i] = (v[i] - m) * rsqrtf(s / width + 1e-6f);`,
  ).replace('{\n  const', '{\n  float s = 0.0f;\n  const');
  const stated = contract(199, {
    dims: { rows: { least: 1 }, width: { tile: 192, step: 8, least: 8 } },
    served: [{ rows: [1, 24], width: 200 }],
    formula: rows('width', 'd = x - mean(x); y = d * rsqrt(mean(d * d) + 0.000001)'),
  });
  expect(found(await audit(stated, source))).toEqual(['pass', [199, 199], []]);
});

test('a projection with bf16 outputs, asked a column a question; an fma is one rounding', async () => {
  const source = `
    #include <cuda_bf16.h>
    extern "C" __global__ void k(const __nv_bfloat16* x, const __nv_bfloat16* w, __nv_bfloat16* y, unsigned k, unsigned n) {
      float s[2] = {};
      for (unsigned i = 0; i < k; i++)
        s[i % 2] = fmaf(float(x[blockIdx.y * k + i]), float(w[blockIdx.x * k + i]), s[i % 2]);
      y[blockIdx.y * n + blockIdx.x] = __float2bfloat16_rn(s[0] + s[1]);
    }`;
  const stated = (depth: number): Stated => ({
    name: 'k',
    dims: { rows: { least: 1 }, k: { tile: 32, step: 2, least: 2 }, n: { least: 1 } },
    served: [{ rows: [1, 3], k: 96, n: 70 }],
    inputs: { x: bf16('rows', 'k'), w: bf16('n', 'k') },
    outputs: { y: bf16('rows', 'n') },
    args: ['x', 'w', 'y', 'k', 'n'],
    formula: dense('k', 'y = sum(x * w)'),
    accumulator: 'f32',
    launch: {
      cuda: { symbol: 'k', threads: 1, grid: ({ n = 1, rows: m = 1 }) => [n, m], depth: ({ k = 0 }) => k / 2 + depth },
    },
  });
  expect(found(await audit(stated(0), source))).toEqual(['pass', [17], []]);
  expect(found(await audit(stated(-1), source))[0]).toBe('fail');
});

test('a depth that is right of short rows alone is red at the longest', async () => {
  const stated = (depth: (width: number) => number): Stated =>
    contract(0, {
      ...ROW,
      dims: { rows: { least: 1 }, width: { tile: 32, step: 8, least: 8 } },
      served: [{ rows: [1, 24], width: 256 }],
      launch: {
        cuda: { symbol: 'k', threads: 1, grid: ({ rows: n = 1 }) => [n], depth: ({ width = 0 }) => depth(width) },
      },
    });
  const lanes = serial('float p[4] = {};', 'p[i / 8 % 4] += v[i];', 'y[blockIdx.x] = (p[0] + p[1]) + (p[2] + p[3]);');
  const right = await audit(
    stated((width) => 8 * Math.ceil(width / 32) + 2),
    lanes,
  );
  expect(found(right)).toEqual(['pass', [17], []]);
  expect(right.chains?.[0]?.longer).toEqual({ at: 'rows=24,width=256', declared: 66, least: 65 });
  const short = 'the declared depth 18 is too small at rows=24,width=256: a chain of sum(x) has at least 65 additions';
  expect(
    found(
      await audit(
        stated(() => 18),
        lanes,
      ),
    ),
  ).toEqual(['fail', [17], [`depth: ${short}`]]);
  const chain = await audit(
    stated((width) => width),
    CHAIN,
  );
  expect(chain.chains?.[0]?.longer).toEqual({ at: 'rows=24,width=256', declared: 256, least: 255 });
});
