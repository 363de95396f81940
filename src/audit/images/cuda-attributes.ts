/** The attribute streams of a cubin: .nv.info, .nv.info.<kernel> and .nv.compat. */
import type { Reader } from './bytes.ts';
import { ImageFault, slice, u8, u16, u32 } from './bytes.ts';

/** Attributes that are read, by the number that stands in the stream. */
export const ATTRIBUTE = {
  maxThreads: 0x05,
  compatArch: 0x09,
  requiredThreads: 0x10,
  frameSize: 0x11,
  minStackSize: 0x12,
  registerCap: 0x1b,
  registerCount: 0x2f,
  apiVersion: 0x37,
  clusterDims: 0x3d,
  explicitCluster: 0x3e,
  maxClusterRank: 0x3f,
  barriers: 0x4c,
  annotations: 0x55,
} as const;

export interface Attribute {
  readonly id: number;
  /** The 16 bits of a short attribute; the payload's length of a long one. */
  readonly value: number;
  /** Where a long attribute's payload starts. */
  readonly at: number;
  readonly long: boolean;
}

/** Every attribute of a stream, unknown ones included: they are passed by their length. */
export function* attributesOf(stream: Reader): Generator<Attribute> {
  for (let at = 0; at + HEADER_BYTES <= stream.bytes.length;) {
    const format = u8(stream, at);
    if (format === 0 || format > LONG) throw new ImageFault('newer-than-known', `attribute format ${format}`);
    const long = format === LONG;
    const attribute = { id: u8(stream, at + 1), value: u16(stream, at + 2), at: at + HEADER_BYTES, long };
    if (long) slice(stream, attribute.at, attribute.value);
    yield attribute;
    at = attribute.at + (long ? attribute.value : 0);
  }
}

/** The u32 at `index` of a long attribute's payload. */
export function wordOf(stream: Reader, attribute: Attribute, index: number): number {
  if (!attribute.long || 4 * (index + 1) > attribute.value) {
    throw new ImageFault('malformed', `attribute 0x${attribute.id.toString(16)} is shorter than it must be`);
  }
  return u32(stream, attribute.at + 4 * index);
}

/** Three u32: x, y, z. */
export function dimsOf(stream: Reader, attribute: Attribute): readonly [number, number, number] {
  return [wordOf(stream, attribute, 0), wordOf(stream, attribute, 1), wordOf(stream, attribute, 2)];
}

/** The low byte of a short attribute. */
export function byteOf(attribute: Attribute): number {
  return attribute.value & 0xff;
}

// --- details ---

const HEADER_BYTES = 4;
/** Formats 1, 2 and 3 hold nothing, a byte, or 16 bits in the header; format 4 a payload after it. */
const LONG = 4;
