/** Public faults of gate 3, second part: rounding points, contraction, batch-dependent bits, subnormals. */
import { expect, test } from 'bun:test';
import type { Control, Launch } from '#contract';
import { bf16, edit, f16, f32, rows } from '#contract';
import { openHost } from '../../src/device/host.ts';
import { compilingStore, runtimeImage } from '../../src/device/store.ts';
import { sizeOf } from '../../src/families/tensor.ts';
import { runJob } from '../../src/gates/job.ts';
import type { GateResult } from '../../src/gates/result.ts';
import { loadKernels } from '../../src/spec/load.ts';
import type { Stated } from './harness.ts';
import { classes, verdict } from './harness.ts';

const SOURCE = `
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#define ROW extern "C" __global__ void
typedef __nv_bfloat16 bf16;
__device__ float wide(float x) { return x; }
__device__ float wide(bf16 x) { return __bfloat162float(x); }
__device__ bf16 dropped_bits(float x) { return __ushort_as_bfloat16((unsigned short)(__float_as_uint(x) >> 16)); }
/** bf16 by adding half an ulp and cutting: no conversion that a compiler could fold. */
__device__ float bit_trick(float x) {
  const unsigned bits = __float_as_uint(x);
  return __uint_as_float((bits + 0x7fffu + (bits >> 16 & 1u)) & 0xffff0000u);
}

ROW product_nearest(const bf16* x, const bf16* w, bf16* y, unsigned width) {
  const unsigned row = blockIdx.x * width;
  for (unsigned i = 0; i < width; i++) y[row + i] = __float2bfloat16(wide(x[row + i]) * wide(w[i]));
}
ROW product_dropped(const bf16* x, const bf16* w, bf16* y, unsigned width) {
  const unsigned row = blockIdx.x * width;
  for (unsigned i = 0; i < width; i++) y[row + i] = dropped_bits(wide(x[row + i]) * wide(w[i]));
}

/** RMS norm with a bf16 point before the weight or without it: a conversion, folded away, or a bit trick. */
enum Point { NONE, CONVERTED, TRICK };
template <Point POINT>
__device__ void rms(const bf16* x, const bf16* w, bf16* y, unsigned width, float eps) {
  const bf16* row = x + blockIdx.x * width;
  float sum = 0.0f;
  for (unsigned i = 0; i < width; i++) sum += wide(row[i]) * wide(row[i]);
  const float r = rsqrtf(sum / float(width) + eps);
  for (unsigned i = 0; i < width; i++) {
    float v = wide(row[i]) * r;
    if (POINT == CONVERTED) v = float(bf16(v));
    if (POINT == TRICK) v = bit_trick(v);
    y[blockIdx.x * width + i] = __float2bfloat16(v * wide(w[i]));
  }
}
ROW rms_once(const bf16* x, const bf16* w, bf16* y, unsigned width, float eps) { rms<NONE>(x, w, y, width, eps); }
ROW rms_twice(const bf16* x, const bf16* w, bf16* y, unsigned width, float eps) { rms<CONVERTED>(x, w, y, width, eps); }
ROW rms_trick(const bf16* x, const bf16* w, bf16* y, unsigned width, float eps) { rms<TRICK>(x, w, y, width, eps); }

/** a c - b s: both products rounded, or one of them fused; and a c + b s. */
template <int FORM, class T>
__device__ void rope(const float* a, const float* b, const float* c, const float* s, T* y, unsigned width) {
  for (unsigned i = 0; i < width; i++) {
    const unsigned at = blockIdx.x * width + i;
    float value = FORM == 1 ? fmaf(a[at], c[at], -(b[at] * s[at])) : FORM == 2 ? fmaf(-b[at], s[at], a[at] * c[at])
                : FORM == 3 ? a[at] * c[at] + b[at] * s[at] : a[at] * c[at] - b[at] * s[at];
    y[at] = T(value);
  }
}
#define ROPE(form, name)                                                                                            \\
  ROW name##_f32(const float* a, const float* b, const float* c, const float* s, float* y, unsigned width) {         \\
    rope<form>(a, b, c, s, y, width);                                                                                \\
  }                                                                                                                  \\
  ROW name##_bf16(const float* a, const float* b, const float* c, const float* s, bf16* y, unsigned width) {         \\
    rope<form>(a, b, c, s, y, width);                                                                                \\
  }
ROPE(0, rope_plain) ROPE(1, rope_fused_first) ROPE(2, rope_fused_second) ROPE(3, rope_added)

/** A row's sum in one chain, or in two halves where the batch has a size that the kernel splits at. */
__device__ void batch_sum(const float* x, float* y, unsigned width, bool split) {
  const float* row = x + blockIdx.x * width;
  float low = 0.0f, high = 0.0f;
  for (unsigned i = 0; i < width; i++) (split && i >= width / 2 ? high : low) += row[i];
  y[blockIdx.x] = low + high;
}
ROW sum_chain(const float* x, float* y, unsigned width) { batch_sum(x, y, width, false); }
ROW sum_large_batch(const float* x, float* y, unsigned width) { batch_sum(x, y, width, gridDim.x >= 16); }
ROW sum_sixth_row(const float* x, float* y, unsigned width) { batch_sum(x, y, width, blockIdx.x == 5); }
ROW sum_batch_17(const float* x, float* y, unsigned width) { batch_sum(x, y, width, gridDim.x == 17); }

/** y = c x, kept as it is, or 0 where x or y is subnormal in fp32, y in fp16, or y below 16 times the least normal. */
ROW scaled_keep(const float* x, float* y, unsigned width, float c) {
  for (unsigned i = 0; i < width; i++) y[i] = c * x[i];
}
ROW scaled_flush(const float* x, float* y, unsigned width, float c) {
  for (unsigned i = 0; i < width; i++) y[i] = fabsf(c * x[i]) < 1.17549435e-38f ? 0.0f : c * x[i];
}
ROW scaled_flush_input(const float* x, float* y, unsigned width, float c) {
  for (unsigned i = 0; i < width; i++) y[i] = fabsf(x[i]) < 1.17549435e-38f ? 0.0f : c * x[i];
}
ROW scaled_small(const float* x, float* y, unsigned width, float c) {
  for (unsigned i = 0; i < width; i++) y[i] = fabsf(c * x[i]) < 16 * 1.17549435e-38f ? 0.0f : c * x[i];
}
ROW scaled_f16_keep(const float* x, __half* y, unsigned width, float c) {
  for (unsigned i = 0; i < width; i++) y[i] = __float2half(c * x[i]);
}
ROW scaled_f16_flush(const float* x, __half* y, unsigned width, float c) {
  for (unsigned i = 0; i < width; i++) {
    const __half h = __float2half(c * x[i]);
    y[i] = fabsf(__half2float(h)) < 6.103515625e-5f ? __float2half(0.0f) : h;
  }
}
`;

