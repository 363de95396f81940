/** AMD chips. */
import type { HipChip, Sources, VgprFile } from './chip.ts';

const KIB = 1024;

const COMMON = { threadsWorkgroup: 1024, gridItems: 2 ** 32 - 1 } as const;

/** RDNA: waves of 32 or 64; a wave of 64 counts half the registers. SIMDs in WGP mode and in CU mode. */
const rdna = (
  name: string,
  served: boolean,
  total: number,
  granule: number,
  ldsPool: number | undefined,
  uncertain: readonly (keyof HipChip)[] = [],
): HipChip => ({
  dialect: 'hip',
  name,
  served,
  vgprs: { 32: { total, granule }, 64: half({ total, granule }) },
  vgprsWave: 256,
  wavesSimd: 16,
  simds: 4,
  simdsCuMode: 2,
  ldsWorkgroup: 64 * KIB,
  ...(ldsPool !== undefined && { ldsPool: ldsPool * KIB }),
  ...COMMON,
  uncertain,
});

const half = ({ total, granule }: VgprFile): VgprFile => ({ total: total / 2, granule: granule / 2 });

/** GCN and CDNA: waves of 64, a workgroup on the four SIMDs of one CU. */
const cdna = (
  name: string,
  served: boolean,
  total: number,
  granule: number,
  vgprsWave: number,
  wavesSimd: number,
  lds: number,
  uncertain: readonly (keyof HipChip)[] = [],
): HipChip => ({
  dialect: 'hip',
  name,
  served,
  vgprs: { 64: { total, granule } },
  vgprsWave,
  wavesSimd,
  simds: 4,
  simdsCuMode: 4,
  ldsWorkgroup: lds * KIB,
  ldsPool: lds * KIB,
  ...COMMON,
  uncertain,
});

const NOT_KNOWN = undefined;

//    chip       served  VGPRs a SIMD and granule, wave32; LDS a WGP
const RDNA: readonly HipChip[] = [
  rdna('gfx1030', true, 1024, 16, 128),
  rdna('gfx1100', true, 1536, 24, 128),
  rdna('gfx1151', true, 1536, 24, 128),
  rdna('gfx1201', true, 1536, 24, 128),
  rdna('gfx1102', false, 1024, 16, NOT_KNOWN),
  rdna('gfx1150', false, 1024, 16, NOT_KNOWN),
  rdna('gfx1200', false, 1536, 24, NOT_KNOWN),
];

//    chip      served  VGPRs a SIMD and granule; VGPRs a wave, waves a SIMD, LDS a CU, uncertain columns
const CDNA: readonly HipChip[] = [
  cdna('gfx90a', true, 512, 8, 512, 8, 64),
  cdna('gfx942', true, 512, 8, 512, 8, 64),
  cdna('gfx950', false, 512, 8, 512, 8, 160, ['vgprs', 'wavesSimd']),
  cdna('gfx906', false, 256, 4, 256, 10, 64),
];

export const HIP_CHIPS: readonly HipChip[] = [...RDNA, ...CDNA];

export const HIP_SOURCES: Sources<HipChip> = {
  vgprs: "clang 19's occupancy remarks over 48 register counts a chip and wave size; gfx950: LLVM",
  vgprsWave: 'LLVM AMDGPUUsage; gfx90a and later: 256 VGPRs and 256 AGPRs of one file',
  wavesSimd: "clang 19's occupancy remarks over 48 register counts a chip and wave size",
  simds: 'LLVM AMDGPUUsage, work-group processor mode; four SIMDs of a GCN or CDNA compute unit',
  simdsCuMode: 'LLVM AMDGPUUsage, compute unit mode',
  ldsWorkgroup: 'clang 19 refuses more static LDS on gfx1100; gfx950: LLVM',
  ldsPool: 'LLVM AMDGPUUsage',
  threadsWorkgroup: "clang 19's bound of a kernel that names none",
  gridItems: "hipModuleLaunchKernel's documentation: a dimension of 2^32 work-items or more is not launched",
};
