/** Assembles ELF64 files from their parts, for the readers' tests. */

/** Little-endian bytes of numbers, each by its own width: `le(2, 7, 4, 1)` is a u16 7 and a u32 1. */
export function le(...widthsAndValues: readonly number[]): Uint8Array {
  const bytes: number[] = [];
  for (let i = 0; i < widthsAndValues.length; i += 2) {
    const width = widthsAndValues[i] ?? 0;
    let value = BigInt(widthsAndValues[i + 1] ?? 0);
    for (let byte = 0; byte < width; byte++, value >>= 8n) bytes.push(Number(value & 0xffn));
  }
  return Uint8Array.from(bytes);
}

export function join(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

export function ascii(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function padded(bytes: Uint8Array, step: number): Uint8Array {
  return join(bytes, new Uint8Array((step - (bytes.length % step)) % step));
}

/** A string table, and where each text lies in it. */
export function stringTable(texts: readonly string[]): { readonly bytes: Uint8Array; readonly at: readonly number[] } {
  const at: number[] = [];
  let size = 1;
  for (const text of texts) {
    at.push(size);
    size += ascii(text).length + 1;
  }
  return { bytes: ascii(`\0${texts.map((text) => `${text}\0`).join('')}`), at };
}

export interface SectionParts {
  readonly name: string;
  readonly type: number;
  readonly flags?: number;
  readonly content?: Uint8Array;
  /** Where it differs from the content's: sections that occupy no bytes, and lies. */
  readonly size?: number;
  readonly offset?: number;
  readonly address?: number;
  readonly link?: number;
  readonly info?: number;
}

export interface ElfParts {
  readonly osAbi?: number;
  readonly abiVersion?: number;
  readonly type?: number;
  readonly machine: number;
  readonly version?: number;
  readonly flags?: number;
  /** Sections 1 and up; the table of their names comes last. */
  readonly sections: readonly SectionParts[];
}

const HEADER_BYTES = 64;

export function buildElf(parts: ElfParts): Uint8Array {
  const names = stringTable([...parts.sections.map((section) => section.name), '.shstrtab']);
  const sections = [...parts.sections, { name: '.shstrtab', type: 3, content: names.bytes }];
  const contents: Uint8Array[] = [];
  const headers: Uint8Array[] = [new Uint8Array(64)];
  let offset = HEADER_BYTES;
  sections.forEach((section: SectionParts, i) => {
    const content = padded(section.content ?? new Uint8Array(0), 8);
    headers.push(sectionHeader(section, names.at[i] ?? 0, offset));
    contents.push(content);
    offset += content.length;
  });
  return join(elfHeader(parts, offset, headers.length), ...contents, ...headers);
}

function sectionHeader(section: SectionParts, name: number, offset: number): Uint8Array {
  const { type, flags = 0, content, link = 0, info = 0 } = section;
  const size = section.size ?? content?.length ?? 0;
  const place = [8, section.address ?? 0, 8, section.offset ?? offset, 8, size];
  return le(4, name, 4, type, 8, flags, ...place, 4, link, 4, info, 8, 1, 8, 0);
}

function elfHeader(parts: ElfParts, sectionsAt: number, count: number): Uint8Array {
  const { osAbi = 0, abiVersion = 0, type = 2, machine, version = 1, flags = 0 } = parts;
  const ident = Uint8Array.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, osAbi, abiVersion, 0, 0, 0, 0, 0, 0, 0]);
  const places = [4, version, 8, 0, 8, 0, 8, sectionsAt, 4, flags];
  return join(ident, le(2, type, 2, machine, ...places, 2, 64, 2, 0, 2, 0, 2, 64, 2, count, 2, count - 1));
}

export interface SymbolParts {
  readonly name: string;
  readonly type: number;
  readonly binding?: number;
  readonly other?: number;
  readonly section: number;
  readonly value?: number;
  readonly size?: number;
}

export interface SymbolTable {
  readonly table: Uint8Array;
  readonly names: Uint8Array;
}

/** A symbol table, the null symbol first, and the table of its names. */
export function symbolTable(symbols: readonly SymbolParts[]): SymbolTable {
  const names = stringTable(symbols.map((symbol) => symbol.name));
  const entries = symbols.map(({ type, binding = 1, other = 0, section, value = 0, size = 0 }, i) =>
    le(4, names.at[i] ?? 0, 1, (binding << 4) | type, 1, other, 2, section, 8, value, 8, size),
  );
  return { table: join(new Uint8Array(24), ...entries), names: names.bytes };
}

export function note(name: string, type: number, content: Uint8Array): Uint8Array {
  const named = ascii(`${name}\0`);
  return join(le(4, named.length, 4, content.length, 4, type), padded(named, 4), padded(content, 4));
}
