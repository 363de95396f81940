import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { HostDevice } from '../../../src/device/host.ts';
import { buffer, download, imageOf, launchOf, newDevice, run, u32, upload } from './device.ts';
import {
  add,
  BF16,
  divide,
  type Format,
  F16,
  isFinite,
  isNan,
  multiply,
  nearest,
  type Rational,
  valueOf,
  valueOfNumber,
} from './exact.ts';

const SOURCE = `
#include <cuda_fp16.h>
#include <cuda_bf16.h>
template <class T> __device__ void all(const T* a, const T* b, const T* c, const float* f, T* y, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = a[i] + b[i];
  y[n + i] = a[i] - b[i];
  y[2 * n + i] = a[i] * b[i];
  y[3 * n + i] = a[i] / b[i];
  y[4 * n + i] = __hfma(a[i], b[i], c[i]);
  y[5 * n + i] = T(f[i]);
}
extern "C" __global__ void f16(
  const __half* a, const __half* b, const __half* c, const float* f, __half* y, unsigned n) {
  all(a, b, c, f, y, n);
}
typedef __nv_bfloat16 bf;
extern "C" __global__ void bf16(const bf* a, const bf* b, const bf* c, const float* f, bf* y, unsigned n) {
  all(a, b, c, f, y, n);
}
extern "C" __global__ void widen(const unsigned short* x, float* h, float* b) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  h[i] = __half2float(__ushort_as_half(x[i]));
  b[i] = __bfloat162float(__ushort_as_bfloat16(x[i]));
}
extern "C" __global__ void chain(const float* x, float* y) {
  __half h = __half(x[0]);
  __nv_bfloat16 b = __nv_bfloat16(x[1]);
  for (int i = 0; i < 2; i++) h = h + __half(1.0f), b += __nv_bfloat16(1.0f);
  y[0] = __half2float(h);
  y[1] = __bfloat162float(b);
}
extern "C" __global__ void shared_atomics(float* y) {
  __shared__ __nv_bfloat16 b;
  __shared__ __half h;
  __shared__ float f;
  if (threadIdx.x == 0) b = __nv_bfloat16(0.0f), h = __half(0.0f), f = 0;
  __syncthreads();
  atomicAdd(&b, __nv_bfloat16(1.0f));
  atomicAdd(&h, __half(0.5f));
  atomicAdd(&f, 0.25f);
  __syncthreads();
  if (threadIdx.x == 0) y[0] = b, y[1] = h, y[2] = f;
}
extern "C" __global__ void to_integers(const float* x, int* y, unsigned n) {
  if (threadIdx.x >= n) return;
  y[threadIdx.x] = (int)x[threadIdx.x];
  y[n + threadIdx.x] = (int)(unsigned)x[threadIdx.x];
  y[2 * n + threadIdx.x] = __float2int_rn(x[threadIdx.x]);
}
extern "C" __global__ void no_fusing(const float* x, float* y) {
  y[0] = x[0] * x[1] + x[2];
  y[1] = fmaf(x[0], x[1], x[2]);
  y[2] = INFINITY;
  y[3] = NAN;
}
extern "C" __global__ void extremes(const float* a, const float* b, float* y, unsigned n) {
  unsigned i = threadIdx.x;
  if (i >= n) return;
  y[i] = fmaxf(a[i], b[i]);
  y[n + i] = fminf(a[i], b[i]);
}
`;

const COUNT = 20_000;

let device: HostDevice;
let module: ReturnType<HostDevice['load']>;

beforeAll(async () => {
  device = await newDevice();
  module = device.load(await imageOf(SOURCE));
});
afterAll(() => device.close());

/** A small generator of 32-bit words; the tests are the same every time. */
function words(seed: number): () => number {
  let x = seed;
  return () => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return x >>> 0;
  };
}

/** Codes of every kind: random ones, and pairs near each other, whose sums and quotients cancel and tie. */
function codes(seed: number, near?: Uint16Array): Uint16Array {
  const next = words(seed);
  const nearby = (code: number): number => code ^ (next() % 32) ^ ((next() & 1) << 15);
  return Uint16Array.from({ length: COUNT }, (_, i) => (near && i % 2 ? nearby(near[i]!) : next()));
}