/** One thread a group, a group a row. */
const groupARow = (symbol: string, depth = 0): Launch => ({
  symbol,
  threads: 1,
  grid: (shape) => [sizeOf(shape, 'rows')],
  depth: () => depth,
});

const product = (symbol: string): Stated => ({
  name: 'product',
  dims: { rows: {}, width: {} },
  served: [{ rows: 16, width: 128 }],
  inputs: { x: bf16('rows', 'width'), w: bf16('width') },
  outputs: { y: bf16('rows', 'width') },
  args: ['x', 'w', 'y', 'width'],
  formula: rows('width', 'y = bf16(x * w)'),
  accumulator: 'none',
  launch: { cuda: groupARow(symbol) },
});

test('S09: bf16 by dropping bits is red at half an ulp for half of all outputs, each within 1e-2', async () => {
  const result = await verdict(product('product_dropped'), SOURCE, 'shapes');
  expect(classes(result)).toEqual(['value']);
  const count = /^([\d,]+) of 2,048 outputs past the bound/.exec(result.findings[0]?.what ?? '')?.[1] ?? '';
  const wrong = Number(count.replace(',', ''));
  expect(wrong).toBeGreaterThan(0.4 * 2048);
  expect(wrong).toBeLessThan(0.6 * 2048);
  const [, got, want] = /got (\S+) .*want (\S+) /.exec(result.findings[0]?.worst ?? '') ?? [];
  expect(Math.abs(Number(got) - Number(want))).toBeLessThanOrEqual(1e-2 * Math.abs(Number(want)));
  expect(Math.abs(Number(got))).toBeLessThan(Math.abs(Number(want)));
  expect((await verdict(product('product_nearest'), SOURCE, 'shapes')).status).toBe('pass');
});

