/** Each vendor's compiler: how it is found, the command lines it gets, its images and its words. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readImage } from '../../../src/audit/images/read.ts';
import type { Dialect } from '../../../src/families/formula/functions.ts';
import { findCompiler, VENDORS } from '../../../src/device/vendor/all.ts';
import { hipVersion } from '../../../src/device/vendor/hip.ts';
import { metalVersion, pipelineScript, translate } from '../../../src/device/vendor/metal.ts';
import { nvccVersion } from '../../../src/device/vendor/nvcc.ts';
import { oclocVersion } from '../../../src/device/vendor/ocloc.ts';
import type { Compile, Compiler } from '../../../src/device/vendor/vendor.ts';
import { isMissing } from '../../../src/device/vendor/vendor.ts';
import type { FakeKind } from './kit.ts';
import { fakeCompiler } from './kit.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tf-vendor-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const FAKES: Readonly<Record<Dialect, FakeKind>> = { cuda: 'nvcc', hip: 'clang', metal: 'xcrun', xpu: 'ocloc' };
const EXTENSIONS: Readonly<Record<Dialect, string>> = { cuda: 'cu', hip: 'hip', metal: 'metal', xpu: 'cl' };

/** A source in a folder of its own, with the compiler that is to take it. */
async function prepared(dialect: Dialect, text: string, chips: readonly string[], kind: FakeKind = FAKES[dialect]) {
  const own = mkdtempSync(join(folder, `${dialect}-`));
  const fake = fakeCompiler(own, kind);
  const source = `k.${EXTENSIONS[dialect]}`;
  writeFileSync(join(own, source), text);
  mkdirSync(join(own, 'out'));
  const compiler = await findCompiler(dialect, fake.path);
  if (isMissing(compiler)) throw new Error(compiler.why);
  const request: Compile = {
    folder: own,
    source,
    symbols: ['k'],
    includeDirs: ['shared', 'own'],
    defines: { HEAD: 128 },
    chips,
    output: join(own, 'out/k'),
  };
  return { fake, compiler, request, own };
}

const KERNEL = 'extern "C" __global__ void k() {} // registers 40\n';

describe('a version', () => {
  test.each([
    ['nvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release 13.0, V13.0.88\n', '13.0.88'],
    ['nvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release 12.6, V12.6.20\n', '12.6.20'],
    ['Debian clang version 19.1.7', ''],
  ])('of nvcc in %j is %j', (output, want) => expect(nvccVersion(output)).toBe(want));

  test.each([
    ['HIP version: 7.16.43484-9999\nAMD clang version 22.0.0git', 'hipcc', '7.16.43484'],
    ['Debian clang version 19.1.7 (3~deb12u1)\nTarget: x86_64-pc-linux-gnu', 'clang', '19.1.7'],
    ['gcc (Debian 12.2.0-14) 12.2.0', 'clang', ''],
  ] as const)('of a HIP compiler in %j is of %s: %j', (output, name, version) => {
    expect(hipVersion(output)).toEqual({ name, version });
  });

  test.each([
    ['22.43.24595', '22.43.24595'],
    ['ocloc version 25.18.33578.6', '25.18.33578'],
    ['Invalid option (arg 1): --version', ''],
  ])('of ocloc in %j is %j', (output, want) => expect(oclocVersion(output)).toBe(want));

  test.each([
    ['Apple metal version 32023.404 (metalfe-32023.404)\nTarget: air64-apple-darwin24.0.0', '32023.404'],
    ["xcrun: error: cannot execute tool 'metal' due to missing Metal Toolchain", ''],
  ])('of metal in %j is %j', (output, want) => expect(metalVersion(output)).toBe(want));
});

describe('a compiler', () => {
  test.each([
    ['cuda', 'nvcc-13.0', '--nvcc or TF_NVCC'],
    ['hip', 'clang-19.1', '--hipcc or TF_HIPCC'],
    ['xpu', 'ocloc-22.43', '--ocloc or TF_OCLOC'],
    ['metal', 'metal-32023.404', '--metal or TF_METAL'],
  ] as const)('of %s is found at its path as %s, and told how to get where it is not', async (dialect, name, named) => {
    const found = await findCompiler(dialect, fakeCompiler(join(folder, 'found'), FAKES[dialect]).path);
    expect(isMissing(found) ? found.why : `${found.name}-${found.release}`).toBe(name);
    const missing = await findCompiler(dialect, '/nowhere/compiler');
    if (!isMissing(missing)) throw new Error('there is none');
    expect(missing.why).toBe(`${named} names '/nowhere/compiler', which was not found`);
    expect(missing.install).toContain(named);
    const other = await findCompiler(dialect, '/bin/true');
    expect(isMissing(other) && other.why).toStartWith('/bin/true ');
  });

  test('that is hipcc has records of its own', async () => {
    const found = await findCompiler('hip', fakeCompiler(join(folder, 'rocm'), 'hipcc').path);
    expect(found).toMatchObject({ name: 'hipcc', release: '7.16', version: '7.16.12345' });
  });

  test.each([
    ['cuda', 'sm_120', 'sm_999'],
    ['hip', 'gfx1100', 'gfx942'],
    ['xpu', 'acm-g10', 'bmg'],
    ['metal', 'M1', 'M3'],
  ] as const)('of %s knows %s and not %s', async (dialect, known, unknown) => {
    const { compiler } = await prepared(dialect, KERNEL, []);
    const { knows } = VENDORS[dialect];
    expect([await knows(compiler, known), await knows(compiler, unknown)]).toEqual([true, false]);
  });
});

