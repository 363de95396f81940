/** AMDGPU code objects and bundles of them, assembled from the facts that a reader must give back. */
import { deflateSync } from 'node:zlib';
import { ascii, buildElf, join, le, note, padded, symbolTable } from './elf-kit.ts';

export type PackValue = number | string | boolean | readonly PackValue[] | { readonly [key: string]: PackValue };

/** MessagePack. */
export function pack(value: PackValue): Uint8Array {
  if (typeof value === 'boolean') return Uint8Array.of(value ? 0xc3 : 0xc2);
  if (typeof value === 'number') return packNumber(value);
  if (typeof value === 'string') return join(packHead(ascii(value).length, 0xa0, 32, 0xda), ascii(value));
  if (isList(value)) return join(packHead(value.length, 0x90, 16, 0xdc), ...value.map(pack));
  const entries = Object.entries(value);
  return join(packHead(entries.length, 0x80, 16, 0xde), ...entries.flatMap(([key, entry]) => [pack(key), pack(entry)]));
}

const isList = (value: PackValue): value is readonly PackValue[] => Array.isArray(value);

function packNumber(value: number): Uint8Array {
  if (value < 128) return Uint8Array.of(value);
  if (value < 2 ** 8) return Uint8Array.of(0xcc, value);
  return value < 2 ** 16 ? Uint8Array.of(0xcd, ...bigEndian(2, value)) : Uint8Array.of(0xce, ...bigEndian(4, value));
}

/** The head of a text, list or map: in the code itself below `limit`, else in the two bytes after `wideCode`. */
function packHead(size: number, shortCode: number, limit: number, wideCode: number): Uint8Array {
  return size < limit ? Uint8Array.of(shortCode | size) : Uint8Array.of(wideCode, ...bigEndian(2, size));
}

const bigEndian = (width: number, value: number): Uint8Array => le(width, value).reverse();

export interface KernelParts {
  readonly name: string;
  readonly vgprs: number;
  readonly lds: number;
  readonly scratch: number;
  readonly wave: 32 | 64;
  readonly bound: number;
  /** Keys put into the note, over those above. */
  readonly note?: { readonly [key: string]: PackValue };
  /** VGPRs of the descriptor where they are not the note's. */
  readonly descriptorVgprs?: number;
  readonly descriptorLds?: number;
  readonly wgpMode?: boolean;
  readonly hasDescriptor?: boolean;
}

export interface ObjectParts {
  readonly target?: string;
  readonly abiVersion?: number;
  readonly version?: readonly [number, number];
  readonly kernels: readonly KernelParts[];
  readonly machine?: number;
  readonly type?: number;
  /** Of the symbol table: 11 is the dynamic one. */
  readonly symbolType?: number;
  /** The note's bytes where they are not `metadataOf` these parts. */
  readonly metadata?: Uint8Array;
}

export const KERNEL: KernelParts = { name: 'k', vgprs: 20, lds: 256, scratch: 16, wave: 32, bound: 1024 };

export function metadataOf(parts: ObjectParts): PackValue {
  return {
    'amdhsa.kernels': parts.kernels.map(noteOf),
    'amdhsa.target': parts.target ?? 'amdgcn-amd-amdhsa--gfx1100',
    'amdhsa.version': parts.version ?? [1, 2],
  };
}

function noteOf(kernel: KernelParts): PackValue {
  return {
    '.args': [{ '.offset': 0, '.size': 8, '.value_kind': 'global_buffer' }],
    '.group_segment_fixed_size': kernel.lds,
    '.max_flat_workgroup_size': kernel.bound,
    '.name': kernel.name,
    '.private_segment_fixed_size': kernel.scratch,
    '.sgpr_count': 18,
    '.sgpr_spill_count': 3,
    '.symbol': `${kernel.name}.kd`,
    '.uses_dynamic_stack': false,
    '.vgpr_count': kernel.vgprs,
    '.vgpr_spill_count': 5,
    '.wavefront_size': kernel.wave,
    ...kernel.note,
  };
}