const TWICE = 'h = bf16(x * rsqrt(mean(x * x) + eps)); y = bf16(h * w)';
const ONCE = 'y = bf16(x * rsqrt(mean(x * x) + eps) * w)';
const places: readonly Control[] = ['first', 'second'].map((place) => ({
  fault: `the ${place} place`,
  reddens: 'shapes',
  finding: 'value',
  edit: { cuda: edit(`// ${place} place`, '//') },
}));

const rms = (symbol: string, formula: string): Stated => ({
  name: 'rms',
  dims: { rows: {}, width: {} },
  served: [{ rows: 32, width: 128 }],
  inputs: { x: bf16('rows', 'width'), w: bf16('width') },
  outputs: { y: bf16('rows', 'width') },
  scalars: { eps: 1e-6 },
  args: ['x', 'w', 'y', 'width', 'eps'],
  formula: rows('width', formula),
  accumulator: 'f32',
  fills: { x: 'normal', w: 'near-one' },
  controls: places.map((place) => ({ ...place, drops: 'h' })),
  launch: { cuda: groupARow(symbol, 128) },
});

test('S10: a norm that rounds before its weight and one that does not: green under its own claim alone', async () => {
  for (const [symbol, own, other] of [
    ['rms_once', ONCE, TWICE],
    ['rms_twice', TWICE, ONCE],
  ] as const) {
    expect((await verdict(rms(symbol, own), SOURCE, 'shapes')).status).toBe('pass');
    const result = await verdict(rms(symbol, other), SOURCE, 'shapes');
    expect(classes(result)).toEqual(['value']);
    const [, got, want] = /got (\S+) .*want (\S+) /.exec(result.findings[0]?.worst ?? '') ?? [];
    expect(Math.abs(Number(got) - Number(want))).toBeLessThanOrEqual(1e-2 * Math.abs(Number(want)));
  }
});

test('S11: a rounding point that is not in the object is red; the bit trick that nothing folds is green', async () => {
  expect(classes(await verdict(rms('rms_once', TWICE), SOURCE, 'shapes'))).toEqual(['value']);
  for (const symbol of ['rms_twice', 'rms_trick'])
    expect((await verdict(rms(symbol, TWICE), SOURCE, 'shapes')).status).toBe('pass');
});

const rope = (form: string, type: 'f32' | 'bf16', name = 'rope'): Stated => ({
  name,
  dims: { rows: {}, width: {} },
  served: [{ rows: 8, width: 128 }],
  inputs: Object.fromEntries(['a', 'b', 'c', 's'].map((input) => [input, f32('rows', 'width')])),
  outputs: { y: { f32, bf16 }[type]('rows', 'width') },
  args: ['a', 'b', 'c', 's', 'y', 'width'],
  formula: rows('width', 'y = a * c - b * s'),
  accumulator: 'none',
  launch: { cuda: groupARow(`${form}_${type}`) },
});

for (const type of ['f32', 'bf16'] as const) {
  test(`S12: a c - b s in ${type} is green fused on either side or not at all, and red with another sign`, async () => {
    for (const form of ['rope_plain', 'rope_fused_first', 'rope_fused_second'])
      expect((await verdict(rope(form, type), SOURCE, 'shapes', { modes: ['plain', 'fused'] })).status).toBe('pass');
    expect(classes(await verdict(rope('rope_added', type), SOURCE, 'shapes'))).toEqual(['value']);
  });
}

