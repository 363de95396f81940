/** `--offline` in the dialects whose compilers make one chip's image at a time, and in Metal, whose images are compared. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FakeKind } from '../device/vendor/kit.ts';
import { fakeCompiler } from '../device/vendor/kit.ts';
import type { Ran } from './executable.ts';
import type { Bench } from './offline-kit.ts';
import { openBench } from './offline-kit.ts';

const ROOT = join(import.meta.dir, '../..');

let bench: Bench;
beforeEach(() => {
  bench = openBench();
});
afterEach(() => bench.close());

interface Parts {
  readonly dialect: 'hip' | 'xpu' | 'metal';
  readonly extension: string;
  readonly source: string;
}

/** One kernel, `k`, in one dialect. */
function put({ dialect, extension, source }: Parts): void {
  const folder = join(bench.folder, 'kernels/k');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `k.${extension}`), source);
  writeFileSync(
    join(folder, 'k.contract.ts'),
    `import { f32, kernel, rows } from '${join(ROOT, 'src/spec/contract.ts')}';
     const fault = (fault, by) => ({ fault, reddens: 'shapes', finding: 'unwritten', launch: by });
     export default kernel({
       name: 'k', dims: { rows: {}, width: {} }, served: [{ rows: [1, 3], width: 64 }],
       inputs: { x: f32('rows', 'width') }, outputs: { y: f32('rows', 'width') }, args: ['x', 'y', 'width'],
       formula: rows('width', 'y = x'), nan: 'propagate', accumulator: 'none',
       launch: { ${dialect}: { symbol: 'tf_k', threads: 64, grid: ({ rows }) => [rows], depth: () => 0 } },
       controls: [
         fault('one row is not launched', (launch) => ({ ...launch, grid: ({ rows }) => [rows - 1] })),
         fault('no row is launched', (launch) => ({ ...launch, threads: 32 })),
       ],
     });`,
  );
}

async function offline(dialect: string, flag: string, kind: FakeKind): Promise<Ran> {
  const { path } = fakeCompiler(join(bench.folder, 'bin'), kind);
  return bench.run([
    '--offline',
    join(bench.folder, 'out'),
    '--dialect',
    dialect,
    `--${flag}`,
    path,
    '--write',
    '--no-controls',
  ]);
}

const recorded = (file: string): Record<string, unknown>[] => bench.records(file).map((line) => JSON.parse(line));

describe('a kernel', () => {
  test('of HIP is recorded under the compiler that made its images, hipcc or clang', async () => {
    put({ dialect: 'hip', extension: 'hip', source: 'extern "C" __global__ void tf_k() {} // registers 20\n' });
    for (const [kind, file] of [
      ['clang', 'hip/clang-19.1.jsonl'],
      ['hipcc', 'hip/hipcc-7.16.jsonl'],
    ] as const) {
      const { code, stdout } = await offline('hip', 'hipcc', kind);
      expect(code).toBe(0);
      expect(stdout).toContain('does not know gfx942; its records stay as they are');
      expect(recorded(file).map(({ chip, vgprs }) => [chip, vgprs])).toEqual(
        ['gfx90a', 'gfx1030', 'gfx1100', 'gfx1151', 'gfx1201'].map((chip) => [chip, 20]),
      );
    }
  });

  test('of OpenCL is recorded for the chips that ocloc knows', async () => {
    put({ dialect: 'xpu', extension: 'cl', source: 'kernel void tf_k(void) {}\n' });
    const { code } = await offline('xpu', 'ocloc', 'ocloc');
    expect(code).toBe(0);
    expect(recorded('xpu/ocloc-22.43.jsonl')).toMatchObject([
      { kernel: 'k', chip: 'acm-g10', symbol: 'tf_k', simd: 16, grf: 128 },
    ]);
  });
});

/** The host device compiles it in earnest; the fake toolchain takes the number for the pipeline's limit. */
const metal = (attribute: string, limit: number): Parts => ({
  dialect: 'metal',
  extension: 'metal',
  source: `#include <metal_stdlib>
using namespace metal;
${attribute}
kernel void tf_k(device const float* x [[buffer(0)]], device float* y [[buffer(1)]], constant uint& width [[buffer(2)]],
                 uint row [[threadgroup_position_in_grid]], uint i [[thread_index_in_threadgroup]]) {
  threadgroup float held[96];
  held[i] = x[row * width + i]; // registers ${limit}
  y[row * width + i] = held[i];
}
`,
});

describe('a Metal kernel', () => {
  test('that reserves no threads has the largest count whose translation is the plain one', async () => {
    put(metal('', 544));
    const { code, stdout } = await offline('metal', 'metal', 'xcrun');
    expect([code, stdout.includes('FAIL')]).toEqual([0, false]);
    expect(recorded('metal/metal-32023.404.jsonl')).toMatchObject([
      { kernel: 'k', chip: 'M1', maxThreads: 544, staticThreadgroup: 384 },
      { kernel: 'k', chip: 'M2', maxThreads: 544, staticThreadgroup: 384 },
    ]);
    expect(recorded('metal/source-1.jsonl')).toMatchObject([{ kernel: 'k', chip: 'source', staticThreadgroup: 384 }]);
    expect(
      readdirSync(join(bench.folder, 'out/images/metal/metal-32023.404')).filter((name) => name.endsWith('.gpu')),
    ).toEqual([]);
  });

  test('that no translation equals is told, and not recorded', async () => {
    put(metal('', 16));
    const { code, stdout } = await offline('metal', 'metal', 'xcrun');
    expect(code).toBe(1);
    expect(stdout).toContain(
      "FAIL  k@metal  no translation of tf_k for M1 has the plain pipeline's code; tried 32 to 1024 threads",
    );
  });

  test('that reserves its threads is recorded by its source alone', async () => {
    put(metal('[[max_total_threads_per_threadgroup(64)]]', 16));
    const { code } = await offline('metal', 'metal', 'xcrun');
    expect(code).toBe(0);
    expect(readdirSync(join(bench.folder, 'records/metal'))).toEqual(['source-1.jsonl']);
    expect(recorded('metal/source-1.jsonl')).toMatchObject([{ chip: 'source', reserved: 64, staticThreadgroup: 384 }]);
  });

  test('needs no Mac for what its source says', async () => {
    put(metal('', 544));
    const args = [
      '--offline',
      join(bench.folder, 'out'),
      '--dialect',
      'metal',
      '--metal',
      '/nowhere/xcrun',
      '--write',
      '--no-controls',
    ];
    const { code, stdout } = await bench.run(args);
    expect(code).toBe(0);
    expect(stdout).toContain(
      "NOT RUN  metal  no compiler: --metal or TF_METAL names '/nowhere/xcrun', which was not found",
    );
    expect(recorded('metal/source-1.jsonl')).toHaveLength(1);
  });
});