interface Operands {
  readonly a: Uint16Array;
  readonly b: Uint16Array;
  readonly c: Uint16Array;
  readonly f: Float32Array;
}

function operands(): Operands {
  const next = words(99);
  const a = codes(1);
  const f = Float32Array.from({ length: COUNT }, () => 0);
  const bits = new Uint32Array(f.buffer);
  const nearTie = (): number => (next() & 0xffff0000) | (next() & 1) | (0x8000 * (next() & 1));
  for (let i = 0; i < COUNT; i++) bits[i] = i % 2 ? next() : nearTie();
  return { a, b: codes(2, a), c: codes(3, a), f };
}

function compute(symbol: string, { a, b, c, f }: Operands): Uint16Array {
  const y = upload(device, new Uint16Array(6 * COUNT));
  const args = [a, b, c].map((x) => buffer(upload(device, x)));
  const launch = launchOf(device.kernel(module, symbol), [...args, buffer(upload(device, f)), buffer(y), u32(COUNT)], {
    grid: [Math.ceil(COUNT / 256), 1, 1],
    group: [256, 1, 1],
  });
  run(device, launch);
  return download(device, y, new Uint16Array(6 * COUNT));
}

/** How many results differ from the oracle's, over operands for which it has one: all finite, no division by 0. */
function wrong(got: Uint16Array, want: (i: number) => number | undefined): { wrong: number; judged: number } {
  let bad = 0;
  let judged = 0;
  for (let i = 0; i < COUNT; i++) {
    const expected = want(i);
    if (expected === undefined) continue;
    judged++;
    if (got[i] !== expected) bad++;
  }
  return { wrong: bad, judged };
}

const FORMATS: readonly (readonly [string, Format])[] = [
  ['f16', F16],
  ['bf16', BF16],
];

for (const [symbol, format] of FORMATS) {
  describe(`${symbol} arithmetic rounds once`, () => {
    const o = operands();
    let got: Uint16Array;
    beforeAll(() => {
      got = compute(symbol, o);
    });
    const pair = (i: number): [Rational, Rational] | undefined =>
      isFinite(format, o.a[i]!) && isFinite(format, o.b[i]!)
        ? [valueOf(format, o.a[i]!), valueOf(format, o.b[i]!)]
        : undefined;
    const negate = ({ numerator, denominator }: Rational): Rational => ({ numerator: -numerator, denominator });
    const signOf = (i: number): number => (o.a[i]! ^ o.b[i]!) & 0x8000;
    const sumZero = (x: number, y: number): number => (x & y & 0x8000 ? 0x8000 : 0); // -0 only from -0 and -0

    const operations: Readonly<Record<string, (i: number) => number | undefined>> = {
      add: (i) => pair(i) && nearest(format, add(...pair(i)!), sumZero(o.a[i]!, o.b[i]!)),
      subtract: (i) => {
        const operands = pair(i);
        return operands && nearest(format, add(operands[0], negate(operands[1])), sumZero(o.a[i]!, o.b[i]! ^ 0x8000));
      },
      multiply: (i) => pair(i) && nearest(format, multiply(...pair(i)!), signOf(i)),
      divide: (i) => {
        const operands = pair(i);
        return operands && operands[1].numerator !== 0n ? nearest(format, divide(...operands), signOf(i)) : undefined;
      },
      fma: (i) => {
        const operands = pair(i);
        if (!operands || !isFinite(format, o.c[i]!)) return undefined;
        const exact = add(multiply(...operands), valueOf(format, o.c[i]!));
        const productIsZero = operands[0].numerator === 0n || operands[1].numerator === 0n;
        if (exact.numerator === 0n && productIsZero) return signOf(i) & o.c[i]! & 0x8000;
        return nearest(format, exact, 0);
      },
      'from f32': (i) => {
        const value = o.f[i]!;
        if (!Number.isFinite(value)) return undefined;
        return nearest(format, valueOfNumber(value), Object.is(value, -0) ? 0x8000 : 0);
      },
    };

    Object.entries(operations).forEach(([name, want], index) => {
      test(name, () => {
        const verdict = wrong(got.subarray(index * COUNT, (index + 1) * COUNT), want);
        expect(verdict.judged).toBeGreaterThan(COUNT / 2);
        expect(verdict.wrong).toBe(0);
      });
    });

    test('a NaN operand gives a NaN', () => {
      for (let i = 0; i < COUNT; i++) {
        if (!isNan(format, o.a[i]!)) continue;
        for (let k = 0; k < 5; k++) expect(isNan(format, got[k * COUNT + i]!)).toBe(true);
      }
    });
  });
}

