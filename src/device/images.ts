/** Where images come from: compiled on the spot by the toolchain, or embedded in the executable. */
import type { Dialect } from '../families/formula/functions.ts';

/**
 * How an image is compiled. fast: every operation rounds once, as gates take it. fused: a product and the sum that takes it may
 * round once together, as nvcc, hipcc and Metal's compiler do by default. ulps: library functions note that they are called, and
 * a launch may move their results by what their makers document. check: as fast, and every access is told to the host device,
 * which looks for races, accesses past an end and memory that nothing set; ten times slower.
 */
export const IMAGE_KINDS = ['fast', 'fused', 'ulps', 'check'] as const;
export type ImageKind = (typeof IMAGE_KINDS)[number];

/** One source, as it is to be compiled: a control's edit is already in the text. */
export interface ImageRequest {
  readonly kind: ImageKind;
  readonly dialect: Dialect;
  /** Lanes of a warp on the host device; the dialect's first (`WARPS`) where it is left out. A GPU has its own. */
  readonly warp?: number;
  /** Relative to kernels/, for messages. */
  readonly path: string;
  readonly text: string;
  readonly defines: Readonly<Record<string, number | string>>;
}

/** set: the records that its compiler makes, where it makes any: `nvcc-13.0`. */
export type ImageResult = { readonly image: Uint8Array; readonly set?: string } | { readonly error: string };

export interface ImageStore {
  /** The image of a source, or the compiler's own words on why there is none. */
  get(request: ImageRequest): Promise<ImageResult>;
}

/** A name for a request: equal requests have equal names. */
export function imageKey({ kind, dialect, warp = 0, path, text, defines }: ImageRequest): string {
  const sorted = Object.entries(defines).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return new Bun.CryptoHasher('sha256')
    .update(JSON.stringify([kind, dialect, warp, path, text, sorted]))
    .digest('hex')
    .slice(0, 32);
}