/** The verdict at shapes on a kernel that must equal another's bits. */
async function besideReplaced(stated: Stated, replaced: Stated): Promise<GateResult> {
  const contracts = [{ ...stated, replaces: replaced.name }, replaced].map((contract) => ({
    nan: 'propagate',
    controls: places,
    ...contract,
  }));
  const texts = new Map([['case/case.cu', `${SOURCE}\n// first place\n// second place\n`]]);
  const listed = { contracts: [{ path: 'case/case.contract.ts', exported: contracts }], sources: texts };
  const kernels = new Map(loadKernels(listed).map((kernel) => [kernel.name, kernel]));
  const subject = kernels.get(stated.name);
  if (!subject) throw new Error('no kernel');
  const device = openHost({ bytes: await runtimeImage() });
  try {
    const sources = { texts, images: compilingStore() };
    const modes = ['plain'] as const;
    const dialects = ['cuda'] as const;
    const options = { seed: '1', limitMs: 5000, selects: () => true, dialects, modes, controls: false };
    const [result] = await runJob(device, sources, kernels, subject, 'shapes', options);
    if (result?.kind !== 'gate') throw new Error('no result');
    return result;
  } finally {
    device.close();
  }
}

test('S12: bit equality with the unfused form condemns the fused one, so only `replaces` asks for it', async () => {
  const fused = await besideReplaced(rope('rope_fused_first', 'f32', 'fused'), rope('rope_plain', 'f32', 'plain'));
  expect(classes(fused)).toEqual(['bits']);
  const same = await besideReplaced(rope('rope_plain', 'f32', 'again'), rope('rope_plain', 'f32', 'plain'));
  expect(same.status).toBe('pass');
});

const batch = (symbol: string, stated: Partial<Stated> = {}): Stated => ({
  name: 'batch',
  dims: { rows: {}, width: {} },
  served: [{ rows: [1, 2, 17, 128], width: 64 }],
  inputs: { x: f32('rows', 'width') },
  outputs: { y: f32('rows') },
  args: ['x', 'y', 'width'],
  formula: rows('width', 'y = sum(x)'),
  accumulator: 'f32',
  fills: { x: 'binades' },
  launch: { cuda: groupARow(symbol, 64) },
  ...stated,
});

test('S13: a row whose bits change with the batch is green, unless the contract says that they do not', async () => {
  for (const gate of ['repeat', 'shapes'] as const)
    expect((await verdict(batch('sum_large_batch'), SOURCE, gate)).status).toBe('pass');
  const promised = await verdict(batch('sum_large_batch', { rowIndependent: 'rows' }), SOURCE, 'repeat');
  expect(classes(promised)).toEqual(['row']);
  expect(promised.findings[0]?.what).toMatch(/differ when the last (\d+ rows run|row runs) alone/);
  expect((await verdict(batch('sum_large_batch', { rowIndependent: 'rows' }), SOURCE, 'shapes')).status).toBe('pass');
  expect((await verdict(batch('sum_chain', { rowIndependent: 'rows' }), SOURCE, 'repeat')).status).toBe('pass');
});

test('S13: a batch size between the least and the largest is compared too', async () => {
  const promised = await verdict(batch('sum_batch_17', { rowIndependent: 'rows' }), SOURCE, 'repeat');
  expect(classes(promised)).toEqual(['row']);
});

test('S13: bits that follow the place of a row in the batch change when the rows move', async () => {
  const stated = { rowIndependent: 'rows', served: [{ rows: 128, width: 64 }] };
  const promised = await verdict(batch('sum_sixth_row', stated), SOURCE, 'repeat');
  expect(classes(promised)).toEqual(['row']);
  expect(promised.findings[0]?.worst).toStartWith('y[4]'); // the sixth row, moved up by one
});

