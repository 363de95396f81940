/** Mach-O as Metal's compilers write it: thin or fat, a GPU's code inside a section of its own. Throws ImageFault. */
import type { Reader } from './bytes.ts';
import { ImageFault, readerOf, slice, text, u32, u64 } from './bytes.ts';

/** What one architecture's part of a file holds. */
export interface Slice {
  readonly cpuType: number;
  readonly cpuSubtype: number;
  readonly bytes: Uint8Array;
}

export interface MachSection {
  readonly segment: string;
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** CPU type of Apple's GPUs; a fat file also holds AIR, of another type. */
export const APPLE_GPU = 0x01000013;

export function isMachO(bytes: Uint8Array): boolean {
  return bytes.length >= 4 && (isThin(readerOf(bytes)) || fatFormOf(readerOf(bytes)) !== undefined);
}

/** One slice of a thin file; those of a fat one. */
export function slicesOf(bytes: Uint8Array): readonly Slice[] {
  const reader = readerOf(bytes);
  if (isThin(reader)) return [{ cpuType: u32(reader, 4), cpuSubtype: u32(reader, 8), bytes }];
  const form = fatFormOf(reader);
  if (form === undefined) throw new ImageFault('not-an-image', 'no Mach-O magic');
  const count = u32(reader, 4, true);
  if (count > SLICES) throw new ImageFault('malformed', `${count} slices: more than any Mach-O file has`);
  return Array.from({ length: count }, (_, i) => sliceAt(reader, 8 + i * form.entryBytes, form.isWide));
}

/** The sections of a thin, 64-bit, little-endian file. */
export function sectionsOf(bytes: Uint8Array): readonly MachSection[] {
  const reader = readerOf(bytes);
  if (!isThin(reader)) throw new ImageFault('malformed', 'not a 64-bit Mach-O file');
  const sections: MachSection[] = [];
  const commands = u32(reader, 16);
  for (let i = 0, at = HEADER_BYTES; i < commands; i++) {
    const commandBytes = u32(reader, at + 4);
    if (commandBytes < 8) throw new ImageFault('malformed', `load command ${i} has ${commandBytes} bytes`);
    const command = readerOf(slice(reader, at, commandBytes));
    if (u32(command, 0) === SEGMENT_64) addSections(sections, reader, command);
    at += commandBytes;
  }
  return sections;
}

// --- details ---

const THIN_MAGIC = 0xfeedfacf;
/** Big-endian magics of fat files: the usual, the one of 64-bit offsets, and Metal's own. */
const FAT_FORMS: Readonly<Record<number, FatForm>> = {
  0xcafebabe: { entryBytes: 20, isWide: false },
  0xcafebabf: { entryBytes: 32, isWide: true },
  0xcbfebabe: { entryBytes: 20, isWide: false },
};
/** A fat file holds about one slice a GPU family. The bound keeps slices that share bytes from costing much. */
const SLICES = 64;
const HEADER_BYTES = 32;
const SEGMENT_64 = 0x19;
const SEGMENT_BYTES = 72;
const SECTION_BYTES = 80;
const NAME_BYTES = 16;

interface FatForm {
  readonly entryBytes: number;
  readonly isWide: boolean;
}

function isThin(reader: Reader): boolean {
  return u32(reader, 0) === THIN_MAGIC;
}

function fatFormOf(reader: Reader): FatForm | undefined {
  return FAT_FORMS[u32(reader, 0, true)];
}

function sliceAt(reader: Reader, at: number, isWide: boolean): Slice {
  const offset = isWide ? u64(reader, at + 8, true) : u32(reader, at + 8, true);
  const size = isWide ? u64(reader, at + 16, true) : u32(reader, at + 12, true);
  return { cpuType: u32(reader, at, true), cpuSubtype: u32(reader, at + 4, true), bytes: slice(reader, offset, size) };
}

function addSections(sections: MachSection[], reader: Reader, command: Reader): void {
  const count = u32(command, 64);
  for (let i = 0; i < count; i++) {
    const at = SEGMENT_BYTES + i * SECTION_BYTES;
    sections.push({
      name: nameAt(command, at),
      segment: nameAt(command, at + NAME_BYTES),
      bytes: slice(reader, u32(command, at + 48), u64(command, at + 40)),
    });
  }
}

function nameAt(reader: Reader, at: number): string {
  return text(reader, at, NAME_BYTES).split('\0', 1)[0] ?? '';
}
