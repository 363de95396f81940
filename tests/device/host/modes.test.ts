/** The arithmetic modes of the host device: fused images. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { HostDevice } from '../../../src/device/host.ts';
import type { ImageKind } from '../../../src/device/images.ts';
import type { HostDialect } from '../../../src/device/toolchain/host.ts';
import { buffer, download, imageOf, launchOf, newDevice, run, upload } from './device.ts';

let device: HostDevice;
beforeAll(async () => {
  device = await newDevice();
});
afterAll(() => device.close());

/** y[0] of a kernel `f(x, y)` of one thread. */
async function result(source: string, dialect: HostDialect, kind: ImageKind, x: readonly number[]): Promise<number> {
  const module = device.load(await imageOf(source, dialect, kind));
  const from = upload(device, Float32Array.from(x));
  const to = upload(device, new Float32Array(4));
  run(device, launchOf(device.kernel(module, 'f'), [buffer(from), buffer(to)], { group: [1, 1, 1] }));
  const [first = Number.NaN] = download(device, to, new Float32Array(4));
  device.unload(module);
  return first;
}

const HEAD: Readonly<Record<HostDialect, string>> = {
  cuda: 'extern "C" __global__ void f(const float* x, float* y)',
  hip: 'extern "C" __global__ void f(const float* x, float* y)',
  metal: 'kernel void f(device const float* x [[buffer(0)]], device float* y [[buffer(1)]])',
  xpu: 'kernel void f(global const float* x, global float* y)',
};
const DIALECTS = ['cuda', 'hip', 'metal', 'xpu'] as const;

const A = 1 + 2 ** -12;
/** a * a - 1 - 2^-11 is 2^-24 exactly, and 0 where the product is rounded. */
const OPERANDS = [A, A, -(1 + 2 ** -11)];
const across = (dialect: HostDialect): string => `${HEAD[dialect]} { float p = x[0] * x[1]; y[0] = p + x[2]; }`;

describe.each(DIALECTS)('%s', (dialect) => {
  test('a fused image rounds a product and its sum once, across statements; a fast one twice', async () => {
    expect(await result(across(dialect), dialect, 'fast', OPERANDS)).toBe(0);
    expect(await result(across(dialect), dialect, 'fused', OPERANDS)).toBe(2 ** -24);
  });
});

/** The same product and sum, each forbidden to fuse in the words of its dialect. */
const FORBIDDEN: readonly (readonly [string, HostDialect, string])[] = [
  ['__fmul_rn', 'cuda', `${HEAD.cuda} { y[0] = __fmul_rn(x[0], x[1]) + x[2]; }`],
  ['__fadd_rn', 'hip', `${HEAD.hip} { y[0] = __fadd_rn(x[0] * x[1], x[2]); }`],
  ['METAL fp contract(off)', 'metal', `#pragma METAL fp contract(off)\n${across('metal')}`],
  ['OPENCL FP_CONTRACT OFF', 'xpu', `#pragma OPENCL FP_CONTRACT OFF\n${across('xpu')}`],
];
test.each(FORBIDDEN)('%s is heard in a fused image', async (_, dialect, source) => {
  expect(await result(source, dialect, 'fused', OPERANDS)).toBe(0);
});

/** What a source permits is no promise that it happens. */
const PERMITTED: readonly (readonly [string, HostDialect, string])[] = [
  ['METAL fp contract(fast)', 'metal', `#pragma METAL fp contract(fast)\n${across('metal')}`],
  ['OPENCL FP_CONTRACT ON', 'xpu', `#pragma OPENCL FP_CONTRACT ON\n${across('xpu')}`],
  ['OPENCL FP_CONTRACT DEFAULT', 'xpu', `#pragma OPENCL FP_CONTRACT DEFAULT\n${across('xpu')}`],
];
test.each(PERMITTED)('%s fuses in a fused image alone', async (_, dialect, source) => {
  expect(await result(source, dialect, 'fast', OPERANDS)).toBe(0);
  expect(await result(source, dialect, 'fused', OPERANDS)).toBe(2 ** -24);
});

test.each(DIALECTS)('%s: the functions of a dialect give the same bits in a fused image', async (dialect) => {
  const exp = dialect === 'metal' ? 'metal::precise::exp' : dialect === 'xpu' ? 'exp' : 'expf';
  const source = `${HEAD[dialect]} { y[0] = ${exp}(x[0]); }`;
  for (const x of [1.5, -7.25, 0.3, 80.1])
    expect(await result(source, dialect, 'fused', [x])).toBe(await result(source, dialect, 'fast', [x]));
});
