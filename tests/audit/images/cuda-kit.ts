/** Assembles cubins and fatbins, for the readers' tests. */
import type { SectionParts } from './elf-kit.ts';
import { ascii, buildElf, join, le, note, padded, stringTable, symbolTable } from './elf-kit.ts';

export interface KernelParts {
  readonly name: string;
  /** No register count at all where it is null. */
  readonly registers?: number | null;
  readonly stack?: number;
  readonly frame?: number;
  /** Bytes of the shared section; absent: no section. */
  readonly shared?: number;
  /** The kernel's own attribute stream. */
  readonly attributes?: readonly Uint8Array[];
  readonly code?: Uint8Array;
  /** Device functions within its code. */
  readonly callees?: readonly { readonly at: number; readonly size: number }[];
  readonly codeFlags?: number;
  readonly binding?: number;
  /** st_other of its symbol: without 0x10 it is a device function. */
  readonly other?: number;
}

export interface CubinParts {
  readonly sm: number;
  readonly generation?: 'old' | 'new';
  readonly abiVersion?: number;
  /** e_version of an old header. */
  readonly version?: number;
  readonly type?: number;
  readonly kernels: readonly KernelParts[];
  /** The options and release that the note of ptxas names; none: no note. */
  readonly note?: { readonly release: string; readonly options: string };
  readonly compat?: Uint8Array;
}

const KERNEL_OTHER = 0x10;
const FUNCTION = 2;
const INFO_TYPE = 0x70000000;

/** A short attribute: format 1, 2 or 3. */
export function short(id: number, value = 0, format = 3): Uint8Array {
  return le(1, format, 1, id, 2, value);
}

/** A long attribute of u32 words. */
export function long(id: number, ...words: readonly number[]): Uint8Array {
  return join(le(1, 4, 1, id, 2, 4 * words.length), ...words.map((word) => le(4, word)));
}

/** An instruction of 16 bytes: an opcode and a size code. */
export function instruction(opcode: number, sizeCode = 0): Uint8Array {
  return le(8, opcode, 8, sizeCode * 2 ** 9);
}

export function buildCubin(parts: CubinParts): Uint8Array {
  const { sm, generation = 'new', kernels } = parts;
  const old = generation === 'old';
  return buildElf({
    machine: 190,
    osAbi: old ? 0x33 : 0x41,
    abiVersion: parts.abiVersion ?? (old ? 7 : 8),
    type: parts.type ?? 2,
    version: parts.version ?? 1,
    flags: old ? 0x00500500 | sm : 0x06000004 | (sm << 8),
    sections: [...sharedSections(parts), ...kernels.flatMap(kernelSections)],
  });
}

/** Sections 1 to 5: names, symbols, `.nv.info`, the note and `.nv.compat`. */
function sharedSections(parts: CubinParts): readonly SectionParts[] {
  const kernels = parts.kernels.map(({ name, binding = 1, other = KERNEL_OTHER }, i) => {
    return { name, binding, type: FUNCTION, other, section: codeIndex(i) };
  });
  const callees = parts.kernels.flatMap(({ callees: own = [] }, i) =>
    own.map(({ at, size }) => ({ name: '$k$f', binding: 2, type: FUNCTION, section: codeIndex(i), value: at, size })),
  );
  const symbols = symbolTable([...kernels, ...callees]);
  return [
    { name: '.strtab', type: 3, content: symbols.names },
    { name: '.symtab', type: 2, content: symbols.table, link: 1 },
    { name: '.nv.info', type: INFO_TYPE, content: join(...parts.kernels.map(functionFacts)), link: 2 },
    { name: '.note.nv.tkinfo', type: 7, content: parts.note === undefined ? new Uint8Array(0) : toolNote(parts.note) },
    { name: '.nv.compat', type: 0x70000086, content: parts.compat ?? new Uint8Array(0) },
  ];
}

const SHARED_SECTIONS = 5;
const SECTIONS_A_KERNEL = 3;
const codeIndex = (kernel: number): number => 1 + SHARED_SECTIONS + SECTIONS_A_KERNEL * kernel;

