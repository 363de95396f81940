/**
 * The compiler's flags for host images. Each dialect's source goes through the compiler twice: its preprocessor, with
 * the dialect's header before it, and the compiler proper, after the lowering.
 */

import { join } from 'node:path';
import type { ImageKind } from '../images.ts';
import { privateFolders } from '../private-file.ts';
import { HOST_HASH } from './host-hash.ts';
import { limitMacros } from './limits.ts';
import type { Processor } from './target.ts';

export type HostDialect = 'cuda' | 'hip' | 'metal' | 'xpu';

/** A folder below the project's, or in the executable's place one of the user's own. */
const folderOf = (source: string, own: string): string =>
  Bun.isStandaloneExecutable ? join(privateFolders()[0] ?? '', own) : join(import.meta.dir, '../../..', source);

/** The sources of the host device: headers of the dialects and the runtime. */
export const HOST_FOLDER = process.env['TF_HOST_FOLDER'] || folderOf('ffi/host', `host-${HOST_HASH}`);

/** What that folder is called in images, wherever it lies: no source's path, and from the root, else precompiling adds where it ran. */
export const HOST_NAME = '/<host>';

/** Where compiled images are kept; its content may be deleted at any time. */
export const CACHE_FOLDER = process.env['TF_HOST_CACHE'] || folderOf('build/host/cache', 'images');

const HEADERS = join(HOST_FOLDER, 'dialect');

/** An option of the compiler proper that its driver does not take. */
const xclang = (option: string): readonly string[] => ['-Xclang', option];

/** An option of the optimiser. */
const mllvm = (option: string): readonly string[] => ['-mllvm', option];

/** The link optimises what the image uses; doing so before for all of the glue takes twice the time. */
const UNOPTIMISED = xclang('-disable-llvm-passes');

/** What is compiled: how, in which language and for which processor. */
export interface Target {
  readonly kind: ImageKind;
  readonly dialect: HostDialect;
  readonly processor: Processor;
}

/** What decides the arithmetic of every kind: each operation rounds to its own type, and nothing is reordered. */
const ARITHMETIC = [
  ...xclang('-ffloat16-excess-precision=none'),
  ...xclang('-fbfloat16-excess-precision=none'),
  '-fno-math-errno',
  '-fno-trapping-math',
  '-fno-strict-float-cast-overflow', // float to int saturates and makes a NaN 0, as on every GPU
];

/** What a kind may fuse: a source's own pragmas are heard, as the GPU compilers hear them. */
const CONTRACT: Readonly<Record<ImageKind, string>> = {
  fast: '-ffp-contract=off',
  fused: '-ffp-contract=fast-honor-pragmas',
  check: '-ffp-contract=off',
  ulps: '-ffp-contract=off',
};

/** The macro by which headers let results be off. */
const ULPS = '-DTF_ULPS=1';

/** A pass of LLVM that fuses a sum with any product, also one that a source keeps apart; others ask both. */
const SUMS_ALONE = '-aarch64-enable-mcr=false';

/** At -O3 that pass is the only one that fuses for arm64; below, the selection of instructions does. */
const OPTIMISED: Readonly<Record<Processor, string>> = { x64: '-O3', arm64: '-O2' };

/**
 * What images are compiled for. They are ELF files on every system, as their loader is the runtime's own: an image for
 * arm64 serves Linux and macOS. The least processor has fmaf as an instruction; arm64's first has, and on x86-64 that takes
 * AVX2, FMA and F16C. A fiber's resume address is reached by a plain jump.
 */
const MACHINE: Readonly<Record<Processor, readonly string[]>> = {
  x64: ['--target=x86_64-linux-gnu', '-march=x86-64-v3', '-fcf-protection=none'],
  arm64: [
    '--target=aarch64-linux-gnu',
    '-mbranch-protection=none',
    '-mno-outline-atomics', // calls of a library
    '-ffixed-x18', // macOS takes it away at any time
    '-fsigned-char', // as on every GPU
    ...mllvm(SUMS_ALONE),
  ],
};

const LIBRARY = ['-fPIC', '-fvisibility=hidden', '-fno-stack-protector'];