const COMMON = ['-DHEAD=128', '-Ishared', '-Iown'];

describe('the command line', () => {
  test('of nvcc makes one fatbin of all SMs, of machine code alone', async () => {
    const { fake, compiler, request } = await prepared('cuda', KERNEL, ['sm_80', 'sm_120']);
    const compiled = await VENDORS.cuda.compile(compiler, request);
    const image = `${request.output}.fatbin`;
    expect(compiled).toEqual([{ chips: ['sm_80', 'sm_120'], image }]);
    const codes = ['sm_80', 'sm_120'].flatMap((sm) => ['-gencode', `arch=${sm.replace('sm', 'compute')},code=${sm}`]);
    expect(fake.compiles()).toEqual([['-O3', '-std=c++17', '-fatbin', ...codes, ...COMMON, 'k.cu', '-o', image]]);
    const read = readImage(readFileSync(image), 'k').kernels;
    expect(read.map(({ chip, release }) => [chip, release])).toEqual([
      ['sm_80', '13.0'],
      ['sm_120', '13.0'],
    ]);
  });

  test("of a plain clang takes this program's headers, that of hipcc ROCm's", async () => {
    for (const kind of ['clang', 'hipcc'] as const) {
      const { fake, compiler, request, own } = await prepared('hip', KERNEL, ['gfx1100'], kind);
      const [compiled] = await VENDORS.hip.compile(compiler, request);
      expect(compiled).toEqual({ chips: ['gfx1100'], image: `${request.output}.co` });
      const [command = []] = fake.compiles();
      const flags = [
        '-x',
        'hip',
        '-O3',
        '-std=c++17',
        '--offload-device-only',
        '--no-gpu-bundle-output',
        '-fno-color-diagnostics',
      ];
      const headers = command[command.indexOf('-isystem') + 1] ?? '';
      const plain = ['-nogpulib', '-nogpuinc', '-nostdinc', '-fdeclspec', '-isystem', headers];
      const end = ['--offload-arch=gfx1100', ...COMMON, 'k.hip', '-o', `${request.output}.co`];
      expect(command).toEqual([...flags, ...(kind === 'clang' ? plain : []), ...end]);
      expect(existsSync(join(own, headers, 'hip/hip_runtime.h'))).toBe(kind === 'clang');
    }
  });

  test('of ocloc makes a zebin in its folder and leaves nothing else', async () => {
    const { fake, compiler, request, own } = await prepared('xpu', KERNEL, ['acm-g10']);
    const [compiled] = await VENDORS.xpu.compile(compiler, request);
    const image = `${request.output}.zebin`;
    expect(compiled).toEqual({ chips: ['acm-g10'], image });
    const options = ['-cl-fp32-correctly-rounded-divide-sqrt', ...COMMON].join(' ');
    const target = ['-output', 'k.zebin', '-output_no_suffix', '-out_dir', join(own, 'out'), '--format', 'zebin'];
    expect(fake.compiles()).toEqual([
      ['compile', '-file', 'k.cl', '-device', 'acm-g10', ...target, '-options', options],
    ]);
    expect(existsSync(`${image}.spv`)).toBe(false);
    expect(readImage(readFileSync(image), 'k').kernels[0]).toMatchObject({ symbol: 'k', chip: 'acm-g10' });
  });

  test("of Metal's toolchain is metal, metallib, then metal-tt for each pipeline", async () => {
    const { fake, compiler, request } = await prepared('metal', KERNEL, ['M1', 'M2']);
    const { output } = request;
    expect(await VENDORS.metal.compile(compiler, request)).toEqual([
      { chips: ['M1', 'M2'], image: `${output}.metallib` },
    ]);
    for (const threads of [undefined, 512]) {
      const pipeline = { metallib: `${output}.metallib`, symbol: 'k', chip: 'M2', ...(threads && { threads }) };
      expect(await translate(compiler, pipeline)).toBeInstanceOf(Uint8Array);
    }
    const sdk = ['-sdk', 'macosx'];
    const translated = (name: string): string[] => {
      const target = ['-arch', 'applegpu_g14g', '-platform_version', 'macos', '14.0', '26.0'];
      const base = `${output}.k.M2.${name}`;
      return [...sdk, 'metal-tt', ...target, '-o', `${base}.gpu`, `${output}.metallib`, `${base}.mtlp-json`];
    };
    expect(fake.compiles()).toEqual([
      [...sdk, 'metal', '-std=metal3.2', '-O2', ...COMMON, '-c', 'k.metal', '-o', `${output}.air`],
      [...sdk, 'metallib', `${output}.air`, '-o', `${output}.metallib`],
      translated('plain'),
      translated('512'),
    ]);
    expect(JSON.parse(readFileSync(`${output}.k.M2.512.mtlp-json`, 'utf8'))).toEqual({
      libraries: { paths: [{ label: 'lib', path: `${output}.metallib` }] },
      pipelines: { compute_pipelines: [{ compute_function: 'alias:lib#k', max_total_threads_per_threadgroup: 512 }] },
    });
    expect(pipelineScript({ metallib: 'a.metallib', symbol: 'k', chip: 'M1' })).toEqual({
      libraries: { paths: [{ label: 'lib', path: 'a.metallib' }] },
      pipelines: { compute_pipelines: [{ compute_function: 'alias:lib#k' }] },
    });
    expect(await translate(compiler, { metallib: 'a.metallib', symbol: 'k', chip: 'M3' })).toHaveProperty('error');
  });
});

