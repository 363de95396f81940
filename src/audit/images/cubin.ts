/** CUDA cubins of both ABI generations: what their headers, symbols and attributes say of each kernel. */
import { ImageFault, readerOf } from './bytes.ts';
import { ATTRIBUTE, attributesOf, byteOf, wordOf } from './cuda-attributes.ts';
import { releaseOfNumber, toolNoteOf } from './cuda-release.ts';
import type { CubinKernel, FunctionFacts } from './cubin-kernel.ts';
import { kernelAt, kernelSectionsOf } from './cubin-kernel.ts';
import type { CodeRange } from './cuda-spills.ts';
import type { Elf, ElfSymbol } from './elf.ts';
import { contentOf, MACHINE, openElf, sectionNamed, symbolName, symbolsOf } from './elf.ts';

export interface Cubin {
  readonly sm: number;
  /** The suffix letter as far as the image itself names it: a fatbin's entry knows better. */
  readonly suffix: '' | 'a' | 'f';
  /** Of functions before linking: their numbers are not those a launch meets. */
  readonly relocatable: boolean;
  /** `13.0`: of ptxas's note, else of the kernels' API version, else of an old header. */
  readonly release?: string;
  /** Whether `release` stands in the image's own note. */
  readonly noted: boolean;
  readonly kernels: readonly CubinKernel[];
}

/** Reads a whole cubin. Throws ImageFault: one kernel that cannot be read makes the image unread. */
export function openCubin(bytes: Uint8Array): Cubin {
  const elf = openElf(bytes);
  if (elf.machine !== MACHINE.cuda) throw new ImageFault('not-an-image', `ELF machine ${elf.machine} is not CUDA`);
  const { sm, release } = generationOf(elf);
  const relocatable = elf.type === RELOCATABLE;
  const kernels = [...kernelsOf(elf, sm, relocatable)];
  const note = toolNoteOf(elf);
  const api = kernels.find((kernel) => kernel.api !== undefined)?.api;
  const named = note?.release ?? (api === undefined ? release : releaseOfNumber(api));
  return {
    sm,
    suffix: note?.suffix || compatSuffixOf(elf),
    relocatable,
    ...(named === undefined ? {} : { release: named }),
    noted: note?.release !== undefined,
    kernels,
  };
}

// --- details ---

const RELOCATABLE = 1;
const FUNCTION = 2;
/** Bit of st_other that tells a kernel from a device function. */
const ENTRY = 0x10;
/** OSABI and ABI version of the two generations: up to CUDA 12.x, and from 12.8 or 13.0 on. */
const OLD = { osAbi: 0x33, abiVersion: 7 };
const NEW = { osAbi: 0x41, abiVersion: 8 };

/** The SM by the header's generation; an old header names the toolkit's release as well. */
function generationOf(elf: Elf): { readonly sm: number; readonly release?: string } {
  const { osAbi, abiVersion, flags, version } = elf;
  if (osAbi === NEW.osAbi && abiVersion === NEW.abiVersion) return { sm: (flags >> 8) & 0xff };
  if (osAbi === OLD.osAbi && abiVersion === OLD.abiVersion) {
    return version < 10 ? { sm: flags & 0xff } : { sm: flags & 0xff, release: releaseOfNumber(version) };
  }
  const what = `cubin OSABI 0x${osAbi.toString(16)}, ABI version ${abiVersion}`;
  if (abiVersion < OLD.abiVersion) throw new ImageFault('malformed', `${what}: older than any that is read`);
  throw new ImageFault('newer-than-known', what);
}

function* kernelsOf(elf: Elf, sm: number, relocatable: boolean): Generator<CubinKernel> {
  const table = sectionNamed(elf, '.symtab');
  if (table === undefined) throw new ImageFault('malformed', 'a cubin without .symtab');
  const functions = functionFactsOf(elf);
  const sections = kernelSectionsOf(elf);
  const symbols = [...symbolsOf(elf, table)].filter(({ type }) => type === FUNCTION);
  const callees = calleesOf(symbols);
  for (const symbol of symbols) {
    if ((symbol.other & ENTRY) === 0) continue;
    const own = sections.get(symbol.section);
    // Each kernel has a section of its own; a second one of the same section would cost the image nothing.
    sections.delete(symbol.section);
    const image = { elf, sm, relocatable };
    const inner = callees.get(symbol.section) ?? [];
    yield kernelAt(image, symbolName(elf, table, symbol), functions.get(symbol.index), own, inner);
  }
}

/** Device functions that stand in a kernel's section, by the section, in order: slow paths of divisions and the like. */
function calleesOf(symbols: readonly ElfSymbol[]): ReadonlyMap<number, readonly CodeRange[]> {
  const callees = new Map<number, CodeRange[]>();
  for (const { other, section, value, size } of symbols) {
    if ((other & ENTRY) !== 0) continue;
    const known = callees.get(section) ?? [];
    known.push({ from: value, to: value + size });
    callees.set(section, known);
  }
  for (const ranges of callees.values()) ranges.sort((a, b) => a.from - b.from);
  return callees;
}

/** Registers and stack by symbol index, of `.nv.info`. */
function functionFactsOf(elf: Elf): ReadonlyMap<number, FunctionFacts> {
  const facts = new Map<number, FunctionFacts>();
  const section = sectionNamed(elf, '.nv.info');
  if (section === undefined) return facts;
  const stream = readerOf(contentOf(elf, section));
  for (const attribute of attributesOf(stream)) {
    const field = FUNCTION_FIELDS[attribute.id];
    if (field === undefined) continue;
    const symbol = wordOf(stream, attribute, 0);
    const entry = facts.get(symbol) ?? {};
    entry[field] = wordOf(stream, attribute, 1);
    facts.set(symbol, entry);
  }
  return facts;
}

const FUNCTION_FIELDS: Readonly<Record<number, keyof FunctionFacts>> = {
  [ATTRIBUTE.registerCount]: 'registers',
  [ATTRIBUTE.minStackSize]: 'stack',
  [ATTRIBUTE.frameSize]: 'frame',
};

/** `.nv.compat` tells an arch-specific image, not a family's. */
function compatSuffixOf(elf: Elf): '' | 'a' {
  const section = sectionNamed(elf, '.nv.compat');
  if (section === undefined) return '';
  for (const attribute of attributesOf(readerOf(contentOf(elf, section)))) {
    if (attribute.id === ATTRIBUTE.compatArch) return byteOf(attribute) === 1 ? 'a' : '';
  }
  return '';
}