const CODE = [
  ...LIBRARY,
  '-fstack-clash-protection', // a big frame may not step over the guard page of its stack
  '-fno-strict-aliasing', // kernels read vectors through scalar pointers
  '-gline-tables-only',
  '-gdwarf-5', // the runtime reads the line of a fault from .debug_line
  '-fdebug-compilation-dir=.', // an image names no folder of the machine that built it
  `-ffile-prefix-map=${HOST_FOLDER}=${HOST_NAME}`,
  '-ftrivial-auto-var-init=pattern', // a variable that nothing sets is a NaN, not the zero of a fresh stack
  '-fsanitize=alignment,local-bounds',
  '-fsanitize-trap=local-bounds',
];

const FAST = [
  '-fsanitize-trap=alignment', // a misaligned access faults, as on a GPU
  '-fsanitize=array-bounds',
  '-fno-sanitize-recover=array-bounds', // calls a function of the image, which knows the array and the index
];

/** Headers and glue of a check image tell the runtime of more than plain accesses. */
const CHECK_DEFINE = '-DTF_CHECK';

/**
 * Every access calls a function (accesses.ts makes it one of ffi/host/dialect/simt/sanitizer.h), none is left out, and a
 * misaligned one another. Neighbouring ones may be one vector's, which is judged word by word; the sanitizer keeps the compiler from reading what the source does not.
 * That an index is past the end of its array is left to the access, which knows the variable by its name.
 */
const CHECK = [
  CHECK_DEFINE,
  '-O2',
  '-fno-sanitize-recover=alignment',
  '-fsanitize=kernel-address',
  ...mllvm('-asan-instrumentation-with-call-threshold=0'),
  ...mllvm('-asan-opt=0'), // else a write after a read of the same place is left out
  ...mllvm('-asan-stack=0'),
  ...mllvm('-asan-globals=0'),
  ...mllvm('-asan-kernel-mem-intrinsic-prefix=1'),
  ...mllvm('-unroll-allow-partial=false'), // an access of a loop stays one, that all its turns may be judged at once
  ...mllvm('-unroll-runtime=false'),
];

const codeOf = (kind: ImageKind, processor: Processor): readonly string[] =>
  kind === 'check' ? CHECK : [OPTIMISED[processor], ...FAST];

/** What a flag may depend on. */
export interface ClangVersion {
  /** `19.1.7` */
  readonly version: string;
}

/** Traps that are merged lose their lines; keeping them apart is an option since clang 18. */
const trapFlags = ({ version }: ClangVersion): string[] =>
  Number.parseInt(version, 10) >= 18 ? ['-mllvm', '-ubsan-unique-traps'] : [];

const MESSAGES = ['-w', '-fno-caret-diagnostics', '-fno-color-diagnostics', '-ferror-limit=10'];

/** The columns of lowered text are not the author's. */
const LOWERED_MESSAGES = [...MESSAGES, '-fno-show-column'];

/** The dialect's own stubs stand in for every system header; OpenCL's base header is the compiler's own. */
const NO_SYSTEM_HEADERS = '-nostdinc';

const CPLUSPLUS = ['-fno-exceptions', '-fno-rtti', '-fno-threadsafe-statics'];

/** What an Intel GPU offers that the host device runs: no images, no pipes, the same on every processor. */
const OPENCL_EXTENSIONS = [
  'cl_khr_fp16',
  'cl_khr_fp64',
  '__opencl_c_fp64',
  '__opencl_c_int64',
  '__opencl_c_generic_address_space',
  '__opencl_c_program_scope_global_variables',
  '__opencl_c_atomic_order_acq_rel',
  '__opencl_c_atomic_order_seq_cst',
  '__opencl_c_atomic_scope_device',
  '__opencl_c_subgroups',
  'cl_khr_subgroups',
  'cl_intel_subgroups',
  'cl_intel_subgroups_short',
  'cl_khr_byte_addressable_store',
  'cl_khr_global_int32_base_atomics',
  'cl_khr_global_int32_extended_atomics',
  'cl_khr_local_int32_base_atomics',
  'cl_khr_local_int32_extended_atomics',
  'cl_khr_int64_base_atomics',
  'cl_khr_int64_extended_atomics',
];