test('S13: or it names the kernel to equal', async () => {
  const chain = batch('sum_chain', { name: 'chain' });
  const other = await besideReplaced(batch('sum_large_batch', { name: 'split' }), chain);
  expect(classes(other)).toEqual(['bits']);
  expect(other.findings.map(({ label }) => label)).toEqual(['rows=17,width=64', 'rows=128,width=64']);
});

const scaled = (symbol: string, c: number, stated: Partial<Stated> = {}): Stated => ({
  name: 'scaled',
  dims: { rows: {}, width: {} },
  served: [{ rows: 1, width: 256 }],
  inputs: { x: f32('rows', 'width') },
  outputs: { y: f32('rows', 'width') },
  scalars: { c },
  args: ['x', 'y', 'width', 'c'],
  formula: rows('width', 'y = x * c'),
  accumulator: 'none',
  launch: { cuda: groupARow(symbol) },
  ...stated,
});
/** fp32's least normal number: every product with a value below 1 is subnormal. */
const LEAST_F32 = 2 ** -126;
const LEAST_F16 = 2 ** -14;

test('S14: subnormals that become 0 are green where the contract says flush, and red elsewhere', async () => {
  for (const stated of [{}, { denormals: 'keep' as const }]) {
    expect((await verdict(scaled('scaled_keep', LEAST_F32, stated), SOURCE, 'shapes')).status).toBe('pass');
    expect(classes(await verdict(scaled('scaled_flush', LEAST_F32, stated), SOURCE, 'shapes'))).toEqual(['value']);
  }
  for (const symbol of ['scaled_keep', 'scaled_flush'])
    expect((await verdict(scaled(symbol, LEAST_F32, { denormals: 'flush' }), SOURCE, 'shapes')).status).toBe('pass');
});

test('S14: a contract that says nothing is judged with subnormals kept and flushed, each by its own bound', async () => {
  const modes = ['plain', 'flushed'] as const;
  expect((await verdict(scaled('scaled_keep', LEAST_F32), SOURCE, 'shapes', { modes })).status).toBe('pass');
  const flushes = await verdict(scaled('scaled_flush', LEAST_F32), SOURCE, 'shapes', { modes });
  expect(classes(flushes)).toEqual(['value']);
  expect(flushes.findings.filter(({ label }) => label.endsWith('mode=flushed'))).toEqual([]);
});

test('S14: flush excuses nothing above the least normal number', async () => {
  const result = await verdict(scaled('scaled_small', 64 * LEAST_F32, { denormals: 'flush' }), SOURCE, 'shapes');
  expect(classes(result)).toEqual(['value']);
  const [, want] = /want (\S+) /.exec(result.findings[0]?.worst ?? '') ?? [];
  expect(Math.abs(Number(want))).toBeGreaterThan(LEAST_F32);
});

test('S14: a subnormal input may be read as 0 where the contract says flush, and nowhere else', async () => {
  const judged = (symbol: string, denormals: 'keep' | 'flush') =>
    verdict(scaled(symbol, 2 ** 100, { denormals, fills: { x: 'tiny' } }), SOURCE, 'shapes');
  expect((await judged('scaled_keep', 'keep')).status).toBe('pass');
  expect(classes(await judged('scaled_flush_input', 'keep'))).toEqual(['value']);
  expect((await judged('scaled_keep', 'flush')).status).toBe('pass');
  expect((await judged('scaled_flush_input', 'flush')).status).toBe('pass');
});

test('S14: fp16 subnormals follow the same word', async () => {
  const outputs = { y: f16('rows', 'width') };
  const judged = (symbol: string, denormals: 'keep' | 'flush') =>
    verdict(scaled(symbol, LEAST_F16, { denormals, outputs }), SOURCE, 'shapes');
  expect((await judged('scaled_f16_keep', 'keep')).status).toBe('pass');
  expect((await judged('scaled_f16_keep', 'flush')).status).toBe('pass');
  expect(classes(await judged('scaled_f16_flush', 'keep'))).toEqual(['value']);
  expect((await judged('scaled_f16_flush', 'flush')).status).toBe('pass');
});
