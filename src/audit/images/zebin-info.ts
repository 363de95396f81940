/** The `.ze_info` section of a zebin: YAML that says what the compiler gave each kernel. Untrusted. */
import { ImageFault } from './bytes.ts';
import type { YamlMap } from './zebin-yaml.ts';
import { countIn, countOf, isMap, listItems, mapIn, optionalCountIn, parseItem, textIn } from './zebin-yaml.ts';

export interface ZeInfo {
  /** `1.20`. */
  readonly version: string;
  /** The YAML of each kernel, not yet read. */
  readonly items: Iterable<string>;
}

/** One kernel of `.ze_info`. Sizes in bytes. */
export interface ZeKernel {
  readonly name: string;
  readonly simd: number;
  /** Registers a thread: 128, or 256 in the large mode. */
  readonly grf: number;
  /** Static, rounded up by the compiler. */
  readonly slm: number;
  readonly barriers: number;
  readonly requiredWorkgroup: readonly [number, number, number] | undefined;
  readonly requiredSubgroup: number | undefined;
  readonly buffers: readonly ZeBuffer[];
  /** Bytes a hardware thread; older versions do not state it. */
  readonly spills: number | undefined;
}

/** Memory of a hardware thread, or of a work-item where `isSimtThread`. */
export interface ZeBuffer {
  readonly type: string;
  readonly usage: string;
  readonly size: number;
  readonly isSimtThread: boolean;
}

/**
 * The version and the kernels' items. Each kernel is parsed by itself: a file of thousands is never one tree, and one
 * that is broken does not hide the others. Throws ImageFault.
 */
export function openZeInfo(yaml: string): ZeInfo {
  const [, major, minor] = /^version\s*:\s*['"]?(\d{1,4})\.(\d{1,4})\b/m.exec(yaml.slice(0, HEAD_LENGTH)) ?? [];
  if (major === undefined || minor === undefined) throw new ImageFault('malformed', '.ze_info has no version');
  if (major !== '1') throw new ImageFault('newer-than-known', `.ze_info version ${major}.${minor}; 1.x is known`);
  const list = /^kernels[ \t]*:[ \t]*\r?\n/m.exec(yaml);
  const start = list === null ? yaml.length : list.index + list[0].length;
  return { version: `${major}.${minor}`, items: listItems(yaml, start) };
}

/** One kernel from its item. Throws ImageFault. */
export function readZeKernel(item: string): ZeKernel {
  const kernel = parseItem(item, KEYS);
  const environment = mapIn(kernel, 'execution_env');
  const attributes = mapIn(kernel, 'user_attributes');
  return {
    name: textIn(kernel, 'name'),
    simd: countIn(environment, 'simd_size'),
    grf: countIn(environment, 'grf_count'),
    slm: countIn(environment, 'slm_size', 0),
    barriers: countIn(environment, 'barrier_count', 0),
    requiredWorkgroup: groupIn(environment, 'required_work_group_size') ?? groupIn(attributes, 'reqd_work_group_size'),
    requiredSubgroup:
      optionalCountIn(environment, 'required_sub_group_size') ??
      optionalCountIn(attributes, 'intel_reqd_sub_group_size'),
    buffers: buffersIn(kernel),
    spills: optionalCountIn(environment, 'spill_size'),
  };
}

// --- details ---

/** The version stands at the top. */
const HEAD_LENGTH = 256;
/** The keys of a kernel that are read. Its arguments, most of an item, never reach the parser. */
const KEYS: ReadonlySet<string> = new Set(['name', 'user_attributes', 'execution_env', 'per_thread_memory_buffers']);

function groupIn(map: YamlMap, key: string): readonly [number, number, number] | undefined {
  if (!Object.hasOwn(map, key)) return undefined;
  const value = map[key];
  const sizes = Array.isArray(value) ? value.map((size: unknown) => countOf(size, key)) : [];
  const [x, y, z] = sizes;
  if (x !== undefined && y !== undefined && z !== undefined && sizes.length === 3) return [x, y, z];
  throw new ImageFault('malformed', `.ze_info: ${key} is not three sizes`);
}

function buffersIn(kernel: YamlMap): readonly ZeBuffer[] {
  const key = 'per_thread_memory_buffers';
  const list = Object.hasOwn(kernel, key) ? kernel[key] : [];
  if (!Array.isArray(list)) throw new ImageFault('malformed', `.ze_info: ${key} is no list`);
  return list.map((buffer: unknown) => {
    if (!isMap(buffer)) throw new ImageFault('malformed', `.ze_info: ${key} has an element that is no map`);
    return {
      type: textIn(buffer, 'type'),
      usage: textIn(buffer, 'usage'),
      size: countIn(buffer, 'size'),
      isSimtThread: buffer['is_simt_thread'] === true,
    };
  });
}