const OPENCL = [
  '-cl-std=CL3.0',
  '-cl-no-stdinc',
  ...xclang(`-cl-ext=${['-all', ...OPENCL_EXTENSIONS.map((name) => `+${name}`)].join(',')}`),
];

const DEFINES: Readonly<Record<HostDialect, readonly string[]>> = {
  cuda: ['-D__CUDACC__'],
  hip: ['-D__HIPCC__', '-D__HIP__'],
  metal: ['-D__METAL__', '-D__METAL_VERSION__=310'],
  xpu: ['-Dcl_intel_required_subgroup_size=1', '-Dcl_khr_subgroup_shuffle=1'],
};

/** The header's name and the folder of include stubs, by dialect. */
const HEADER: Readonly<Record<HostDialect, string>> = { cuda: 'cuda', hip: 'hip', metal: 'metal', xpu: 'opencl' };

export interface PreprocessOptions {
  readonly kind: ImageKind;
  readonly dialect: HostDialect;
  readonly processor: Processor;
  /** Lanes of a warp. */
  readonly warp: number;
  /** Kernels become steps. */
  readonly inSteps: boolean;
  /** The source's own folder, where its quoted includes are looked for first. */
  readonly sourceFolder: string;
  readonly includeDirs: readonly string[];
}

/** Arguments that preprocess a source from standard input. The source's own definitions stand in its text, after the header. */
export function preprocessFlags(options: PreprocessOptions): string[] {
  const { kind, dialect, processor, warp, inSteps, sourceFolder, includeDirs } = options;
  const name = HEADER[dialect];
  return [
    '-E',
    ...MACHINE[processor],
    ...MESSAGES,
    ...languageFlags(dialect),
    ...DEFINES[dialect],
    warpDefine(warp),
    ...(kind === 'check' ? [CHECK_DEFINE] : []),
    ...(inSteps ? [STEPPED] : []),
    ...(kind === 'ulps' ? limitDefines(dialect) : []),
    `-include${join(HEADERS, `${name}.h`)}`,
    `-I${join(HEADERS, 'include', name)}`,
    `-iquote${sourceFolder}`,
    ...includeDirs.map((folder) => `-I${folder}`),
    '-',
  ];
}

/** What headers know the lanes of a warp by. */
const warpDefine = (warp: number): string => `-DTF_WARP=${warp}`;

const limitDefines = (dialect: HostDialect): string[] => [ULPS, ...limitMacros(dialect).map((macro) => `-D${macro}`)];

/** Arguments that compile lowered text from standard input to the object file that `-o` names. */
export function compileFlags(target: Target, clang: ClangVersion): string[] {
  const lowered = target.dialect === 'xpu' ? 'opencl_lowered.h' : 'lowered.h';
  return ['-c', ...unitFlags(target, clang), `-include${join(HEADERS, lowered)}`, '-'];
}

/** Defined for the dialect's header where kernels become steps. */
export const STEPPED = '-DTF_STEPPED';

/** What the steps of a kernel are made from: everything inlined into it, and nothing yet that their second compilation does. */
const WHOLE = [
  '-fno-vectorize',
  '-mllvm',
  '-unroll-runtime=false',
  '-mllvm',
  '-inline-threshold=100000',
  '-fdiscard-value-names',
];

/** Arguments that make LLVM's assembly of lowered text less its header, which is precompiled. */
export function assemblyFlags(target: Target, clang: ClangVersion, precompiled: string): string[] {
  return ['-S', '-emit-llvm', ...unitFlags(target, clang), ...WHOLE, '-include-pch', precompiled, '-'];
}

/** Arguments that compile LLVM's assembly from standard input to the object file that `-o` names. */
export function stepFlags({ kind, processor }: Target): string[] {
  return ['-c', '-x', 'ir', OPTIMISED[processor], ...LIBRARY, '-w', CONTRACT[kind], ...MACHINE[processor], '-'];
}

