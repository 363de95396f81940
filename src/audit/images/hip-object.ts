/** One AMDGPU code object, version 4 to 6: an ELF with a metadata note and a descriptor a kernel. */
import type { HipMeasured } from '../measured.ts';
import { ImageFault, readerOf, text } from './bytes.ts';
import type { Elf, Section } from './elf.ts';
import { MACHINE, notesOf, openElf, SECTION, sectionNamed, sliceOf, symbolName, symbolsOf } from './elf.ts';
import type { Gathered } from './gather.ts';
import { addProblem } from './gather.ts';
import type { Descriptor } from './hip-descriptor.ts';
import { allocatedVgprs, DESCRIPTOR_BYTES, disagreement, isRdna, readDescriptor } from './hip-descriptor.ts';
import type { KernelMetadata } from './hip-metadata.ts';
import { readMetadata } from './hip-metadata.ts';

export interface CodeObject {
  /** 2, 3, 4 for code object v4, v5, v6. */
  readonly abiVersion: number;
  readonly target: string;
  /** `gfx1100`. */
  readonly chip: string;
  /** `sramecc+`, `xnack-`. */
  readonly features: readonly string[];
  /** Of the clang that compiled it: `19.1.7`. */
  readonly release: string | undefined;
  readonly kernels: readonly CodeObjectKernel[];
}

export interface CodeObjectKernel extends KernelMetadata {
  /** Undefined where the object has no descriptor by the kernel's symbol. */
  readonly descriptor: Descriptor | undefined;
}

/** Throws ImageFault. */
export function readCodeObject(bytes: Uint8Array): CodeObject {
  const elf = openElf(bytes);
  checkHeader(elf);
  const metadata = readMetadata(metadataNote(elf));
  const [major, minor] = metadata.version;
  if (major !== 1 || minor > 2) {
    throw new ImageFault('newer-than-known', `metadata version ${major}.${minor}; known are 1.0 to 1.2`);
  }
  const descriptors = descriptorsOf(elf);
  return {
    abiVersion: elf.abiVersion,
    ...chipOf(metadata.target),
    release: releaseOf(elf),
    kernels: metadata.kernels.map((kernel) => ({ ...kernel, descriptor: descriptors.get(kernel.symbol) })),
  };
}

/** The chip and feature flags of a target: `amdgcn-amd-amdhsa--gfx942:xnack-` or what follows its dashes. */
export function chipOf(target: string): Pick<CodeObject, 'target' | 'chip' | 'features'> {
  // Bounded before the search: it takes time quadratic in the length.
  const named = target.length <= TARGET_LENGTH ? target : '';
  const [, chip, flags = ''] = /(?:^|-)(gfx[0-9a-z-]+)((?::[a-z]+[+-])*)$/.exec(named) ?? [];
  if (chip === undefined) throw new ImageFault('malformed', `the target '${target.slice(0, 80)}' names no gfx chip`);
  return { target, chip, features: flags.split(':').filter((flag) => flag !== '') };
}

/** Adds the kernels of a code object at `where`; one whose note its descriptor contradicts is a problem instead. */
export function addCodeObject(gathered: Gathered, object: CodeObject, where: string): void {
  for (const kernel of object.kernels) {
    const { descriptor } = kernel;
    const fault =
      descriptor === undefined
        ? `no kernel descriptor ${kernel.symbol.slice(0, NAME_LENGTH)}`
        : disagreement(object.chip, kernel, descriptor);
    if (fault !== undefined || descriptor === undefined) {
      addProblem(gathered, { class: 'malformed', where, what: `${kernel.name.slice(0, NAME_LENGTH)}: ${fault}` });
    } else gathered.kernels.push(measuredOf(object, kernel, descriptor));
  }
}

// --- details ---

const METADATA_NOTE = 32;
const OSABI_HSA = 0x40;
/** ABI versions of the header: code object v4, v5, v6. */
const ABI_OLDEST = 2;
const ABI_NEWEST = 4;
const TARGET_LENGTH = 200;
/** Of a name in a problem. */
const NAME_LENGTH = 200;
const COMMENT_BYTES = 4096;
const DYNAMIC_SYMBOLS = 11;
const SYMBOL_OBJECT = 1;
const RELOCATABLE = 1;

