/** NVIDIA chips. */
import type { CudaChip, Sources } from './chip.ts';

const KIB = 1024;

/** What all of these chips share. */
const COMMON = {
  threadsBlock: 1024,
  dimsBlock: [1024, 1024, 64],
  grid: [2 ** 31 - 1, 65_535, 65_535],
  warp: 32,
  registersBlock: 65_536,
  registersThread: 255,
  registerGranule: 256,
  partitions: 4,
  registersPartition: 16_384,
  sharedDefault: 48 * KIB,
  sharedGranule: 128,
  sharedReserved: 1024,
  barriersBlock: 16,
} as const;

type Column = number | undefined;

/** Shared sizes in KiB. */
const row = (
  sm: number,
  threadsSm: number,
  blocksSm: number,
  sharedSm: number,
  sharedOptIn: number,
  barriersSm: Column,
  clusterPortable: number,
  clusterMost: number,
  uncertain: readonly (keyof CudaChip)[] = [],
): CudaChip => ({
  dialect: 'cuda',
  name: `sm_${sm}`,
  served: true,
  sm,
  threadsSm,
  blocksSm,
  sharedSm: sharedSm * KIB,
  sharedOptIn: sharedOptIn * KIB,
  ...(barriersSm !== undefined && { barriersSm }),
  clusterPortable,
  clusterMost,
  ...COMMON,
  uncertain,
});

const NONE = undefined;

//   SM  threads  blocks  shared  opt-in  barriers   clusters: portable, most, uncertain columns
export const CUDA_CHIPS: readonly CudaChip[] = [
  row(80, 2048, 32, 164, 163, NONE, 1, 1),
  row(86, 1536, 16, 100, 99, NONE, 1, 1),
  row(87, 1536, 16, 164, 163, NONE, 1, 1),
  row(89, 1536, 24, 100, 99, NONE, 1, 1),
  row(90, 2048, 32, 228, 227, 64, 8, 16),
  row(100, 2048, 32, 228, 227, 64, 8, 16, ['clusterMost']),
  row(103, 2048, 32, 228, 227, 64, 8, 16, ['clusterMost']),
  row(110, 1536, 24, 228, 227, 24, 8, 16, ['clusterMost']),
  row(120, 1536, 24, 100, 99, 24, 8, 8, ['clusterMost']),
  row(121, 1536, 24, 100, 99, 24, 8, 8, ['clusterMost']),
];

export const CUDA_SOURCES: Sources<CudaChip> = {
  sm: 'the image: e_flags of its ELF header',
  threadsSm: 'ptxas 13.0 refuses a .minnctapersm above it; cuda_occupancy.h 13.0; CCCL arch_traits.h',
  blocksSm: 'ptxas 13.0 refuses a .minnctapersm above it; cuda_occupancy.h 13.0; CCCL arch_traits.h',
  sharedSm: 'cuda_occupancy.h 13.0: the largest shared carveout',
  sharedOptIn: 'CCCL arch_traits.h: an SM less the reserved KiB',
  barriersSm: 'cuda_occupancy.h 13.0, which counts barriers from compute capability 9.0',
  clusterPortable: 'CUDA C++ Programming Guide, thread block clusters; ptxas 13.0 refuses clusters below sm_90',
  clusterMost: 'cuda.h: CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 16 on H100',
  threadsBlock: 'CUDA C++ Programming Guide, technical specifications by compute capability',
  dimsBlock: 'CUDA C++ Programming Guide, technical specifications by compute capability',
  grid: 'CUDA C++ Programming Guide, technical specifications by compute capability',
  warp: 'CUDA C++ Programming Guide, technical specifications by compute capability',
  registersBlock: "cuda_occupancy.h 13.0; ptxas 13.0's register caps over 95 launch bounds",
  registersThread: 'CCCL arch_traits.h',
  registerGranule: 'cuda_occupancy.h 13.0',
  partitions: 'cuda_occupancy.h 13.0',
  registersPartition: "cuda_occupancy.h 13.0; ptxas 13.0's register caps over 95 launch bounds",
  sharedDefault: 'ptxas 13.0 refuses more static bytes',
  sharedGranule: 'cuda_occupancy.h 13.0',
  sharedReserved: 'cuda_occupancy.h 13.0',
  barriersBlock: 'PTX ISA, bar: barriers 0 to 15',
};

/**
 * Chips of Tegra, Orin and Thor: machine code is compatible on the desktop alone, neither on Tegra nor between the two (CUDA C++
 * Programming Guide, binary compatibility).
 */
export const TEGRA: readonly number[] = [87, 110];
