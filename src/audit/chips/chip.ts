/**
 * What a chip allows. One type a dialect, in its vendor's words. Each table file holds one row a chip and, for each
 * column, where its numbers come from. A device that is present makes one more row: its own limits over its chip's.
 */
import type { Dialect } from '../../families/formula/functions.ts';
import type { Extent } from '../launch.ts';
import type { Measured } from '../measured.ts';

interface Row {
  readonly name: string;
  /** Whether the engine serves it: an audit of all launches holds these. */
  readonly served: boolean;
  /** Columns whose number no vendor's tool or text confirms; a problem that leans on one says so. */
  readonly uncertain: readonly string[];
}

/** Bytes of shared memory, threads and registers as the driver counts them. SM: a streaming multiprocessor. */
export interface CudaChip extends Row {
  readonly dialect: 'cuda';
  /** Compute capability times ten: 86. */
  readonly sm: number;
  readonly threadsSm: number;
  readonly blocksSm: number;
  readonly sharedSm: number;
  /** The most static and dynamic shared bytes of a block whose launcher opts in. */
  readonly sharedOptIn: number;
  /** Undefined where barriers do not limit the blocks of an SM. */
  readonly barriersSm?: number;
  /** Blocks a cluster, without and with the non-portable attribute; 1 where there are no clusters. */
  readonly clusterPortable: number;
  readonly clusterMost: number;
  readonly threadsBlock: number;
  readonly dimsBlock: Extent;
  readonly grid: Extent;
  readonly warp: number;
  readonly registersBlock: number;
  readonly registersThread: number;
  /** Registers are given to a warp in multiples of this. */
  readonly registerGranule: number;
  /** Parts of an SM that hold warps and registers of their own. */
  readonly partitions: number;
  readonly registersPartition: number;
  readonly sharedDefault: number;
  readonly sharedGranule: number;
  /** Bytes that the driver keeps of each block's shared memory. */
  readonly sharedReserved: number;
  readonly barriersBlock: number;
}

/** Registers of a SIMD at one wave size. */
export interface VgprFile {
  readonly total: number;
  readonly granule: number;
}

export interface HipChip extends Row {
  readonly dialect: 'hip';
  /** By wave size; a size that is absent does not run. */
  readonly vgprs: Readonly<Partial<Record<32 | 64, VgprFile>>>;
  readonly vgprsWave: number;
  readonly wavesSimd: number;
  /** SIMDs that a workgroup spreads over: of a WGP or a CDNA CU, and of a CU where the chip has both modes. */
  readonly simds: number;
  readonly simdsCuMode: number;
  readonly ldsWorkgroup: number;
  /** LDS bytes of a WGP, or of a CU where there is no WGP; undefined where not known. */
  readonly ldsPool?: number;
  readonly threadsWorkgroup: number;
  /** Work-items of one grid dimension. */
  readonly gridItems: number;
}

export interface XpuChip extends Row {
  readonly dialect: 'xpu';
  /** Device ip version, or the like of it: `12.55.8`. */
  readonly ip?: string;
  readonly xveCore: number;
  /** Hardware threads an XVE, by GRF mode; a mode that is absent does not run. */
  readonly threadsXve: Readonly<Record<number, number>>;
  readonly subgroups: readonly number[];
  readonly workgroup: number;
  /** The largest work-group at 256 GRF and a sub-group below 32. */
  readonly workgroupLargeGrf: number;
  readonly slmWorkgroup: number;
  readonly barriers: number;
}

export interface MetalChip extends Row {
  readonly dialect: 'metal';
  readonly family: string;
  readonly arch: string;
  readonly threads: number;
  /** A pipeline's limit falls below `threads` as its registers rise. */
  readonly fallsWithRegisters: boolean;
  readonly threadgroupBytes: number;
  /** `setThreadgroupMemoryLength` takes multiples of this. */
  readonly threadgroupGranule: number;
  readonly simd: number;
}

export type Chip = CudaChip | HipChip | XpuChip | MetalChip;
export type ChipOf<D extends Dialect> = Extract<Chip, { readonly dialect: D }>;

/** A column's source, for every number of a row. */
export type Sources<C extends Chip> = Readonly<Record<Exclude<keyof C, keyof Row | 'dialect'>, string>>;

/**
 * A device that is present, as the rules see it: its row, and what its driver says of each loaded kernel. A driver's
 * own most threads a group of a function (`MAX_THREADS_PER_BLOCK`, `maxTotalThreadsPerThreadgroup`) is that kernel's
 * bound.
 */
export interface LiveDevice<C extends Chip = Chip> {
  readonly chip: C;
  readonly kernels: readonly Measured[];
}

/** A chip's row with what a device reports of itself in place of the table's numbers, which are then certain. */
export function withOwnLimits<C extends Chip>(row: C, own: Partial<Omit<C, 'dialect' | 'served' | 'uncertain'>>): C {
  return { ...row, ...own, uncertain: row.uncertain.filter((column) => !Object.hasOwn(own, column)) };
}