/** Arguments that compile only the header of lowered text, to the precompiled file that `-o` names. */
export function precompileFlags(target: Target, clang: ClangVersion): string[] {
  return [...xclang('-emit-pch'), ...xclang('-fno-pch-timestamp'), ...compileFlags(target, clang)];
}

/** Arguments that compile lowered text less its header, which is precompiled. */
export function sourceFlags(target: Target, clang: ClangVersion, precompiled: string): string[] {
  return ['-c', ...unitFlags(target, clang), '-include-pch', precompiled, '-'];
}

/** Arguments that turn lowered text less its header into LLVM's text, as it is before any pass. */
export function irFlags(target: Target, clang: ClangVersion, precompiled: string): string[] {
  return ['-S', '-emit-llvm', ...UNOPTIMISED, ...sourceFlags(target, clang, precompiled).slice(1), '-o', '-'];
}

/** Arguments that turn lowered text less its header into LLVM's text, with the sanitizer's calls in it. */
export function checkTextFlags(target: Target, clang: ClangVersion, precompiled: string): string[] {
  return ['-S', '-emit-llvm', ...sourceFlags(target, clang, precompiled).slice(1), '-o', '-'];
}

/** Arguments that compile such a text from standard input; the functions that it calls are inlined, in OpenCL C by the link. */
export function checkObjectFlags({ dialect, processor }: Target): string[] {
  const late = dialect === 'xpu' ? ['-flto', ...UNOPTIMISED] : ['-O2'];
  return ['-c', '-x', 'ir', ...late, ...LIBRARY, '-w', CONTRACT.check, ...MACHINE[processor], '-'];
}

/** Arguments that compile such a text from standard input to what `-c` gives of the source. */
export function irObjectFlags({ kind, processor }: Target, clang: ClangVersion): string[] {
  const code = [...codeOf(kind, processor), ...trapFlags(clang), ...LOWERED_MESSAGES];
  return ['-c', '-x', 'ir', '-flto', ...code, ...MACHINE[processor], '-'];
}

/** Arguments that compile the C++ table of an OpenCL image with its glue. */
export function openclTableFlags({ kind, processor, warp }: Target & { warp: number }, clang: ClangVersion): string[] {
  return [
    '-c',
    // What it does is the runtime's own: nothing is checked.
    ...unitFlags({ kind: kind === 'ulps' ? kind : 'fast', dialect: 'cuda', processor }, clang),
    warpDefine(warp),
    ...(kind === 'check' ? [CHECK_DEFINE] : []),
    ...(kind === 'ulps' ? limitDefines('xpu') : []), // of the division, which is in this text
    '-flto',
    ...UNOPTIMISED,
    `-include${join(HEADERS, 'opencl_image.h')}`,
    '-',
  ];
}

/** Arguments of ld.lld for an image: no library and no symbol from outside, so that one file serves every C library. */
export const linkFlags = (processor: Processor): readonly string[] => [
  '-shared',
  '-Bsymbolic',
  '-z',
  'defs',
  '-z',
  'now',
  '-z',
  'noexecstack',
  '--build-id=none',
  '--hash-style=sysv', // the loader counts symbols by it
  '--gc-sections',
  ...(processor === 'arm64' ? mllvm(SUMS_ALONE) : []), // of what is optimised as it is linked
];

function languageFlags(dialect: HostDialect): readonly string[] {
  return dialect === 'xpu' ? ['-x', 'cl', ...OPENCL] : ['-x', 'c++', '-std=c++17', NO_SYSTEM_HEADERS];
}

/** What the header and the source of a text must agree on. */
function unitFlags({ kind, dialect, processor }: Target, clang: ClangVersion): string[] {
  const more = dialect === 'xpu' ? ['-flto'] : CPLUSPLUS;
  return [
    ...languageFlags(dialect),
    ...more,
    ...CODE,
    ...codeOf(kind, processor),
    ...trapFlags(clang),
    ...LOWERED_MESSAGES,
    ...ARITHMETIC,
    CONTRACT[kind],
    ...(kind === 'ulps' ? [ULPS] : []),
    ...MACHINE[processor],
  ];
}
