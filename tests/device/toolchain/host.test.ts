import { afterAll, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileHost, type HostDialect, type HostSource } from '../../../src/device/toolchain/host.ts';
import { buildRuntime } from '../../../src/device/toolchain/runtime.ts';

const folder = mkdtempSync(join(tmpdir(), 'tf-host-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** y[i] = SCALE · x[i] through local memory, in each dialect. */
const SOURCES: Readonly<Record<HostDialect, string>> = {
  cuda: `#include <cuda_runtime.h>
extern "C" __global__ void __launch_bounds__(64) scale(const float* x, float* y) {
  __shared__ float part[64];
  part[threadIdx.x] = SCALE * x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = part[threadIdx.x];
}`,
  hip: `#include <hip/hip_runtime.h>
extern "C" __global__ void __launch_bounds__(64) scale(const float* x, float* y) {
  __shared__ float part[64];
  part[threadIdx.x] = SCALE * x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = part[threadIdx.x];
}`,
  metal: `#include <metal_stdlib>
using namespace metal;
kernel void scale(device const float* x [[buffer(0)]], device float* y [[buffer(1)]],
                  uint i [[thread_index_in_threadgroup]]) {
  threadgroup float part[64];
  part[i] = SCALE * x[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  y[i] = part[i];
}`,
  xpu: `kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void scale(global const float* x, global float* y) {
  local float part[64];
  part[get_local_id(0)] = SCALE * x[get_local_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  y[get_local_id(0)] = part[get_local_id(0)];
}`,
};

const EXTENSIONS: Readonly<Record<HostDialect, string>> = { cuda: 'cu', hip: 'hip', metal: 'metal', xpu: 'cl' };
const DIALECTS: readonly HostDialect[] = ['cuda', 'hip', 'metal', 'xpu'];

function compile(dialect: HostDialect, source: string, more: Partial<HostSource> = {}): ReturnType<typeof compileHost> {
  const path = `kernels/scale.${EXTENSIONS[dialect]}`;
  return compileHost({ kind: 'fast', dialect, source, path, defines: { SCALE: 2 }, includeDirs: [], ...more });
}

async function imageOf(...args: Parameters<typeof compile>): Promise<Uint8Array> {
  const result = await compile(...args);
  if ('error' in result) throw new Error(result.error);
  return result.image;
}

async function errorOf(...args: Parameters<typeof compile>): Promise<string> {
  const result = await compile(...args);
  return 'error' in result ? result.error : 'the source compiled';
}

const latin = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

describe.each(DIALECTS)('a %s source', (dialect) => {
  const source = SOURCES[dialect];

  test('becomes a shared object with an image in it', async () => {
    const image = latin(await imageOf(dialect, source));
    expect(image.slice(0, 4)).toBe('\x7fELF');
    expect(image).toContain('\0tf_image\0');
    expect(image).toContain('\0scale\0');
  });

  test('changes with its definitions', async () => {
    const two = await imageOf(dialect, source);
    const three = await imageOf(dialect, source, { defines: { SCALE: 3 } });
    expect(Buffer.compare(two, three)).not.toBe(0);
  });

  test('with a syntax error is told by its own file and line', async () => {
    const line = 1 + source.slice(0, source.indexOf('] = SCALE')).split('\n').length - 1;
    const error = await errorOf(dialect, source.replace('= SCALE * x', '= SCALE * no_such'));
    const place = `kernels/scale.${EXTENSIONS[dialect]}:${line}`;
    expect(error).toContain(`${place}: error: use of undeclared identifier 'no_such'`);
    expect(error).toContain('= SCALE * no_such[');
  });

  test('without a kernel is refused', async () => {
    expect(await errorOf(dialect, 'int x;')).toMatch(/^kernels\/scale\.\w+: error: no .* is defined/);
  });
});

describe('a compiled source', () => {
  const cuda = '#include "scale.cuh"\nextern "C" __global__ void f(float* y) { y[0] = SCALED; }';

  test('is compiled again when a file that it includes changes', async () => {
    const header = join(folder, 'scale.cuh');
    writeFileSync(header, '#define SCALED 2.0f');
    const two = await imageOf('cuda', cuda, { includeDirs: [folder] });
    expect(await imageOf('cuda', cuda, { includeDirs: [folder] })).toEqual(two);
    writeFileSync(header, '#define SCALED 3.0f');
    expect(Buffer.compare(await imageOf('cuda', cuda, { includeDirs: [folder] }), two)).not.toBe(0);
  });

  test('finds quoted includes beside it', async () => {
    writeFileSync(join(folder, 'scale.cuh'), '#define SCALED 4.0f');
    await imageOf('cuda', cuda, { path: join(folder, 'f.cu') });
  });

  test('that includes what is not there says so', async () => {
    const error = await errorOf('cuda', `\n${cuda}`, { path: 'elsewhere/f.cu' });
    expect(error).toBe('elsewhere/f.cu:2:10: fatal error: \'scale.cuh\' file not found\n    #include "scale.cuh"');
  });

  test('shows its file and line in an error of the lowering', async () => {
    const error = await errorOf('cuda', '__global__ void f() {\n  __shared__ int a = 1;\n}', { path: 'f.cu' });
    expect(error).toStartWith('f.cu:2: error: local memory cannot be initialised where it is declared\n  Assign it');
  });

  test('is the same however many ask at once', async () => {
    const source = `extern "C" __global__ void at_once(float* y) { y[0] = ${performance.now()}; }`;
    const images = await Promise.all(Array.from({ length: 6 }, () => imageOf('cuda', source)));
    for (const image of images) expect(Buffer.compare(image, images[0] ?? new Uint8Array())).toBe(0);
  });
});

test('the runtime builds', async () => {
  const runtime = latin(await buildRuntime());
  expect(runtime.slice(0, 4)).toBe('\x7fELF');
  for (const name of ['tf_abi_version', 'tf_open', 'tf_load', 'tf_launch', 'tf_wait', 'tf_close', 'tf_error']) {
    expect(runtime).toContain(`\0${name}\0`);
  }
});

test('an image names no folder of the machine that made it: the same sources elsewhere give the same image', async () => {
  const images = await Promise.all(
    ['here', 'elsewhere'].map((name) => {
      const root = join(folder, name);
      mkdirSync(join(root, 'shared'), { recursive: true });
      writeFileSync(
        join(root, 'shared', 'twice.cuh'),
        '__device__ inline float twice(float* x) { return 2.0f * *x; }\n',
      );
      const source = `#include "twice.cuh"
extern "C" __global__ void scale(float* y) { y[threadIdx.x] = SCALE * twice(y); }`;
      const shown = { folder: root, as: 'kernels/' };
      return imageOf('cuda', source, { includeDirs: [join(root, 'shared')], shown });
    }),
  );
  const [here, elsewhere] = images.map((image) => Buffer.from(image));
  expect(here?.equals(elsewhere ?? Buffer.alloc(0))).toBe(true);
  expect(here?.includes('kernels/shared')).toBe(true);
  for (const made of [folder, process.cwd()]) expect(here?.includes(made)).toBe(false);
});
