/**
 * Metal's M1 and M2 records. No image states a pipeline's thread limit, so it is found by comparing: a pipeline
 * translated for T threads that has the plain pipeline's very code shows that the plain one runs T threads.
 */
import type { ImageReading, MetalMeasured } from '../measured.ts';
import { attemptReading, ImageFault, startsWith } from './bytes.ts';
import type { Slice } from './metal-macho.ts';
import { APPLE_GPU, isMachO, sectionsOf, slicesOf } from './metal-macho.ts';

/** One pipeline's translations. */
export interface PipelineBuilds {
  readonly symbol: string;
  /** `M1`. */
  readonly chip: string;
  /** Of the Metal toolchain. */
  readonly release?: string;
  /** Threadgroup bytes of the source: no image is known to state them. */
  readonly staticThreadgroup: number;
  /** The translation that reserves no number of threads. */
  readonly plain: Uint8Array;
  /** The translations that do, in any order. */
  readonly reserved: readonly ReservedBuild[];
}

export interface ReservedBuild {
  readonly threads: number;
  readonly image: Uint8Array;
}

/** Whether the bytes start as a Metal image: AIR, or a GPU's Mach-O. */
export function isMetalImage(bytes: Uint8Array): boolean {
  return startsWith(bytes, AIR_MAGIC) || (isMachO(bytes) && isForGpu(bytes));
}

/** An image by itself: always a problem, which says what a record needs. */
export function readMetal(bytes: Uint8Array, where: string): ImageReading {
  return attemptReading(where, () => {
    if (startsWith(bytes, AIR_MAGIC)) throw new ImageFault('no-executable-image', 'AIR, not translated for a chip');
    gpuTexts(bytes);
    const what = 'a pipeline states no thread limit: its record compares translations for several thread counts';
    return { kernels: [], problems: [{ class: 'no-kernels', where, what }] };
  });
}

/** The record of a pipeline: the largest T whose translation has the plain one's code, in every slice. */
export function measurePipeline(builds: PipelineBuilds, where: string): ImageReading {
  return attemptReading(where, () => {
    const plain = gpuTexts(builds.plain);
    const equal = builds.reserved.filter(({ image }) => sameTexts(gpuTexts(image), plain));
    if (equal.length === 0) {
      const tried = builds.reserved.map(({ threads }) => threads).join(', ') || 'none';
      throw new ImageFault('no-kernels', `no translation has the plain pipeline's code; threads tried: ${tried}`);
    }
    const maxThreads = Math.max(...equal.map(({ threads }) => threads));
    return { kernels: [measuredOf(builds, maxThreads)], problems: [] };
  });
}

/** The machine code of a translated pipeline, a text a GPU slice. Throws ImageFault. */
export function gpuTexts(bytes: Uint8Array): ReadonlyMap<string, Uint8Array> {
  const texts = new Map<string, Uint8Array>();
  for (const part of slicesOf(bytes)) {
    if (part.cpuType !== APPLE_GPU) continue;
    const key = `subtype ${part.cpuSubtype}`;
    if (texts.has(key)) throw new ImageFault('ambiguous', `two slices of GPU ${key}`);
    texts.set(key, textOf(part, key));
  }
  if (texts.size === 0) throw new ImageFault('no-executable-image', 'no slice for an Apple GPU');
  return texts;
}

// --- details ---

const AIR_MAGIC = 'MTLB';

function isForGpu(bytes: Uint8Array): boolean {
  const reading = attemptSlices(bytes);
  return reading.some(({ cpuType }) => cpuType === APPLE_GPU);
}

function attemptSlices(bytes: Uint8Array): readonly Slice[] {
  try {
    return slicesOf(bytes);
  } catch (fault) {
    if (fault instanceof ImageFault) return [];
    throw fault;
  }
}

/** The section `__compute` of a slice is a Mach-O file itself; its `__text` is the code. */
function textOf(part: Slice, key: string): Uint8Array {
  const pipeline = only(sectionsNamed(part.bytes, '__compute'), `${key}: sections __compute`);
  return only(sectionsNamed(pipeline, '__text'), `${key}: sections __text of the pipeline`);
}

function sectionsNamed(bytes: Uint8Array, name: string): readonly Uint8Array[] {
  return sectionsOf(bytes).flatMap((section) => (section.name === name ? [section.bytes] : []));
}

function only(sections: readonly Uint8Array[], what: string): Uint8Array {
  const [first, second] = sections;
  if (first === undefined) throw new ImageFault('no-kernels', `${what}: none`);
  if (second !== undefined) throw new ImageFault('ambiguous', `${what}: ${sections.length}`);
  return first;
}

function sameTexts(a: ReadonlyMap<string, Uint8Array>, b: ReadonlyMap<string, Uint8Array>): boolean {
  if (a.size !== b.size) return false;
  return [...a].every(([key, text]) => {
    const other = b.get(key);
    return other !== undefined && Buffer.compare(text, other) === 0;
  });
}

function measuredOf(builds: PipelineBuilds, maxThreads: number): MetalMeasured {
  const { symbol, chip, release, staticThreadgroup } = builds;
  return { dialect: 'metal', symbol, chip, ...(release !== undefined && { release }), maxThreads, staticThreadgroup };
}
