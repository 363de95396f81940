import { expect, test } from 'bun:test';
import { compileHost } from '../../../src/device/toolchain/host.ts';

const SOURCE = `#ifndef THREADS
#define THREADS 1
#endif
extern "C" __global__ void __launch_bounds__(THREADS) k(T* x) { x[N] = START; }
`;
const DEFINES = { T: 'float', N: 128, START: 7, THREADS: 64 };
const compile = (source: string) =>
  compileHost({ kind: 'fast', dialect: 'cuda', source, path: 'k.cu', defines: DEFINES, includeDirs: [] });

test("a launch's definitions reach the source and not the dialect's headers, whose names they may take", async () => {
  expect(await compile(SOURCE)).toHaveProperty('image');
});

test("a launch's definitions move no line of the source", async () => {
  const result = await compile(SOURCE.replace('START;', 'START; wrong;'));
  expect('error' in result && result.error).toMatch(/^k\.cu:4: error: .*'wrong'/);
});
