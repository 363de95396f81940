/** Images of the kind `ulps`: every function of every library's table stays within its limit, comes near it, and is noted. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { HostDevice } from '../../../src/device/host.ts';
import type { DeviceModule } from '../../../src/device/device.ts';
import type { Dialect } from '../../../src/families/formula/functions.ts';
import { DIALECTS } from '../../../src/families/formula/functions.ts';
import { LIBRARIES } from '../../../src/families/libraries/library.ts';
import type { LibraryFunction, Limit } from '../../../src/families/libraries/limit.ts';
import { ulp } from '../../../src/numerics/ulp.ts';
import { random } from '../../../src/numerics/random.ts';
import { buffer, download, imageOf, launchOf, newDevice, run, upload } from './device.ts';

const COUNT = 2048;
const THREADS = 64;

/** What sources write for a function; the operator `/` is exact but in OpenCL C. */
const callable = (dialect: Dialect): LibraryFunction[] =>
  LIBRARIES[dialect].functions.filter(({ name, limit }) => name !== '/' || limit.ulps > 0.5);

const BINARY =
  /^\/$|^(?:precise::|fast::)?(?:atan2|pow|powr|divide|hypot)f?$|__powf|__fdividef|__fdiv_rn|_powr$|_divide$/;
/** Functions of operands below 1 in magnitude, and those of operands above it. */
const UNIT = /(?:asin|acos|atanh)f?$/;
const ABOVE = /acosh/;

const AMDGCN: Readonly<Record<string, string>> = {
  rcp: 'rcpf',
  rsq: 'rsqf',
  sqrt: 'sqrtf',
  exp2: 'exp2f',
  log2: 'logf',
};

/** A statement that gives `r` the function of a and b. */
function call(dialect: Dialect, name: string): string {
  if (name.startsWith('ptx_')) return `asm("${name.slice(4).replace('_', '.')}.f32 %0, %1;" : "=f"(r) : "f"(a));`;
  if (name.startsWith('amdgcn_')) return `r = __builtin_amdgcn_${AMDGCN[name.slice(7)] ?? ''}(a);`;
  if (name === '/') return 'r = a / b;';
  const prefix = dialect === 'metal' ? 'metal::' : '';
  return `r = ${prefix}${name}(${BINARY.test(name) ? 'a, b' : 'a'});`;
}

const kernelName = (name: string): string => `k_${name === '/' ? 'division' : name.replaceAll(':', '_')}`;

const HEADS: Readonly<Record<Dialect, (name: string) => string>> = {
  cuda: (name) =>
    `extern "C" __global__ void ${name}(const float* x, const float* z, float* y) { unsigned t = threadIdx.x;`,
  hip: (name) =>
    `extern "C" __global__ void ${name}(const float* x, const float* z, float* y) { unsigned t = threadIdx.x;`,
  metal: (name) =>
    `kernel void ${name}(device const float* x [[buffer(0)]], device const float* z [[buffer(1)]], device float* y [[buffer(2)]], uint t [[thread_index_in_threadgroup]]) {`,
  xpu: (name) =>
    `kernel void ${name}(global const float* x, global const float* z, global float* y) { uint t = get_local_id(0);`,
};

const source = (dialect: Dialect): string =>
  callable(dialect)
    .map(({ name }) => {
      const body = `float a = x[i], b = z[i], r = 0; ${call(dialect, name)} y[i] = r;`;
      return `${HEADS[dialect](kernelName(name))} for (unsigned i = t; i < ${COUNT}; i += ${THREADS}) { ${body} } }`;
    })
    .join('\n');

/** Operands over many binades, or in the domain of the function; a few near 1, where logarithms have an absolute error. */
function operands(name: string): [Float32Array<ArrayBuffer>, Float32Array<ArrayBuffer>] {
  const draw = random(`ulps:${name}`);
  const x = Float32Array.from({ length: COUNT }, (_, i) => {
    if (UNIT.test(name)) return draw.unit() * 1.98 - 0.99;
    if (ABOVE.test(name)) return 1 + 20 * draw.unit();
    if (i % 4 === 0) return 0.5 + 1.5 * draw.unit();
    return 2 ** (draw.unit() * 12 - 8);
  });
  const z = Float32Array.from({ length: COUNT }, () => 0.25 + 2 * draw.unit());
  return [x, z];
}