describe("a source that does not compile gives the compiler's words", () => {
  test.each(['cuda', 'hip', 'xpu', 'metal'] as const)('%s', async (dialect) => {
    const { compiler, request } = await prepared(dialect, `#error\n${KERNEL}`, ['chip']);
    const [compiled] = await VENDORS[dialect].compile(compiler, request);
    expect(compiled).toEqual({ chips: ['chip'], error: 'k.cu(1): error: #error directive' });
  });

  test('of nvcc, SM by SM: one that fails does not keep the others from it', async () => {
    const { compiler, request } = await prepared('cuda', `#error sm_86\n${KERNEL}`, ['sm_80', 'sm_86', 'sm_90']);
    expect(await VENDORS.cuda.compile(compiler, request)).toEqual([
      { chips: ['sm_80'], image: `${request.output}.sm_80.fatbin` },
      { chips: ['sm_86'], error: 'k.cu(1): error: #error directive' },
      { chips: ['sm_90'], image: `${request.output}.sm_90.fatbin` },
    ]);
  });
});

/** The real compilers, where they are: a kernel each, with what it must give. */
const REAL = {
  cuda: [
    'sm_90',
    'extern "C" __global__ void __launch_bounds__(128) k(float* y) { __shared__ float s[32]; s[threadIdx.x % 32] = 1; __syncthreads(); y[0] = s[0]; }',
  ],
  hip: [
    'gfx1100',
    '#include <hip/hip_runtime.h>\nextern "C" __global__ void __launch_bounds__(128) k(float* y) { __shared__ float s[32]; s[threadIdx.x % 32] = 1; __syncthreads(); y[0] = __shfl_down(s[0], warpSize / 2) + __popcll(__ballot(s[1] > 0)); }',
  ],
  xpu: [
    'acm-g10',
    '__attribute__((reqd_work_group_size(128, 1, 1))) kernel void k(global float* y) { local float s[32]; s[get_local_id(0) % 32] = 1; barrier(1); y[0] = s[0]; }',
  ],
} as const;
const WANT = {
  cuda: { symbol: 'k', chip: 'sm_90', staticShared: 128, maxThreads: [128, 1, 1] },
  hip: { symbol: 'k', chip: 'gfx1100', staticLds: 128, maxFlatWorkgroup: 128, wave: 32 },
  xpu: { symbol: 'k', chip: 'acm-g10', slm: 128, requiredWorkgroup: [128, 1, 1] },
} as const;

describe('a real compiler', async () => {
  for (const dialect of ['cuda', 'hip', 'xpu'] as const) {
    const compiler = await findCompiler(dialect, undefined);
    const [chip, text] = REAL[dialect];
    test.skipIf(isMissing(compiler))(
      `of ${dialect} gives an image with the source's bound and local bytes`,
      async () => {
        const own = mkdtempSync(join(folder, 'real-'));
        const source = `k.${EXTENSIONS[dialect]}`;
        writeFileSync(join(own, source), text);
        const request = {
          folder: own,
          source,
          symbols: ['k'],
          includeDirs: [],
          defines: {},
          chips: [chip],
          output: join(own, 'k'),
        };
        const [compiled] = await VENDORS[dialect].compile(compiler as Compiler, request);
        if (!compiled || 'error' in compiled) throw new Error(compiled?.error);
        expect(readImage(readFileSync(compiled.image), 'k').kernels[0]).toMatchObject(WANT[dialect]);
      },
    );
  }
});
