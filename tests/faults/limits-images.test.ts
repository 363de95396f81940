/** Public faults of limits, third part: images of a compiler newer than a reader, which may never pass as images without kernels. */
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readImage } from '../../src/audit/images/read.ts';
import { buildCubin, long, short } from '../audit/images/cuda-kit.ts';
import { KERNEL, codeObject } from '../audit/images/hip-kit.ts';
import { zeInfo, zeKernel, zebin } from '../audit/images/xpu-kit.ts';
import type { Bench } from '../cli/offline-kit.ts';
import { openBench, source } from '../cli/offline-kit.ts';

let bench: Bench;
beforeEach(() => {
  bench = openBench();
  bench.kernel('one', source('tf_one', 40));
});
afterEach(() => bench.close());

const bound = long(0x05, 256, 1, 1);
const cubin = (generation: 'old' | 'new', attributes: readonly Uint8Array[]): Uint8Array =>
  buildCubin({ sm: 80, generation, kernels: [{ name: 'k', registers: 40, attributes }] });
const factsOf = (bytes: Uint8Array): object => {
  const { kernels, problems } = readImage(bytes, 'k.cubin');
  expect(problems).toEqual([]);
  const [kernel] = kernels;
  if (kernel?.dialect !== 'cuda') throw new Error('no CUDA kernel');
  return { registers: kernel.registers, maxThreads: kernel.maxThreads };
};

test('L16: both generations of cubins say the same, past attributes nobody knows', () => {
  const want = { registers: 40, maxThreads: [256, 1, 1] };
  const unknown = [short(0xee, 7, 1), long(0xf0, 1, 2, 3)];
  for (const generation of ['old', 'new'] as const) {
    expect(factsOf(cubin(generation, [bound]))).toEqual(want);
    expect(factsOf(cubin(generation, [...unknown, bound, ...unknown]))).toEqual(want);
  }
});

test.each([
  ['cubin', buildCubin({ sm: 80, abiVersion: 9, kernels: [{ name: 'k' }] })],
  ['code object', codeObject({ kernels: [KERNEL], abiVersion: 5 })],
  ['zebin', zebin({ info: zeInfo([zeKernel('k')], '2.0') })],
])('L16: a %s one version on is a problem by name, and the folder that holds it is no pass', async (what, bytes) => {
  const { kernels, problems } = readImage(bytes, 'next');
  expect([kernels.length, problems.map((problem) => problem.class)]).toEqual([0, ['newer-than-known']]);
  const folder = join(bench.folder, 'images');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `next ${what}`), bytes);
  const { code, stdout } = await bench.run(['limits', folder]);
  expect(code).toBe(1);
  expect(stdout).toContain(`next ${what}`);
  expect(stdout).toMatch(/newer/);
});
