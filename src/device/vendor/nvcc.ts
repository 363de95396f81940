/** NVIDIA's nvcc: one source for any number of SMs, to one fatbin. */
import type { Compile, Compiled, Compiler, Missing, Vendor } from './vendor.ts';
import { firstOf, notFound, outputOf, releaseOf, runIn, sourceFlags, wordsOf } from './vendor.ts';

const PLACES = ['nvcc', '/usr/local/cuda/bin/nvcc', '/opt/cuda/bin/nvcc'];
const INSTALL = 'install the CUDA toolkit (developer.nvidia.com/cuda-downloads), or name nvcc by --nvcc or TF_NVCC';
const FLAGS = ['-O3', '-std=c++17', '-fatbin'];

const NAMED = '--nvcc or TF_NVCC';

export const NVCC: Vendor = { find, knows, together: true, compile, salt: () => FLAGS.join(' ') };

async function find(override: string | undefined): Promise<Compiler | Missing> {
  const path = firstOf(override, PLACES);
  if (path === undefined) return { name: 'nvcc', why: notFound(NAMED, override, PLACES), install: INSTALL };
  const version = nvccVersion(await outputOf([path, '--version']));
  if (version === '') return { name: 'nvcc', why: `${path} --version names no nvcc`, install: INSTALL };
  return { name: 'nvcc', path, version, release: releaseOf(version) };
}

/** `13.0.88` from `nvcc --version`; '' where it names no nvcc. */
export function nvccVersion(output: string): string {
  return /NVIDIA \(R\) Cuda compiler driver[^]*\bV(\d+\.\d+\.\d+)/.exec(output)?.[1] ?? '';
}

async function knows({ path }: Compiler, chip: string): Promise<boolean> {
  return (await outputOf([path, '--list-gpu-code'])).split(/\s+/).includes(chip);
}

/** Where the SMs fail together, each is tried alone: one that cannot hold a kernel does not keep the others from it. */
async function compile(compiler: Compiler, request: Compile): Promise<Compiled[]> {
  const together = await compileTogether(compiler, request);
  if ('image' in together || request.chips.length === 1) return [together];
  const alone: Compiled[] = [];
  for (const chip of request.chips) {
    const output = `${request.output}.${chip}`;
    alone.push(await compileTogether(compiler, { ...request, chips: [chip], output }));
  }
  return withoutRepeats(alone);
}

/** A fault of the source is every SM's: it is told once. */
function withoutRepeats(parts: readonly Compiled[]): Compiled[] {
  const groups = Map.groupBy(parts, (part) => ('error' in part ? part.error : part.image));
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    return first ? [{ ...first, chips: group.flatMap(({ chips }) => chips) }] : [];
  });
}

async function compileTogether({ path }: Compiler, request: Compile): Promise<Compiled> {
  const { folder, source, chips, output } = request;
  const image = `${output}.fatbin`;
  const command = [path, ...FLAGS, ...chips.flatMap(gencode), ...sourceFlags(request), source, '-o', image];
  const finished = await runIn(folder, command);
  return finished.code === 0 ? { chips, image } : { chips, error: wordsOf(finished) };
}

/** Machine code alone: PTX holds no registers to record. */
function gencode(chip: string): string[] {
  return ['-gencode', `arch=${chip.replace('sm_', 'compute_')},code=${chip}`];
}
