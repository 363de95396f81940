/** Intel XPU images: zebin, alone or several chips' in an archive. */
import type { ImageReading, XpuMeasured } from '../measured.ts';
import { isArchive, membersOf } from './archive.ts';
import { attemptReading, ImageFault, readerOf, startsWith, text, u16 } from './bytes.ts';
import type { Elf } from './elf.ts';
import { contentOf, isElf, MACHINE, notesOf, openElf, sectionNamed } from './elf.ts';
import type { Gathered } from './gather.ts';
import { addPart, addProblem, gather, readingOf } from './gather.ts';
import { chipOfConfiguration, chipOfMember, chipOfProduct } from './zebin-chip.ts';
import type { ZeKernel } from './zebin-info.ts';
import { openZeInfo, readZeKernel } from './zebin-info.ts';

export interface Zebin {
  /** By its own note; undefined where it has none. */
  readonly chip: string | undefined;
  /** Of `.ze_info`: `1.20`. */
  readonly version: string;
  /** One item a kernel, for `readZeKernel`. */
  readonly items: Iterable<string>;
  /** Names of the kernels that have code. */
  readonly code: ReadonlySet<string>;
}

/** Whether the bytes start as an XPU image: an archive, a zebin, or the older formats that are refused by name. */
export function isXpuImage(bytes: Uint8Array): boolean {
  if (isArchive(bytes) || startsWith(bytes, PATCH_TOKEN_MAGIC)) return true;
  if (!isElf(bytes) || bytes.length < 20) return false;
  const reader = readerOf(bytes);
  return u16(reader, 18) === MACHINE.intel || u16(reader, 16) >= FIRST_OPENCL_TYPE;
}

/** Every kernel of a zebin, or of each member of an archive. */
export function readZebin(bytes: Uint8Array, where: string): ImageReading {
  return attemptReading(where, () => {
    const gathered = gather();
    if (isArchive(bytes)) addMembers(gathered, bytes, where);
    else addZebin(gathered, openZebin(bytes), undefined, where);
    return readingOf(gathered, where);
  });
}

/** One zebin, its kernels not yet read. Throws ImageFault. */
export function openZebin(bytes: Uint8Array): Zebin {
  if (startsWith(bytes, PATCH_TOKEN_MAGIC)) throw legacy();
  const elf = openElf(bytes);
  checkHeader(elf);
  const section = sectionNamed(elf, '.ze_info');
  if (section === undefined) throw new ImageFault('no-kernels', 'no section .ze_info');
  const content = contentOf(elf, section);
  const info = openZeInfo(text(readerOf(content), 0, content.length));
  return { chip: chipOf(elf), version: info.version, items: info.items, code: codeOf(elf) };
}

/** Bytes of scratch and private memory, all buffers together: a hardware thread's, or a work-item's where they say. */
export function scratchOf(kernel: ZeKernel): number {
  return kernel.buffers.reduce((sum, buffer) => sum + buffer.size, 0);
}

// --- details ---

/** The first bytes of a program in patch tokens. */
const PATCH_TOKEN_MAGIC = 'CTNI';
/** ELF types from here on are Intel's: 0xFF01 to 0xFF05 OpenCL's of old, 0xFF11 to 0xFF13 zebin's. */
const FIRST_OPENCL_TYPE = 0xff00;
const ZEBIN_TYPES: readonly number[] = [1, 0xff11, 0xff12, 0xff13];
const LAST_LEGACY_TYPE = 0xff05;
const NOTE = { product: 1, configuration: 6 } as const;
/** An entry that holds the functions kernels call, not a kernel. */
const FUNCTIONS = 'Intel_Symbol_Table_Void_Program';

function legacy(): ImageFault {
  return new ImageFault('legacy-patch-tokens', 'patch tokens, the format before zebin: compile with --format zebin');
}

function checkHeader({ type, machine }: Elf): void {
  if (ZEBIN_TYPES.includes(type) && (machine === MACHINE.intel || type >= FIRST_OPENCL_TYPE)) return;
  if (type >= FIRST_OPENCL_TYPE && type <= LAST_LEGACY_TYPE) throw legacy();
  if (machine !== MACHINE.intel) throw new ImageFault('not-an-image', `ELF machine ${machine} is not Intel's GPU`);
  throw new ImageFault('newer-than-known', `a zebin of ELF type 0x${type.toString(16)}`);
}

/** The configuration names the chip more exactly than the product family, and replaces it in newer images. */
function chipOf(elf: Elf): string | undefined {
  const section = sectionNamed(elf, '.note.intelgt.compat');
  if (section === undefined) return undefined;
  let product: string | undefined;
  for (const { name, type, content } of notesOf(elf, section)) {
    if (name !== 'IntelGT') continue;
    if (type === NOTE.configuration) return chipOfConfiguration(content);
    if (type === NOTE.product) product = chipOfProduct(content);
  }
  return product;
}

function codeOf(elf: Elf): ReadonlySet<string> {
  const prefix = '.text.';
  const names = elf.sections.flatMap(({ name }) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));
  return new Set(names);
}

/** A member's name tells its chip; members of other names are padding and portable code. */
function addMembers(gathered: Gathered, bytes: Uint8Array, where: string): void {
  let images = 0;
  addPart(gathered, where, () => {
    for (const member of membersOf(bytes)) {
      const chip = chipOfMember(member.name);
      if (chip === undefined) continue;
      images++;
      const place = `${where}: ${member.name}`;
      addPart(gathered, place, () => addZebin(gathered, openZebin(member.bytes), chip, place));
    }
  });
  if (images > 0) return;
  addProblem(gathered, { class: 'no-executable-image', where, what: 'the archive holds no image for a chip' });
}

function addZebin(gathered: Gathered, zebin: Zebin, member: string | undefined, where: string): void {
  const chip = member ?? zebin.chip;
  if (chip === undefined) throw new ImageFault('malformed', 'no note says which chip the image is for');
  let count = 0;
  for (const item of zebin.items) {
    count++;
    addPart(gathered, `${where}: kernel ${count}`, () => {
      const kernel = readZeKernel(item);
      if (kernel.name === FUNCTIONS) return;
      if (!zebin.code.has(kernel.name)) {
        throw new ImageFault('malformed', `no code of the kernel ${kernel.name.slice(0, 200)}`);
      }
      gathered.kernels.push(measuredOf(kernel, chip));
    });
  }
  if (count === 0) throw new ImageFault('no-kernels', '.ze_info lists no kernels');
}

function measuredOf(kernel: ZeKernel, chip: string): XpuMeasured {
  const spillBuffer = kernel.buffers.find(({ usage }) => usage === 'spill_fill_space');
  return {
    dialect: 'xpu',
    symbol: kernel.name,
    chip,
    simd: kernel.simd,
    grf: kernel.grf,
    slm: kernel.slm,
    barriers: kernel.barriers,
    ...(kernel.requiredWorkgroup !== undefined && { requiredWorkgroup: kernel.requiredWorkgroup }),
    ...(kernel.requiredSubgroup !== undefined && { requiredSubgroup: kernel.requiredSubgroup }),
    scratch: scratchOf(kernel),
    spills: kernel.spills ?? spillBuffer?.size ?? 0,
  };
}