test('every 16-bit code widens to its value', () => {
  const all = Uint16Array.from({ length: 65536 }, (_, i) => i);
  const [h, b] = [upload(device, new Float32Array(65536)), upload(device, new Float32Array(65536))];
  run(
    device,
    launchOf(device.kernel(module, 'widen'), [buffer(upload(device, all)), buffer(h), buffer(b)], {
      grid: [256, 1, 1],
      group: [256, 1, 1],
    }),
  );
  for (const [address, format] of [
    [h, F16],
    [b, BF16],
  ] as const) {
    const got = download(device, address, new Float32Array(65536));
    let bad = 0;
    for (let code = 0; code < 65536; code++) {
      const value = got[code]!;
      if (isNan(format, code)) bad += Number.isNaN(value) ? 0 : 1;
      else if (!isFinite(format, code)) bad += value === (code & 0x8000 ? -Infinity : Infinity) ? 0 : 1;
      else if (nearest(format, valueOfNumber(value), Object.is(value, -0) ? 0x8000 : 0) !== code) bad++;
    }
    expect(bad).toBe(0);
  }
});

/** One group of 32 threads over float inputs; the first `count` words of y as floats. */
function floats(symbol: string, x: readonly number[], count: number): number[] {
  const y = upload(device, new Float32Array(64));
  run(device, launchOf(device.kernel(module, symbol), [buffer(upload(device, Float32Array.from(x))), buffer(y)]));
  return [...download(device, y, new Float32Array(count))];
}

test('a sum in 16 bits rounds after every step', () => {
  expect(floats('chain', [2048, 256], 2)).toEqual([2048, 256]);
});

test('atomics on bf16, half and float in local memory', () => {
  const y = upload(device, new Float32Array(3));
  run(device, launchOf(device.kernel(module, 'shared_atomics'), [buffer(y)]));
  expect([...download(device, y, new Float32Array(3))]).toEqual([32, 16, 8]);
});

test('floats become integers as on a GPU: saturated, a NaN is 0', () => {
  const x = [NaN, Infinity, -Infinity, 3e9, -3e9, 1.9, -1.9, 2.5, 5e9];
  const y = upload(device, new Int32Array(3 * x.length));
  const input = upload(device, Float32Array.from(x));
  run(device, launchOf(device.kernel(module, 'to_integers'), [buffer(input), buffer(y), u32(x.length)]));
  const [most, least] = [2 ** 31 - 1, -(2 ** 31)];
  expect([...download(device, y, new Int32Array(3 * x.length))]).toEqual([
    0,
    most,
    least,
    most,
    least,
    1,
    -1,
    2,
    most,
    0,
    -1,
    0,
    3e9 | 0,
    0,
    1,
    0,
    2,
    -1,
    0,
    most,
    least,
    most,
    least,
    2,
    -2,
    2,
    most,
  ]);
});

test('a product and a sum are not fused; fmaf is; INFINITY and NAN need no include', () => {
  const x = 1 + 2 ** -12;
  const exact = 2 ** -24;
  expect(floats('no_fusing', [x, x, -(1 + 2 ** -11)], 4)).toEqual([0, exact, Infinity, NaN]);
});

test('fmaxf and fminf drop a NaN and order the zeros', () => {
  const a = [1, NaN, 1, NaN, 0, -0, Infinity, -5];
  const b = [2, 3, NaN, NaN, -0, 0, 1, -7];
  const y = upload(device, new Float32Array(16));
  const inputs = [a, b].map((x) => buffer(upload(device, Float32Array.from(x))));
  const args = [...inputs, buffer(y), u32(8)];
  run(device, launchOf(device.kernel(module, 'extremes'), args));
  expect([...download(device, y, new Float32Array(16))]).toEqual([
    2,
    3,
    1,
    NaN,
    0,
    0,
    Infinity,
    -5,
    1,
    3,
    1,
    NaN,
    -0,
    -0,
    1,
    -7,
  ]);
});
