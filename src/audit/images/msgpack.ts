/**
 * A cursor over MessagePack: takes the wanted values and steps over the rest without building them. Nesting costs no
 * stack, and a claimed count no memory: each value must be there before the next is looked at.
 */
import type { Reader } from './bytes.ts';
import { ImageFault, readerOf, slice, text, u16, u32, u64, u8 } from './bytes.ts';

export interface Pack {
  readonly reader: Reader;
  /** Offset of the next value. */
  at: number;
}

export function packOf(bytes: Uint8Array): Pack {
  return { reader: readerOf(bytes), at: 0 };
}

/** Calls `visit` with each text key of the map at the cursor; a value that `visit` does not take is stepped over. */
export function eachEntry(pack: Pack, visit: (key: string) => void): void {
  const count = take(pack, 'map').size;
  for (let i = 0; i < count; i++) {
    const key = isText(pack) ? takeText(pack) : stepOver(pack);
    const valueAt = pack.at;
    if (key !== undefined) visit(key);
    if (pack.at === valueAt) stepOver(pack);
  }
}

/** Calls `visit` at each element of the array at the cursor; an element that `visit` does not take is stepped over. */
export function eachElement(pack: Pack, visit: () => void): void {
  const count = take(pack, 'array').size;
  for (let i = 0; i < count; i++) {
    const elementAt = pack.at;
    visit();
    if (pack.at === elementAt) stepOver(pack);
  }
}

export function takeText(pack: Pack): string {
  const { size } = take(pack, 'text');
  pack.at += size;
  return text(pack.reader, pack.at - size, size);
}

/** A number of at least zero; booleans count as 0 and 1. From 2^53 up it is rounded. */
export function takeCount(pack: Pack): number {
  return take(pack, 'count').size;
}

/** Steps over one value, whatever it holds. */
export function stepOver(pack: Pack): undefined {
  for (let values = 1; values > 0; values--) {
    const { kind, size, headerBytes } = headAt(pack);
    pack.at += headerBytes;
    if (kind === 'map') values += 2 * size;
    if (kind === 'array') values += size;
    if (kind !== 'text' && kind !== 'bytes') continue;
    slice(pack.reader, pack.at, size);
    pack.at += size;
  }
}

// --- details ---

/** What starts at the cursor. `size`: entries of a map, elements of an array, bytes of a text, or the count itself. */
interface Head {
  readonly kind: 'map' | 'array' | 'text' | 'bytes' | 'count' | 'other';
  readonly size: number;
  readonly headerBytes: number;
}

function isText(pack: Pack): boolean {
  return headAt(pack).kind === 'text';
}

function take(pack: Pack, kind: Head['kind']): Head {
  const head = headAt(pack);
  if (head.kind !== kind) {
    throw new ImageFault('malformed', `metadata at byte ${pack.at}: ${head.kind} where ${kind} must stand`);
  }
  pack.at += head.headerBytes;
  return head;
}

function headAt({ reader, at }: Pack): Head {
  const code = u8(reader, at);
  if (code < 0x80) return { kind: 'count', size: code, headerBytes: 1 };
  if (code < 0x90) return { kind: 'map', size: code & 15, headerBytes: 1 };
  if (code < 0xa0) return { kind: 'array', size: code & 15, headerBytes: 1 };
  if (code < 0xc0) return { kind: 'text', size: code & 31, headerBytes: 1 };
  if (code >= 0xe0) return { kind: 'other', size: 0, headerBytes: 1 };
  return longHead(reader, at, code);
}

/** Kind, bytes of the size that follows the code, and bytes after that which the size does not count. */
type Form = readonly [kind: Head['kind'], sizeBytes: 0 | 1 | 2 | 4 | 8, extra: number];

/** Codes 0xC2 to 0xDF; 0xC0 is nil and 0xC1 is never used. Signed numbers and floats are stepped over only. */
const FORMS: Readonly<Record<number, Form>> = {
  0xc0: ['other', 0, 0],
  0xc4: ['bytes', 1, 0],
  0xc5: ['bytes', 2, 0],
  0xc6: ['bytes', 4, 0],
  0xc7: ['bytes', 1, 1],
  0xc8: ['bytes', 2, 1],
  0xc9: ['bytes', 4, 1],
  0xca: ['other', 0, 4],
  0xcb: ['other', 0, 8],
  0xcc: ['count', 1, 0],
  0xcd: ['count', 2, 0],
  0xce: ['count', 4, 0],
  0xcf: ['count', 8, 0],
  0xd0: ['other', 0, 1],
  0xd1: ['other', 0, 2],
  0xd2: ['other', 0, 4],
  0xd3: ['other', 0, 8],
  0xd4: ['other', 0, 2],
  0xd5: ['other', 0, 3],
  0xd6: ['other', 0, 5],
  0xd7: ['other', 0, 9],
  0xd8: ['other', 0, 17],
  0xd9: ['text', 1, 0],
  0xda: ['text', 2, 0],
  0xdb: ['text', 4, 0],
  0xdc: ['array', 2, 0],
  0xdd: ['array', 4, 0],
  0xde: ['map', 2, 0],
  0xdf: ['map', 4, 0],
};

function longHead(reader: Reader, at: number, code: number): Head {
  if (code === 0xc2 || code === 0xc3) return { kind: 'count', size: code - 0xc2, headerBytes: 1 };
  const form = FORMS[code];
  if (form === undefined) throw new ImageFault('malformed', `metadata at byte ${at}: 0xc1 is no value`);
  const [kind, sizeBytes, extra] = form;
  const headerBytes = 1 + sizeBytes + extra;
  slice(reader, at, headerBytes);
  return { kind, size: sizeAt(reader, at + 1, sizeBytes), headerBytes };
}

function sizeAt(reader: Reader, at: number, sizeBytes: Form[1]): number {
  if (sizeBytes === 0) return 0;
  if (sizeBytes === 1) return u8(reader, at);
  if (sizeBytes === 2) return u16(reader, at, true);
  return sizeBytes === 4 ? u32(reader, at, true) : u64(reader, at, true);
}
