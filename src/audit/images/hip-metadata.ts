/** The metadata note of an AMDGPU code object: what the compiler says of each kernel, in MessagePack. */
import { ImageFault } from './bytes.ts';
import type { Pack } from './msgpack.ts';
import { eachElement, eachEntry, packOf, takeCount, takeText } from './msgpack.ts';

export interface Metadata {
  /** `amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-`. */
  readonly target: string;
  /** [1, 1] in code object v4, [1, 2] in v5 and v6. */
  readonly version: readonly [number, number];
  readonly kernels: readonly KernelMetadata[];
}

/** One kernel of the note. Sizes in bytes; undefined is what the note leaves out. */
export interface KernelMetadata {
  readonly name: string;
  /** The symbol of its descriptor: the name and `.kd`. */
  readonly symbol: string;
  /** On gfx90a and gfx942 the total of both kinds, each rounded as the hardware does. */
  readonly vgprs: number;
  readonly agprs: number | undefined;
  readonly sgprs: number;
  readonly staticLds: number;
  readonly scratch: number;
  readonly maxFlatWorkgroup: number;
  readonly wave: number;
  readonly wgpMode: boolean | undefined;
  readonly vgprSpills: number;
  readonly sgprSpills: number;
  readonly dynamicStack: boolean | undefined;
  readonly requiredWorkgroup: readonly [number, number, number] | undefined;
}

/** The whole note; a note that breaks the format anywhere is refused as a whole. */
export function readMetadata(bytes: Uint8Array): Metadata {
  const pack = packOf(bytes);
  const kernels: KernelMetadata[] = [];
  let target = '';
  let version: readonly number[] = [];
  eachEntry(pack, (key) => {
    if (key === 'amdhsa.target') target = takeText(pack);
    if (key === 'amdhsa.version') version = takeCounts(pack, 2);
    if (key === 'amdhsa.kernels') eachElement(pack, () => kernels.push(takeKernel(pack)));
  });
  const [major, minor] = version;
  if (major === undefined || minor === undefined) throw new ImageFault('malformed', 'the metadata has no version');
  return { target, version: [major, minor], kernels };
}

// --- details ---

/** The numbers and flags that are read; every other key is stepped over. */
const COUNTS: ReadonlySet<string> = new Set([
  '.vgpr_count',
  '.agpr_count',
  '.sgpr_count',
  '.group_segment_fixed_size',
  '.private_segment_fixed_size',
  '.max_flat_workgroup_size',
  '.wavefront_size',
  '.workgroup_processor_mode',
  '.vgpr_spill_count',
  '.sgpr_spill_count',
  '.uses_dynamic_stack',
]);

function takeKernel(pack: Pack): KernelMetadata {
  const counts = new Map<string, number>();
  let name = '';
  let symbol = '';
  let required: readonly number[] = [];
  eachEntry(pack, (key) => {
    if (key === '.name') name = takeText(pack);
    else if (key === '.symbol') symbol = takeText(pack);
    else if (key === '.reqd_workgroup_size') required = takeCounts(pack, 3);
    else if (COUNTS.has(key)) counts.set(key, takeCount(pack));
  });
  if (name === '' || symbol === '') throw new ImageFault('malformed', 'the metadata has a kernel without a name');
  return kernelOf(name, symbol, counts, required);
}

function kernelOf(
  name: string,
  symbol: string,
  counts: ReadonlyMap<string, number>,
  required: readonly number[],
): KernelMetadata {
  const count = (key: string): number => {
    const value = counts.get(key);
    if (value === undefined) throw new ImageFault('malformed', `the metadata of ${name} has no ${key}`);
    return value;
  };
  const flag = (key: string): boolean | undefined => (counts.has(key) ? counts.get(key) !== 0 : undefined);
  const [x, y, z] = required;
  return {
    name,
    symbol,
    vgprs: count('.vgpr_count'),
    agprs: counts.get('.agpr_count'),
    sgprs: count('.sgpr_count'),
    staticLds: count('.group_segment_fixed_size'),
    scratch: count('.private_segment_fixed_size'),
    maxFlatWorkgroup: count('.max_flat_workgroup_size'),
    wave: count('.wavefront_size'),
    wgpMode: flag('.workgroup_processor_mode'),
    vgprSpills: counts.get('.vgpr_spill_count') ?? 0,
    sgprSpills: counts.get('.sgpr_spill_count') ?? 0,
    dynamicStack: flag('.uses_dynamic_stack'),
    requiredWorkgroup: x === undefined || y === undefined || z === undefined ? undefined : [x, y, z],
  };
}

/** An array of exactly `length` counts. */
function takeCounts(pack: Pack, length: number): readonly number[] {
  const counts: number[] = [];
  eachElement(pack, () => {
    const count = takeCount(pack);
    if (counts.length < length) counts.push(count);
    else throw new ImageFault('malformed', `the metadata has more than ${length} numbers where ${length} must stand`);
  });
  if (counts.length < length) throw new ImageFault('malformed', `the metadata has fewer than ${length} numbers`);
  return counts;
}
