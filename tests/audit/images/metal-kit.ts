/** Mach-O files as Metal's translator lays them out: a pipeline's file inside a slice, slices inside a fat file. */
import { ascii, join, le } from './elf-kit.ts';

export const APPLE_GPU = 0x01000013;
export const AIR = 0x01000017;
/** CPU subtypes of the M1 and the M2. */
export const G13G = 322;
export const G14G = 402;

export interface MachSectionParts {
  readonly segment: string;
  readonly name: string;
  readonly content: Uint8Array;
}

export interface MachParts {
  readonly cpuType?: number;
  readonly cpuSubtype?: number;
  readonly sections: readonly MachSectionParts[];
}

const name16 = (name: string): Uint8Array => ascii(name.padEnd(16, '\0'));

/** A thin file: a command that is none of a segment's, then one segment with every section. */
export function machO({ cpuType = APPLE_GPU, cpuSubtype = G13G, sections }: MachParts): Uint8Array {
  const other = le(4, 0x1b, 4, 24, 8, 1, 8, 2);
  const commandBytes = 72 + 80 * sections.length;
  let offset = 32 + other.length + commandBytes;
  const headers = sections.map(({ segment, name, content }) => {
    const place = le(8, 0, 8, content.length, 4, offset, 4, 0, 4, 0, 4, 0, 4, 0, 4, 0, 4, 0, 4, 0);
    offset += content.length;
    return join(name16(name), name16(segment), place);
  });
  const segment = le(8, 0, 8, 0, 8, 0, 8, 0, 4, 7, 4, 7, 4, sections.length, 4, 0);
  const header = le(4, 0xfeedfacf, 4, cpuType, 4, cpuSubtype, 4, 6, 4, 2, 4, other.length + commandBytes, 4, 0, 4, 0);
  const command = join(le(4, 0x19, 4, commandBytes), name16('__TEXT'), segment, ...headers);
  return join(header, other, command, ...sections.map(({ content }) => content));
}

/** A translated pipeline: its code and metadata in a file of their own, in a section of the slice's. */
export function pipeline(code: string, metadata = '', cpuSubtype = G13G): Uint8Array {
  const inner = machO({
    cpuSubtype,
    sections: [
      { segment: '__TEXT', name: '__text', content: ascii(code) },
      { segment: '__GPU_METADATA', name: '__compute', content: ascii(metadata) },
    ],
  });
  return machO({ cpuSubtype, sections: [{ segment: '__TEXT', name: '__compute', content: inner }] });
}

export type FatForm = 'usual' | 'wide' | 'metal';

export interface SliceParts {
  readonly cpuType?: number;
  readonly cpuSubtype: number;
  readonly content: Uint8Array;
}

const MAGIC: Readonly<Record<FatForm, number>> = { usual: 0xcafebabe, wide: 0xcafebabf, metal: 0xcbfebabe };
const big = (width: number, value: number): Uint8Array => le(width, value).reverse();

/** A fat file: the table is big-endian, the slices are not. */
export function fat(form: FatForm, slices: readonly SliceParts[]): Uint8Array {
  const wide = form === 'wide';
  let offset = 8 + slices.length * (wide ? 32 : 20);
  const entries = slices.map(({ cpuType = APPLE_GPU, cpuSubtype, content }) => {
    const place = [offset, content.length].map((value) => big(wide ? 8 : 4, value));
    offset += content.length;
    return join(big(4, cpuType), big(4, cpuSubtype), ...place, big(4, 0), wide ? big(4, 0) : new Uint8Array(0));
  });
  return join(big(4, MAGIC[form]), big(4, slices.length), ...entries, ...slices.map(({ content }) => content));
}
