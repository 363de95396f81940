/** What an image says of a kernel, in its vendor's own words; and what a reader answers. */

/** Facts of one kernel in one CUDA image. Sizes in bytes. */
export interface CudaMeasured {
  readonly dialect: 'cuda';
  readonly symbol: string;
  /** `sm_90`, `sm_90a`, `sm_100f`. */
  readonly chip: string;
  /** `13.0`; undefined where the image names none. */
  readonly release?: string;
  readonly registers: number;
  readonly staticShared: number;
  /** Local bytes a thread over the call tree; 0 also where recursion hides it. */
  readonly stack: number;
  /** `.maxntid`: threads a block by the launch bound, per dimension. */
  readonly maxThreads?: readonly [number, number, number];
  /** `.reqntid`: the block must be exactly this. */
  readonly requiredThreads?: readonly [number, number, number];
  readonly registerCap: number;
  readonly barriers: number;
  readonly cluster?: readonly [number, number, number];
  /** A launch must state a cluster. */
  readonly explicitCluster: boolean;
  readonly maxClusterRank?: number;
  readonly spillStores: number;
  readonly spillLoads: number;
}

/** Facts of one kernel in one AMDGPU code object. */
export interface HipMeasured {
  readonly dialect: 'hip';
  readonly symbol: string;
  /** `gfx1100`, without feature flags. */
  readonly chip: string;
  /** Feature flags of the target: `sramecc+`, `xnack-`. */
  readonly features: readonly string[];
  readonly release?: string;
  readonly vgprs: number;
  readonly agprs: number;
  readonly sgprs: number;
  readonly staticLds: number;
  readonly scratch: number;
  /** The largest flat work-group the kernel was compiled for. */
  readonly maxFlatWorkgroup: number;
  readonly wave: number;
  /** Work-group processor mode; undefined where the chip has none. */
  readonly wgpMode?: boolean;
  readonly vgprSpills: number;
  readonly sgprSpills: number;
  readonly dynamicStack: boolean;
  readonly requiredWorkgroup?: readonly [number, number, number];
}

/** Facts of one kernel in one zebin. */
export interface XpuMeasured {
  readonly dialect: 'xpu';
  readonly symbol: string;
  /** `acm-g10`, `pvc`, `bmg`. */
  readonly chip: string;
  readonly release?: string;
  readonly simd: number;
  readonly grf: number;
  readonly slm: number;
  readonly barriers: number;
  readonly requiredWorkgroup?: readonly [number, number, number];
  readonly requiredSubgroup?: number;
  /** Scratch and private bytes a hardware thread or a work-item. */
  readonly scratch: number;
  readonly spills: number;
}

/** What a Metal pipeline compiled for, or, with the chip `source`, what its source says of it on every chip. */
export interface MetalMeasured {
  readonly dialect: 'metal';
  readonly symbol: string;
  readonly chip: string;
  readonly release?: string;
  /** Threads a threadgroup, on chips where registers lower it; undefined where nothing was compiled for them. */
  readonly maxThreads?: number;
  /** Threads that the source reserves by `max_total_threads_per_threadgroup`. */
  readonly reserved?: number;
  /** The kernel uses tensor operations. */
  readonly tensorOps?: boolean;
  readonly staticThreadgroup: number;
}

export type Measured = CudaMeasured | HipMeasured | XpuMeasured | MetalMeasured;

/**
 * Why an image, or a part of one, gives no measurement. A class a program can test and a sentence a person can read.
 */
export interface ImageProblem {
  readonly class:
    | 'not-an-image'
    | 'truncated'
    | 'newer-than-known'
    | 'relocatable-only'
    | 'no-executable-image'
    | 'legacy-patch-tokens'
    | 'ambiguous'
    | 'no-kernels'
    | 'malformed';
  /** Where: the file, then the container, member or section. */
  readonly where: string;
  readonly what: string;
}

/** What a reader answers: never a throw, whatever the bytes. Zero kernels come with a problem that says why. */
export interface ImageReading {
  readonly kernels: readonly Measured[];
  readonly problems: readonly ImageProblem[];
}