function functionFacts({ registers = 8, stack = 0, frame = 0 }: KernelParts, i: number): Uint8Array {
  const symbol = i + 1;
  const count = registers === null ? [] : [long(0x2f, symbol, registers)];
  return join(...count, long(0x12, symbol, stack), long(0x11, symbol, frame));
}

function kernelSections(kernel: KernelParts, i: number): readonly SectionParts[] {
  const { name, code = new Uint8Array(16), codeFlags = 6, attributes = [], shared } = kernel;
  const info = codeIndex(i);
  const sharedName = shared === undefined ? '.none' : `.nv.shared.${name}`;
  return [
    { name: `.text.${name}`, type: 1, flags: codeFlags, content: code },
    { name: `.nv.info.${name}`, type: INFO_TYPE, content: join(...attributes), info },
    { name: sharedName, type: 8, size: shared ?? 0, info },
  ];
}

/** The linker's note comes first, as in a linked image. */
function toolNote({ release, options }: { readonly release: string; readonly options: string }): Uint8Array {
  const of = (tool: string, shown: string): Uint8Array => {
    const strings = stringTable([tool, `Cuda compilation tools, release ${shown}, V${shown}.88`, 'Build', options]);
    const at = strings.at.flatMap((offset) => [4, offset]);
    return note('NVIDIA Corp', 2000, join(le(4, 2, 4, 0, ...at), strings.bytes));
  };
  return join(of('nvlink', '99.9'), of('ptxas', release));
}

export interface EntryParts {
  readonly kind: number;
  readonly sm: number;
  readonly flags?: number;
  readonly payload: Uint8Array;
  /** Bytes of the payload that are compressed, and what they unpack to; absent: stored. */
  readonly packed?: number;
  readonly size?: number;
  /** Bytes after the 64 of the header. */
  readonly extra?: number;
}

export const STORED = 0x11;
export const LZ4 = 0x2011;
export const ZSTD = 0x8011;

export function buildContainer(entries: readonly EntryParts[], version = 1): Uint8Array {
  const body = join(...entries.map(buildEntry));
  return join(le(4, 0xba55ed50, 2, version, 2, 16, 8, body.length), body);
}

function buildEntry({ kind, sm, flags = STORED, payload, packed = 0, size = 0, extra = 0 }: EntryParts): Uint8Array {
  const content = padded(payload, 8);
  const sizes = [2, kind, 2, 0x0101, 4, 64 + extra, 8, content.length, 4, packed, 4, 0];
  const rest = [2, 8, 2, 1, 4, sm, 4, 0, 4, 0, 8, flags, 8, 0, 8, size];
  return join(le(...sizes, ...rest), new Uint8Array(extra), content);
}

/** A cubin as a stored, zstd or LZ4 entry. */
export function cubinEntry(sm: number, cubin: Uint8Array, packing?: 'zstd' | 'lz4', flags = 0): EntryParts {
  if (packing === undefined) return { kind: 2, sm, flags: STORED | flags, payload: cubin };
  const payload = packing === 'zstd' ? new Uint8Array(Bun.zstdCompressSync(cubin)) : literalsOnly(cubin);
  const of = packing === 'zstd' ? ZSTD : LZ4;
  return { kind: 2, sm, flags: of | flags, payload, packed: payload.length, size: cubin.length };
}

/** The LZ4 block of one sequence without a match. */
export function literalsOnly(bytes: Uint8Array): Uint8Array {
  if (bytes.length < 15) return join(le(1, bytes.length << 4), bytes);
  const rest = bytes.length - 15;
  const full = new Uint8Array(Math.floor(rest / 255)).fill(255);
  return join(le(1, 0xf0), full, le(1, rest % 255), bytes);
}

/** A host object with the sections given. */
export function buildHost(sections: Readonly<Record<string, Uint8Array>>): Uint8Array {
  const parts = Object.entries(sections).map(([name, content]) => ({ name, type: 1, flags: 2, content }));
  return buildElf({ machine: 62, type: 3, sections: parts });
}

/** PTX as text; readers never look into it. */
export const PTX = ascii('.version 9.0\n.target sm_80\n');
