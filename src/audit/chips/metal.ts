/** Apple chips. */
import type { MetalChip, Sources } from './chip.ts';

const COMMON = { threads: 1024, threadgroupBytes: 32_768, threadgroupGranule: 16, simd: 32 } as const;

const row = (
  name: string,
  family: string,
  arch: string,
  fallsWithRegisters: boolean,
  uncertain: readonly (keyof MetalChip)[] = [],
): MetalChip => ({ dialect: 'metal', name, served: true, family, arch, fallsWithRegisters, ...COMMON, uncertain });

//   chip  family     arch   threads fall, uncertain columns
export const METAL_CHIPS: readonly MetalChip[] = [
  row('M1', 'apple7', 'g13', true),
  row('M2', 'apple8', 'g14', true),
  row('M3', 'apple9', 'g15', false),
  row('M4', 'apple9', 'g16', false),
  row('M5', 'apple10', 'g17', false, ['family', 'arch']),
];

export const METAL_SOURCES: Sources<MetalChip> = {
  family: 'Metal feature set tables, June 2024; M5: the Metal toolchain',
  arch: "metal-tt's manual page and the toolchain's own list",
  threads: 'Metal feature set tables',
  fallsWithRegisters: 'MTLComputePipelineState.maxTotalThreadsPerThreadgroup; M3 on caches registers dynamically',
  threadgroupBytes: 'Metal feature set tables',
  threadgroupGranule: 'MTLComputeCommandEncoder.setThreadgroupMemoryLength',
  simd: 'Metal feature set tables',
};
