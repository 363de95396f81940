import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { HostDevice } from '../../../src/device/host.ts';
import { buffer, download, imageOf, launchOf, newDevice, run, u32, upload } from './device.ts';

interface Function1 {
  readonly f: (x: number) => number;
  /** Arguments reach from -size to size, or lie above 0. */
  readonly size: number;
  readonly positive?: boolean;
}

const FUNCTIONS: Readonly<Record<string, Function1>> = {
  expf: { f: Math.exp, size: 110 },
  exp2f: { f: (x) => 2 ** x, size: 160 },
  expm1f: { f: Math.expm1, size: 90 },
  exp10f: { f: (x) => 10 ** x, size: 46 },
  logf: { f: Math.log, size: 3e38, positive: true },
  log2f: { f: Math.log2, size: 3e38, positive: true },
  log10f: { f: Math.log10, size: 3e38, positive: true },
  log1pf: { f: Math.log1p, size: 1 },
  sinf: { f: Math.sin, size: 3e38 },
  cosf: { f: Math.cos, size: 3e38 },
  tanf: { f: Math.tan, size: 1e5 },
  asinf: { f: Math.asin, size: 1 },
  acosf: { f: Math.acos, size: 1 },
  atanf: { f: Math.atan, size: 1e6 },
  sinhf: { f: Math.sinh, size: 90 },
  coshf: { f: Math.cosh, size: 90 },
  tanhf: { f: Math.tanh, size: 12 },
  asinhf: { f: Math.asinh, size: 1e6 },
  atanhf: { f: Math.atanh, size: 1 },
  rsqrtf: { f: (x) => 1 / Math.sqrt(x), size: 3e38, positive: true },
  sqrtf: { f: Math.sqrt, size: 3e38, positive: true },
  cbrtf: { f: Math.cbrt, size: 3e38 },
};

const names = Object.keys(FUNCTIONS);
const COUNT = 8192;

const SOURCE = `
#define FUNCTION(name) extern "C" __global__ void k_##name(const float* x, float* y, unsigned n) { \\
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) y[i] = name(x[i]); }
${names.map((name) => `FUNCTION(${name})`).join('\n')}
FUNCTION(erff)
FUNCTION(erfcf)
extern "C" __global__ void power(const float* x, const float* e, float* y, unsigned n) {
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) y[i] = powf(x[i], e[i]);
}
extern "C" __global__ void remainders(const float* x, const float* d, float* y, unsigned n) {
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) y[i] = fmodf(x[i], d[i]);
}
extern "C" __global__ void angles(const float* a, const float* b, float* y, unsigned n) {
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) y[i] = atan2f(a[i], b[i]);
}
`;

let device: HostDevice;
let module: ReturnType<HostDevice['load']>;

beforeAll(async () => {
  device = await newDevice();
  module = device.load(await imageOf(SOURCE));
});
afterAll(() => device.close());

/** Arguments over all binades up to `size`, small and large alike. */
function argumentsOf({ size, positive }: Function1): Float32Array {
  return Float32Array.from({ length: COUNT }, (_, i) => {
    const spread = i % 2 ? ((i * 2654435761) % COUNT) / COUNT : 2 ** -((i * 40) / COUNT);
    return size * spread * (positive || i % 4 < 2 ? 1 : -1);
  });
}

function apply(symbol: string, ...inputs: readonly Float32Array[]): Float32Array {
  const n = inputs[0]?.length ?? 0;
  const y = upload(device, new Float32Array(n));
  const args = [...inputs.map((x) => buffer(upload(device, x))), buffer(y), u32(n)];
  run(device, launchOf(device.kernel(module, symbol), args));
  return download(device, y, new Float32Array(n));
}

/** Half a unit in the last place of fp32 at `x`. */
function halfUlp(x: number): number {
  const exponent = Math.max(Math.floor(Math.log2(Math.abs(x) || 1e-300)), -126);
  return 2 ** (exponent - 24);
}

/** The largest distance to the double's value, in halves of a unit in the last place. */
function worst(got: Float32Array, want: (i: number) => number): number {
  let most = 0;
  got.forEach((y, i) => {
    const exact = want(i);
    if (Math.fround(exact) === y || (Number.isNaN(exact) && Number.isNaN(y))) return;
    const distance = Math.abs(y - exact) / halfUlp(exact);
    most = distance <= most ? most : distance;
  });
  return most;
}