function checkHeader(elf: Elf): void {
  if (elf.machine !== MACHINE.amdgpu) throw new ImageFault('not-an-image', `ELF machine ${elf.machine} is not AMDGPU`);
  if (elf.type === RELOCATABLE) throw new ImageFault('relocatable-only', 'a relocatable object: registers may grow');
  if (elf.osAbi !== OSABI_HSA) throw new ImageFault('malformed', `OS ABI ${elf.osAbi} is not HSA's`);
  const version = elf.abiVersion + 2;
  if (elf.abiVersion > ABI_NEWEST)
    throw new ImageFault('newer-than-known', `code object v${version}; v4 to v6 are known`);
  if (elf.abiVersion < ABI_OLDEST) throw new ImageFault('malformed', `code object v${version}; v4 to v6 can be read`);
}

function metadataNote(elf: Elf): Uint8Array {
  for (const section of elf.sections) {
    if (section.type !== SECTION.note) continue;
    for (const note of notesOf(elf, section)) {
      if (note.name === 'AMDGPU' && note.type === METADATA_NOTE) return note.content;
    }
  }
  throw new ImageFault('no-kernels', 'no AMDGPU metadata note');
}

/** Descriptors by symbol. A stripped object has them in its dynamic symbols. */
function descriptorsOf(elf: Elf): ReadonlyMap<string, Descriptor> {
  const ofType = (type: number): Section | undefined => elf.sections.find((section) => section.type === type);
  const table = ofType(SECTION.symbols) ?? ofType(DYNAMIC_SYMBOLS);
  const descriptors = new Map<string, Descriptor>();
  if (table === undefined) return descriptors;
  for (const symbol of symbolsOf(elf, table)) {
    if (symbol.type !== SYMBOL_OBJECT || symbol.size !== DESCRIPTOR_BYTES) continue;
    const section = elf.sections[symbol.section];
    const name = symbolName(elf, table, symbol);
    if (section === undefined || !name.endsWith('.kd')) continue;
    const bytes = sliceOf(elf, section, symbol.value - section.address, DESCRIPTOR_BYTES);
    descriptors.set(name, readDescriptor(bytes));
  }
  return descriptors;
}

/** From `.comment`: `Debian clang version 19.1.7 (3)`. */
function releaseOf(elf: Elf): string | undefined {
  const section = sectionNamed(elf, '.comment');
  if (section === undefined) return undefined;
  const content = sliceOf(elf, section, 0, Math.min(section.size, COMMENT_BYTES));
  return /clang version (\d+(?:\.\d+)*)/.exec(text(readerOf(content), 0, content.length))?.[1];
}

function measuredOf(object: CodeObject, kernel: KernelMetadata, descriptor: Descriptor): HipMeasured {
  // Version 4 leaves the mode out of the note; from version 5 on, no mode in the note means a chip without it.
  const inDescriptor = object.abiVersion === ABI_OLDEST && isRdna(object.chip);
  const wgpMode = kernel.wgpMode ?? (inDescriptor ? descriptor.wgpMode : undefined);
  return {
    dialect: 'hip',
    symbol: kernel.name,
    chip: object.chip,
    features: object.features,
    ...(object.release !== undefined && { release: object.release }),
    vgprs: allocatedVgprs(object.chip, kernel, descriptor),
    agprs: kernel.agprs ?? 0,
    sgprs: kernel.sgprs,
    staticLds: kernel.staticLds,
    scratch: kernel.scratch,
    maxFlatWorkgroup: kernel.maxFlatWorkgroup,
    wave: kernel.wave,
    ...(wgpMode !== undefined && { wgpMode }),
    vgprSpills: kernel.vgprSpills,
    sgprSpills: kernel.sgprSpills,
    dynamicStack: kernel.dynamicStack ?? false,
    ...(kernel.requiredWorkgroup !== undefined && { requiredWorkgroup: kernel.requiredWorkgroup }),
  };
}
