/** The compiler libraries: their names, flags and the ends of their functions' names. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { LibraryPlaces } from './library.ts';
import bf16 from '../vendor/include/hip/hip_bf16.h' with { type: 'text' };

export interface CompilerKind extends LibraryPlaces {
  readonly name: 'NVRTC' | 'hipRTC';
  /** Begins the names of its functions. */
  readonly prefix: 'nvrtc' | 'hiprtc';
  /** What an image of it is called in them. */
  readonly image: 'CUBIN' | 'Code';
  readonly flags: (chip: string) => readonly string[];
  /** Names the folder of the vendor's headers. */
  readonly includeVariable: string;
  /** A header that is in it. */
  readonly header: string;
  readonly includes: readonly string[];
  /** Headers that this compiler does not have and sources may include, by name. */
  readonly builtIn: Readonly<Record<string, string>>;
  /** Those that stand in for the vendor's where its folder of headers is not here. */
  readonly spare: Readonly<Record<string, string>>;
}

const numbered = (name: string, versions: readonly number[]): string[] =>
  versions.map((version) => `${name}.${version}`);

/** Of a header whose content every source has already; hipRTC takes no empty one. */
const EMPTY = '\n';
const INTEGERS = `#pragma once
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
`;
/** What nvcc includes before every source has these; NVRTC has the functions alone. */
const MATH = `#pragma once
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fffffff)
#define HUGE_VALF INFINITY
`;

/** hipRTC has the functions of HIP's own header before every source, and not what that includes of C's. */
const HIP_RUNTIME = `#pragma once
#ifndef INFINITY
#define INFINITY __builtin_inff()
#endif
#ifndef NAN
#define NAN __builtin_nanf("")
#endif
`;

const NVRTC: CompilerKind = {
  name: 'NVRTC',
  prefix: 'nvrtc',
  image: 'CUBIN',
  variable: 'TF_NVRTC',
  libraries: [
    'libnvrtc.so',
    ...numbered('libnvrtc.so', [13, 12]),
    '/usr/local/cuda/lib64/libnvrtc.so',
    '/opt/cuda/lib64/libnvrtc.so',
  ],
  companion: 'libnvrtc-builtins.so.',
  install: 'Install the CUDA toolkit of release 12 or later, or set TF_NVRTC to the path of its libnvrtc.so.',
  flags: (chip) => [`--gpu-architecture=${chip}`, '--std=c++17', '--pre-include=math.h'],
  includeVariable: 'TF_CUDA_INCLUDE',
  header: 'cuda_fp16.h',
  includes: ['/usr/local/cuda/include', '/opt/cuda/include'],
  builtIn: { 'math.h': MATH, cmath: MATH, 'stdint.h': INTEGERS, cstdint: INTEGERS, 'cuda_runtime.h': EMPTY },
  spare: {},
};

const HIPRTC: CompilerKind = {
  name: 'hipRTC',
  prefix: 'hiprtc',
  image: 'Code',
  variable: 'TF_HIPRTC',
  libraries: [
    'libhiprtc.so',
    ...numbered('libhiprtc.so', [7, 6, 5]),
    '/opt/rocm/lib/libhiprtc.so',
    ...numbered('libamdhip64.so', [5]), // where ROCm 5 has it too
  ],
  install: 'Install ROCm of release 5 or later, or set TF_HIPRTC to the path of its libhiprtc.so.',
  flags: (chip) => [`--offload-arch=${chip}`, '-std=c++17', '-O3'],
  includeVariable: 'TF_HIP_INCLUDE',
  header: 'hip/hip_fp16.h',
  includes: ['/opt/rocm/include', '/usr/include'],
  builtIn: { 'hip/hip_runtime.h': HIP_RUNTIME },
  spare: { 'hip/hip_fp16.h': EMPTY, 'hip/hip_bf16.h': bf16 },
};

export const COMPILERS = { cuda: NVRTC, hip: HIPRTC } as const;

/** The vendor's headers, for those that a source includes: named, beside the library, or at their usual places. */
export function includeFolder(kind: CompilerKind, library: string): string | undefined {
  const named = process.env[kind.includeVariable];
  if (named) return named;
  const beside = library.includes('/')
    ? ['../include', '../../include'].map((path) => join(dirname(library), path))
    : [];
  return [...beside, ...kind.includes].find((folder) => existsSync(join(folder, kind.header)));
}