/** The most that a result may differ from the correctly rounded one. */
function allowed({ limit }: LibraryFunction, against: 'exact' | 'rounded', x: number, exact: number): number {
  const { ulps, slope = 0, absolute }: Limit = limit;
  if (absolute && x >= absolute.from && x <= absolute.to) return absolute.error;
  return (ulps + Math.floor(slope * Math.abs(x)) - (against === 'exact' ? 0.5 : 0)) * ulp('f32', exact);
}

let device: HostDevice;
beforeAll(async () => {
  device = await newDevice();
});
afterAll(() => device.close());

describe.each(DIALECTS)('%s', (dialect) => {
  const { against, functions } = LIBRARIES[dialect];
  let fast: DeviceModule;
  let ulps: DeviceModule;
  beforeAll(async () => {
    fast = device.load(await imageOf(source(dialect), dialect, 'fast'));
    ulps = device.load(await imageOf(source(dialect), dialect, 'ulps'));
  });

  function results(module: DeviceModule, name: string, x: Float32Array, z: Float32Array, seed: number): Float32Array {
    const kernel = device.kernel(module, kernelName(name));
    const [from, with_, to] = [
      upload(device, x as Float32Array<ArrayBuffer>),
      upload(device, z as Float32Array<ArrayBuffer>),
      upload(device, new Float32Array(COUNT)),
    ];
    run(device, launchOf(kernel, [buffer(from), buffer(with_), buffer(to)], { group: [THREADS, 1, 1], ulps: seed }));
    const got = download(device, to, new Float32Array(COUNT));
    for (const address of [from, with_, to]) device.free({ address, bytes: 4 * COUNT });
    return got;
  }

  test.each(callable(dialect).map((one) => [one.name, one] as const))('%s', (name, one) => {
    const [x, z] = operands(name);
    const exact = results(fast, name, x, z, 0);
    expect(results(ulps, name, x, z, 0)).toEqual(exact);
    expect(device.kernel(ulps, kernelName(name)).functions).toContain(functions.indexOf(one));
    expect(device.kernel(fast, kernelName(name)).functions).toEqual([]);

    let nearest = 0;
    const most = exact.map((want, i) => allowed(one, against, x[i] ?? 0, want));
    for (const seed of [1, 2, 3, 77]) {
      const got = results(ulps, name, x, z, seed);
      got.forEach((value, i) => {
        const error = value - (exact[i] ?? 0);
        const limit = most[i] ?? 0;
        if (!(Math.abs(error) <= limit)) throw new Error(`${name}(${x[i]}) is off by ${error}, past ${limit}`);
        if (seed === 1 && error < 0) throw new Error(`${name}(${x[i]}) goes down in a launch that is all up`);
        if (seed === 2 && error > 0) throw new Error(`${name}(${x[i]}) goes up in a launch that is all down`);
        if (limit > 0) nearest = Math.max(nearest, Math.abs(error) / limit);
      });
    }
    // Whole steps: a limit of 2 ulps from the exact result is 1 step from the correctly rounded one, of 1.5 ulps allowed.
    const { ulps: stated, absolute } = one.limit;
    const moves = against === 'rounded' ? stated >= 1 : stated >= 1.5;
    expect(nearest).toBeGreaterThan(moves || absolute ? 0.6 : -1);
    if (!moves && !absolute) expect(nearest).toBe(0);
  });

  test('a seed gives the same results again, and another seed others', () => {
    const { name } = callable(dialect).find(({ limit }) => limit.ulps >= 2) ?? { name: '' };
    const [x, z] = operands(name);
    expect(results(ulps, name, x, z, 9)).toEqual(results(ulps, name, x, z, 9));
    expect(results(ulps, name, x, z, 9)).not.toEqual(results(ulps, name, x, z, 10));
  });
});
