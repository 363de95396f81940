/**
 * ELF64, little-endian: header, sections, symbols, notes. Every function throws ImageFault on bytes that break the
 * format; the work an image can cause is bounded by its size, whatever its headers claim.
 */
import type { Allowance, Reader } from './bytes.ts';
import { ImageFault, readerOf, slice, spend, text, textToNul, u8, u16, u32, u64 } from './bytes.ts';

/** e_machine values of the images and hosts that are told apart. */
export const MACHINE = { x86_64: 62, arm64: 183, cuda: 190, intel: 205, amdgpu: 224 } as const;

export const SECTION = { symbols: 2, note: 7, noBits: 8 } as const;

export interface Elf {
  readonly reader: Reader;
  readonly osAbi: number;
  readonly abiVersion: number;
  /** e_type: 1 relocatable, 2 executable, 3 shared. */
  readonly type: number;
  readonly machine: number;
  readonly version: number;
  readonly flags: number;
  readonly sections: readonly Section[];
  /** Bytes of sections and names still allowed to be read. */
  readonly allowance: Allowance;
}

export interface Section {
  readonly index: number;
  readonly name: string;
  readonly type: number;
  readonly flags: number;
  readonly address: number;
  readonly offset: number;
  readonly size: number;
  readonly link: number;
  readonly info: number;
}

/** A symbol; its name is read by `symbolName`, as most are not needed. */
export interface ElfSymbol {
  readonly index: number;
  readonly nameOffset: number;
  /** STT_*: 1 object, 2 function. */
  readonly type: number;
  /** STB_*: 0 local, 1 global. */
  readonly binding: number;
  readonly other: number;
  readonly section: number;
  readonly value: number;
  readonly size: number;
}

export interface Note {
  readonly name: string;
  readonly type: number;
  readonly content: Uint8Array;
}

export function isElf(bytes: Uint8Array): boolean {
  return bytes[0] === 0x7f && bytes[1] === 0x45 && bytes[2] === 0x4c && bytes[3] === 0x46;
}

/** The header and every section header. */
export function openElf(bytes: Uint8Array): Elf {
  const reader = readerOf(bytes);
  if (!isElf(bytes)) throw new ImageFault('not-an-image', 'no ELF magic');
  if (u8(reader, 4) !== 2 || u8(reader, 5) !== 1) throw new ImageFault('not-an-image', 'not ELF64 little-endian');
  const allowance = { left: 2 * bytes.length };
  return {
    reader,
    osAbi: u8(reader, 7),
    abiVersion: u8(reader, 8),
    type: u16(reader, 16),
    machine: u16(reader, 18),
    version: u32(reader, 20),
    flags: u32(reader, 48),
    sections: sectionsOf(reader, allowance),
    allowance,
  };
}

export function sectionNamed(elf: Elf, name: string): Section | undefined {
  return elf.sections.find((section) => section.name === name);
}

/** The bytes of a section; empty for SHT_NOBITS. Counts against the allowance: call it once a section. */
export function contentOf(elf: Elf, section: Section): Uint8Array {
  return section.type === SECTION.noBits ? NOTHING : sliceOf(elf, section, 0, section.size);
}

/** `length` bytes of a section from `at` on. */
export function sliceOf(elf: Elf, section: Section, at: number, length: number): Uint8Array {
  if (!(at >= 0 && length >= 0 && at + length <= section.size)) {
    throw new ImageFault('truncated', `${length} bytes at ${at} lie outside section ${section.name}`);
  }
  const content = slice(elf.reader, section.offset, section.size);
  spend(elf.allowance, length, 'its sections overlap');
  return content.subarray(at, at + length);
}