// Beyond half a unit by what the double's own value, here and in the reference, may be off.
const ROUNDED_ONCE = 1 + 2 ** -20;

for (const name of names) {
  test(`${name} is the double's value rounded once`, () => {
    const { f } = FUNCTIONS[name]!;
    const x = argumentsOf(FUNCTIONS[name]!);
    expect(worst(apply(`k_${name}`, x), (i) => f(x[i]!))).toBeLessThanOrEqual(ROUNDED_ONCE);
  });

  test(`${name} at the ends and at what is no number`, () => {
    const { f } = FUNCTIONS[name]!;
    const x = Float32Array.of(NaN, Infinity, -Infinity, 0, -0, 1, -1, 2 ** -149, -(2 ** -149), 3.4e38, -3.4e38, 2);
    const got = apply(`k_${name}`, x);
    expect([...got]).toEqual([...x].map((v) => Math.fround(f(v))));
  });
}

test('erff and erfcf against tabled values', () => {
  const x = Float32Array.of(0, 0.5, 1, 2, 3, 5, -1, Infinity, -Infinity, NaN);
  const erf = [
    0,
    0.5204998778130465,
    0.8427007929497149,
    0.9953222650189527,
    0.9999779095030014,
    1,
    -0.8427007929497149,
    1,
    -1,
    NaN,
  ];
  const erfc = [
    1,
    0.4795001221869535,
    0.15729920705028513,
    0.004677734981047266,
    2.209049699858544e-5,
    1.5374597944280349e-12,
    1.8427007929497149,
    0,
    2,
    NaN,
  ];
  expect([...apply('k_erff', x)]).toEqual(erf.map(Math.fround));
  expect([...apply('k_erfcf', x)]).toEqual(erfc.map(Math.fround));
});

test('powf, with its exceptions', () => {
  const pairs: [number, number][] = [
    [2, 10],
    [3, 2],
    [-2, 3],
    [-2, 2],
    [-2, 0.5],
    [0, 0],
    [0, -1],
    [-0, -1],
    [-0, -3],
    [0, 3],
    [Infinity, -1],
    [-Infinity, 3],
    [-1, Infinity],
    [0.5, Infinity],
    [2, -Infinity],
    [NaN, 0],
    [1, NaN],
    [NaN, 1],
    [2, 128],
    [2, -149],
    [2, -151],
    [9, 0.5],
  ];
  const [x, e] = [Float32Array.from(pairs, (p) => p[0]), Float32Array.from(pairs, (p) => p[1])];
  const isOneInC = (a: number, b: number) => a === 1 || (a === -1 && Math.abs(b) === Infinity); // NaN in JavaScript
  const want = pairs.map(([a, b]) => (isOneInC(a, b) ? 1 : Math.fround(a ** b)));
  expect([...apply('power', x, e)]).toEqual(want);
  const bases = Float32Array.from({ length: COUNT }, (_, i) => 0.01 + (i % 97) * 1.37);
  const powers = Float32Array.from({ length: COUNT }, (_, i) => ((i * 7) % 41) / 3 - 6.5);
  expect(worst(apply('power', bases, powers), (i) => bases[i]! ** powers[i]!)).toBeLessThanOrEqual(ROUNDED_ONCE);
});

test('fmodf is exact', () => {
  const x = Float32Array.from({ length: COUNT }, (_, i) => (i % 2 ? -1 : 1) * 1.37 ** (i % 250) * 1e-10);
  const d = Float32Array.from({ length: COUNT }, (_, i) => 0.7 * 1.9 ** (i % 41));
  expect([...apply('remainders', x, d)]).toEqual([...x].map((v, i) => Math.fround(v % d[i]!)));
  const [a, b] = [Float32Array.of(1, NaN, Infinity, 5, -0), Float32Array.of(0, 1, 1, Infinity, 3)];
  expect([...apply('remainders', a, b)]).toEqual([NaN, NaN, NaN, 5, -0]);
});

test('atan2f in all quadrants', () => {
  const values = [0, -0, 1, -1, 3.5, -0.001, Infinity, -Infinity, NaN];
  const pairs = values.flatMap((a) => values.map((b) => [a, b] as const));
  const [a, b] = [Float32Array.from(pairs, (p) => p[0]), Float32Array.from(pairs, (p) => p[1])];
  expect([...apply('angles', a, b)]).toEqual(pairs.map((_, i) => Math.fround(Math.atan2(a[i]!, b[i]!))));
});