/** Steps of 8 VGPRs, which is right for wave32 and for CDNA; of 4 for wave64 of RDNA. */
function descriptorOf(kernel: KernelParts, step: number): Uint8Array {
  const granulated = Math.ceil(Math.max(1, kernel.descriptorVgprs ?? kernel.vgprs) / step) - 1;
  const rsrc1 = granulated + ((kernel.wgpMode ?? true) ? 2 ** 29 : 0);
  const properties = kernel.wave === 32 ? 1 << 10 : 0;
  const sizes = le(4, kernel.descriptorLds ?? kernel.lds, 4, kernel.scratch, 4, 8, 4, 0, 8, 0);
  return padded(join(sizes, new Uint8Array(20), le(4, 0, 4, rsrc1, 4, 0, 2, properties)), 64);
}

/** One code object; its descriptors lie at addresses other than their file offsets, as a linker leaves them. */
export function codeObject(parts: ObjectParts): Uint8Array {
  const isRdna = /gfx1/.test(parts.target ?? 'gfx1100');
  const described = parts.kernels.filter(({ hasDescriptor = true }) => hasDescriptor);
  const address = 0x2000;
  const symbols = symbolTable(
    described.map(({ name }, i) => ({ name: `${name}.kd`, type: 1, section: 2, value: address + 64 * i, size: 64 })),
  );
  const descriptors = described.map((kernel) => descriptorOf(kernel, isRdna && kernel.wave === 64 ? 4 : 8));
  return buildElf({
    machine: parts.machine ?? 224,
    type: parts.type ?? 3,
    osAbi: 0x40,
    abiVersion: parts.abiVersion ?? 3,
    sections: [
      { name: '.note', type: 7, content: note('AMDGPU', 32, parts.metadata ?? pack(metadataOf(parts))) },
      { name: '.rodata', type: 1, content: join(...descriptors), address },
      { name: '.symtab', type: parts.symbolType ?? 2, content: symbols.table, link: 4 },
      { name: '.strtab', type: 3, content: symbols.names },
      { name: '.comment', type: 1, content: ascii('Linker: LLD\0Some clang version 21.0.3 (abc)\0') },
    ],
  });
}

export interface EntryParts {
  readonly id: string;
  readonly bytes: Uint8Array;
}

export const HOST_ENTRY: EntryParts = { id: 'host-x86_64-unknown-linux-gnu-', bytes: new Uint8Array(0) };

/** A plain bundle, each entry at a multiple of `step`. */
export function bundle(entries: readonly EntryParts[], step = 64): Uint8Array {
  const headBytes = 32 + entries.reduce((sum, { id }) => sum + 24 + id.length, 0);
  const contents: Uint8Array[] = [];
  let at = Math.ceil(headBytes / step) * step;
  const heads = entries.map(({ id, bytes }) => {
    const content = padded(bytes, step);
    const head = join(le(8, at, 8, bytes.length, 8, id.length), ascii(id));
    contents.push(content);
    at += content.length;
    return head;
  });
  const head = join(ascii('__CLANG_OFFLOAD_BUNDLE__'), le(8, entries.length), ...heads);
  return join(padded(head, step), ...contents);
}

export interface CompressedParts {
  readonly version: 1 | 2 | 3 | number;
  readonly method: 'zlib' | 'zstd' | number;
  /** Where the header lies about the content. */
  readonly uncompressed?: number;
  readonly total?: number;
  /** The stream, where it is not the method's own of the content. */
  readonly packed?: Uint8Array;
}

/** A compressed bundle around any content. */
export function compressed(content: Uint8Array, parts: CompressedParts): Uint8Array {
  const packed = parts.packed ?? (parts.method === 'zlib' ? deflateSync(content) : Bun.zstdCompressSync(content));
  const method = parts.method === 'zlib' ? 0 : parts.method === 'zstd' ? 1 : parts.method;
  const uncompressed = parts.uncompressed ?? content.length;
  const hash = le(8, 0x1234);
  const start = join(ascii('CCOB'), le(2, parts.version, 2, method));
  if (parts.version === 1) return join(start, le(4, uncompressed), hash, packed);
  if (parts.version === 3) {
    return join(start, le(8, parts.total ?? 32 + packed.length, 8, uncompressed), hash, packed);
  }
  return join(start, le(4, parts.total ?? 24 + packed.length, 4, uncompressed), hash, packed);
}

/** A host object whose `section` holds the bundles, each at a multiple of 4,096. */
export function hostObject(bundles: readonly Uint8Array[], section = '.hip_fatbin'): Uint8Array {
  const content = join(...bundles.map((part) => padded(part, 4096)));
  return buildElf({ machine: 62, type: 1, sections: [{ name: section, type: 1, content }] });
}
