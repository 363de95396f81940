/**
 * How many groups one multiprocessor holds at once, and what stops the next. Not a limit: a launch that fits has at
 * least 1.
 */
import type { Chip, CudaChip, HipChip, XpuChip } from './chips/chip.ts';
import type { LaunchAt } from './launch.ts';
import { volumeOf } from './launch.ts';
import type { CudaMeasured, HipMeasured, Measured, XpuMeasured } from './measured.ts';
import { registersOfWarp } from './rules/cuda.ts';
import { simdsOf, vgprFile, vgprsOfWave } from './rules/hip.ts';

export interface Occupancy {
  readonly groups: number;
  /** Groups that each resource has room for; one that does not limit them is absent. */
  readonly by: Readonly<Record<string, number>>;
}

/** Groups a multiprocessor; undefined where nothing states them, as for Apple's chips. */
export function occupancyOf(launch: LaunchAt, measured: Measured, chip: Chip): Occupancy | undefined {
  if (measured.dialect === 'cuda' && chip.dialect === 'cuda') return cudaOccupancy(launch, measured, chip);
  if (measured.dialect === 'hip' && chip.dialect === 'hip') return hipOccupancy(launch, measured, chip);
  if (measured.dialect === 'xpu' && chip.dialect === 'xpu') return xpuOccupancy(launch, measured, chip);
  return undefined;
}

const least = (by: Readonly<Record<string, number>>): Occupancy => ({ groups: Math.min(...Object.values(by)), by });

const roundUp = (n: number, granule: number): number => Math.ceil(n / granule) * granule;

/** Blocks an SM, as NVIDIA's occupancy calculator counts them, with every shared carveout open. */
export function cudaOccupancy({ threads, localBytes }: LaunchAt, measured: CudaMeasured, chip: CudaChip): Occupancy {
  const warps = Math.ceil(volumeOf(threads) / chip.warp);
  const warpsPartition = Math.floor(chip.registersPartition / registersOfWarp(measured.registers, chip));
  const shared = roundUp(measured.staticShared + localBytes + chip.sharedReserved, chip.sharedGranule);
  const { barriersSm } = chip;
  return least({
    registers: Math.floor((warpsPartition * chip.partitions) / warps),
    'shared bytes': Math.floor(chip.sharedSm / shared),
    warps: Math.floor(chip.threadsSm / chip.warp / warps),
    blocks: chip.blocksSm,
    ...(barriersSm !== undefined && measured.barriers > 0 && { barriers: Math.floor(barriersSm / measured.barriers) }),
  });
}

/** Workgroups a WGP (a CU in CU mode and where there are no WGPs). LDS counts where the chip's pool is known. */
export function hipOccupancy(launch: LaunchAt, measured: HipMeasured, chip: HipChip): Occupancy | undefined {
  const file = vgprFile(measured, chip);
  if (!file) return undefined;
  const simds = simdsOf(measured, chip);
  const waves = Math.ceil(volumeOf(launch.threads) / measured.wave);
  const wavesSimd = Math.floor(file.total / vgprsOfWave(measured, file));
  const lds = measured.staticLds + launch.localBytes;
  const pool = chip.ldsPool === undefined ? undefined : (chip.ldsPool * simds) / chip.simds;
  return least({
    VGPRs: Math.floor((wavesSimd * simds) / waves),
    waves: Math.floor((chip.wavesSimd * simds) / waves),
    ...(pool !== undefined && lds > 0 && { 'LDS bytes': Math.floor(pool / lds) }),
  });
}

/** Work-groups a core by hardware threads alone: how much SLM a core shares among them is not stated. */
export function xpuOccupancy({ threads }: LaunchAt, { simd, grf }: XpuMeasured, chip: XpuChip): Occupancy | undefined {
  const perXve = chip.threadsXve[grf];
  if (perXve === undefined) return undefined;
  return least({ threads: Math.floor((perXve * chip.xveCore) / Math.ceil(volumeOf(threads) / simd)) });
}
