/** AMD's hipcc, or a plain clang with this folder's headers: one source for one chip at a time, to a bare code object. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { hashOf, writeWhole } from '../toolchain/cache.ts';
import { run } from '../processes/process.ts';
import type { Compile, Compiled, Compiler, CompilerName, Missing, Vendor } from './vendor.ts';
import { firstOf, notFound, outputOf, releaseOf, runIn, sourceFlags, wordsOf } from './vendor.ts';
import bf16 from './include/hip/hip_bf16.h' with { type: 'text' };
import fp16 from './include/hip/hip_fp16.h' with { type: 'text' };
import runtime from './include/hip/hip_runtime.h' with { type: 'text' };

const PLACES = ['hipcc', '/opt/rocm/bin/hipcc', 'clang-21', 'clang-20', 'clang-19', 'clang-18', 'clang'];
const INSTALL =
  'install ROCm (rocm.docs.amd.com), or clang and lld with the AMDGPU target (apt-get install clang-19 lld-19), ' +
  'or name one by --hipcc or TF_HIPCC';
const FLAGS = [
  '-x',
  'hip',
  '-O3',
  '-std=c++17',
  '--offload-device-only',
  '--no-gpu-bundle-output',
  '-fno-color-diagnostics',
];
/** A plain clang has no headers and no device libraries of HIP: it takes this folder's, and needs no libraries with them. */
const PLAIN_FLAGS = ['-nogpulib', '-nogpuinc', '-nostdinc', '-fdeclspec'];
const HEADERS = { 'hip_runtime.h': runtime, 'hip_bf16.h': bf16, 'hip_fp16.h': fp16 };

const NAMED = '--hipcc or TF_HIPCC';

export const HIP: Vendor = {
  find,
  knows,
  together: false,
  compile,
  salt: ({ name }) => [...FLAGS, ...(name === 'clang' ? [...PLAIN_FLAGS, runtime, bf16, fp16] : [])].join(' '),
};

async function find(override: string | undefined): Promise<Compiler | Missing> {
  const path = firstOf(override, PLACES);
  if (path === undefined) return { name: 'hipcc', why: notFound(NAMED, override, PLACES), install: INSTALL };
  const { name, version } = hipVersion(await outputOf([path, '--version']));
  if (version === '') return { name: 'hipcc', why: `${path} --version names no hipcc and no clang`, install: INSTALL };
  return { name, path, version, release: releaseOf(version) };
}

/** HIP's version where the compiler has one, else clang's; '' where it is neither. */
export function hipVersion(output: string): { readonly name: CompilerName; readonly version: string } {
  const hip = /HIP version: (\d+\.\d+(?:\.\d+)?)/.exec(output)?.[1];
  if (hip !== undefined) return { name: 'hipcc', version: hip };
  return { name: 'clang', version: /clang version (\d+\.\d+(?:\.\d+)?)/.exec(output)?.[1] ?? '' };
}

async function knows({ path }: Compiler, chip: string): Promise<boolean> {
  const check = ['-x', 'hip', '-nogpulib', '-nogpuinc', '--offload-device-only', '-fsyntax-only', '/dev/null'];
  return (await run([path, `--offload-arch=${chip}`, ...check])).code === 0;
}

async function compile({ name, path }: Compiler, request: Compile): Promise<Compiled[]> {
  const { folder, source, chips, output } = request;
  const headers = name === 'clang' ? [...PLAIN_FLAGS, '-isystem', writeHeaders(folder)] : [];
  const targets = chips.map((chip) => `--offload-arch=${chip}`);
  const image = `${output}.co`;
  const finished = await runIn(folder, [
    path,
    ...FLAGS,
    ...headers,
    ...targets,
    ...sourceFlags(request),
    source,
    '-o',
    image,
  ]);
  return [finished.code === 0 ? { chips, image } : { chips, error: wordsOf(finished) }];
}

/** Puts the headers below a folder of sources, since the program may hold them as text alone; returns their folder. */
function writeHeaders(folder: string): string {
  const name = `include-${hashOf(...Object.values(HEADERS)).slice(0, 12)}`;
  mkdirSync(join(folder, name, 'hip'), { recursive: true });
  for (const [file, text] of Object.entries(HEADERS)) writeWhole(join(folder, name, 'hip', file), text);
  return name;
}