/** The symbols of a table, the null symbol included, one at a time. */
export function* symbolsOf(elf: Elf, table: Section): Generator<ElfSymbol> {
  const reader = readerOf(contentOf(elf, table));
  for (let index = 0, at = 0; at + SYMBOL_BYTES <= table.size; index++, at += SYMBOL_BYTES) {
    const info = u8(reader, at + 4);
    yield {
      index,
      nameOffset: u32(reader, at),
      type: info & 15,
      binding: info >> 4,
      other: u8(reader, at + 5),
      section: u16(reader, at + 6),
      value: u64(reader, at + 8),
      size: u64(reader, at + 16),
    };
  }
}

/** A symbol's name, from the string table that `table` links. */
export function symbolName(elf: Elf, table: Section, symbol: ElfSymbol): string {
  const strings = elf.sections[table.link];
  if (strings === undefined) throw new ImageFault('malformed', `${table.name} links no string table`);
  return nameIn(elf.reader, strings.offset, strings.size, symbol.nameOffset, elf.allowance);
}

/** The notes of a section, one at a time; names lose their NUL. */
export function* notesOf(elf: Elf, section: Section): Generator<Note> {
  const reader = readerOf(contentOf(elf, section));
  for (let at = 0; at + NOTE_HEADER_BYTES <= reader.bytes.length;) {
    const nameBytes = u32(reader, at);
    const contentBytes = u32(reader, at + 4);
    const contentAt = at + NOTE_HEADER_BYTES + aligned(nameBytes, 4);
    yield {
      name: text(reader, at + NOTE_HEADER_BYTES, nameBytes).split('\0', 1)[0] ?? '',
      type: u32(reader, at + 8),
      content: slice(reader, contentAt, contentBytes),
    };
    at = contentAt + aligned(contentBytes, 4);
  }
}

/** `value` rounded up to a multiple of `step`. */
export function aligned(value: number, step: number): number {
  return Math.ceil(value / step) * step;
}

// --- details ---

const NOTHING = new Uint8Array(0);
const SYMBOL_BYTES = 24;
const SECTION_HEADER_BYTES = 64;
const NOTE_HEADER_BYTES = 12;
/** e_shstrndx that says the index stands in section 0's sh_link. */
const INDEX_ELSEWHERE = 0xffff;

function sectionsOf(reader: Reader, allowance: Allowance): readonly Section[] {
  const start = u64(reader, 40);
  if (start === 0) return [];
  if (u16(reader, 58) !== SECTION_HEADER_BYTES) throw new ImageFault('malformed', 'section headers are not 64 bytes');
  // Counts too large for the header's 16 bits stand in section 0.
  const count = u16(reader, 60) || u64(reader, start + 32);
  const namesIndex = u16(reader, 62);
  const table = readerOf(slice(reader, start, count * SECTION_HEADER_BYTES));
  const namesAt = (namesIndex === INDEX_ELSEWHERE ? u32(table, 40) : namesIndex) * SECTION_HEADER_BYTES;
  const names = { offset: u64(table, namesAt + 24), size: u64(table, namesAt + 32) };
  return Array.from({ length: count }, (_, index) => sectionAt(reader, table, index, names, allowance));
}

function sectionAt(
  reader: Reader,
  table: Reader,
  index: number,
  names: { readonly offset: number; readonly size: number },
  allowance: Allowance,
): Section {
  const at = index * SECTION_HEADER_BYTES;
  return {
    index,
    name: nameIn(reader, names.offset, names.size, u32(table, at), allowance),
    type: u32(table, at + 4),
    flags: u64(table, at + 8),
    address: u64(table, at + 16),
    offset: u64(table, at + 24),
    size: u64(table, at + 32),
    link: u32(table, at + 40),
    info: u32(table, at + 44),
  };
}

function nameIn(reader: Reader, start: number, size: number, at: number, allowance: Allowance): string {
  if (size === 0 && at === 0) return '';
  if (at >= size) throw new ImageFault('malformed', 'a name lies outside its string table');
  const name = textToNul(reader, start + at);
  spend(allowance, name.length, 'its names overlap');
  return name;
}
