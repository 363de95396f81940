/** One kernel of a cubin: its own attribute stream, shared section and code. */
import type { CudaMeasured } from '../measured.ts';
import type { Reader } from './bytes.ts';
import { ImageFault, readerOf } from './bytes.ts';
import type { Attribute } from './cuda-attributes.ts';
import { ATTRIBUTE, attributesOf, byteOf, dimsOf, wordOf } from './cuda-attributes.ts';
import type { CodeRange } from './cuda-spills.ts';
import { NO_SPILLS, spillsOf } from './cuda-spills.ts';
import type { Elf, Section } from './elf.ts';
import { contentOf } from './elf.ts';

/** What an image says of a kernel, but for what the whole image says: chip and release. */
export interface CubinKernel {
  readonly facts: Omit<CudaMeasured, 'chip' | 'release'>;
  /** Bytes of the shared section with what the compiler reserves. */
  readonly rawShared: number;
  /** The kernel's own stack frame in bytes. */
  readonly frame: number;
  /** 10 · major + minor of the compile's CUDA API. */
  readonly api?: number;
}

/** Of `.nv.info`, for a symbol: registers a thread, local bytes over the call tree and of the function alone. */
export interface FunctionFacts {
  registers?: number;
  stack?: number;
  frame?: number;
}

/** Sections of a kernel, found by the index of its code's section. */
export interface KernelSections {
  readonly code: Section;
  info?: Section;
  shared?: Section;
}

export interface CubinImage {
  readonly elf: Elf;
  readonly sm: number;
  readonly relocatable: boolean;
}

/** Sections by the index of the code they belong to, which sh_info names. */
export function kernelSectionsOf(elf: Elf): Map<number, KernelSections> {
  const found = new Map<number, KernelSections>();
  for (const section of elf.sections) {
    const field = fieldOf(section.name);
    const code = elf.sections[section.info];
    if (field === undefined || section.info === 0 || code === undefined) continue;
    const sections = found.get(section.info) ?? { code };
    sections[field] = section;
    found.set(section.info, sections);
  }
  return found;
}

/** The kernel `symbol`; `callees`: device functions within its code, in order. Throws ImageFault where the image does not say what every image says of a kernel. */
export function kernelAt(
  image: CubinImage,
  symbol: string,
  ofFunction: FunctionFacts | undefined,
  sections: KernelSections | undefined,
  callees: readonly CodeRange[],
): CubinKernel {
  if (sections?.info === undefined) throw new ImageFault('malformed', `kernel ${symbol} has no .nv.info of its own`);
  if (ofFunction?.registers === undefined) throw new ImageFault('malformed', `kernel ${symbol} has no register count`);
  const stream = readerOf(contentOf(image.elf, sections.info));
  const { barriers, annotations, api, ...declared } = readDeclared(stream);
  const rawShared = sections.shared?.size ?? 0;
  const frame = ofFunction.frame ?? 0;
  const code = (): Reader => readerOf(contentOf(image.elf, sections.code));
  const spills = annotations === undefined ? NO_SPILLS : spillsOf(code(), stream, annotations, callees);
  return {
    facts: {
      dialect: 'cuda',
      symbol,
      registers: ofFunction.registers,
      staticShared: staticSharedOf(image, symbol, sections.shared),
      // Before the link the call tree is not known: at least the kernel's own frame is there.
      stack: ofFunction.stack ?? frame,
      ...declared,
      barriers: barriers ?? barriersOfFlags(sections.code),
      spillStores: spills.stores,
      spillLoads: spills.loads,
    },
    rawShared,
    frame,
    ...(api === undefined ? {} : { api }),
  };
}

// --- details ---

/** Bytes of shared memory that executable images of these SMs reserve in every shared section. */
const RESERVED = { bytes: 1024, fromSm: 90 };
const NO_CAP = 255;

function fieldOf(section: string): 'info' | 'shared' | undefined {
  if (section.startsWith('.nv.info.')) return 'info';
  return section.startsWith('.nv.shared.') ? 'shared' : undefined;
}

function staticSharedOf(image: CubinImage, symbol: string, shared: Section | undefined): number {
  if (shared === undefined) return 0;
  if (image.relocatable || image.sm < RESERVED.fromSm) return shared.size;
  if (shared.size >= RESERVED.bytes) return shared.size - RESERVED.bytes;
  const what = `kernel ${symbol} has ${shared.size} shared bytes, fewer than sm_${image.sm} reserves`;
  throw new ImageFault('malformed', what);
}

/** Where no attribute counts the barriers, CUDA 11 images hold them in bits 20 to 26 of the code's section flags. */
function barriersOfFlags(code: Section): number {
  return (code.flags >> 20) & 0x7f;
}

/** What a kernel's own stream declares, in the measurement's words. */
interface Declared {
  maxThreads?: CudaMeasured['maxThreads'] & {};
  requiredThreads?: CudaMeasured['requiredThreads'] & {};
  registerCap: number;
  cluster?: CudaMeasured['cluster'] & {};
  explicitCluster: boolean;
  maxClusterRank?: number;
  barriers?: number;
  annotations?: Attribute;
  api?: number;
}

function readDeclared(stream: Reader): Declared {
  const declared: Declared = { registerCap: NO_CAP, explicitCluster: false };
  for (const attribute of attributesOf(stream)) declare(declared, stream, attribute);
  return declared;
}

function declare(declared: Declared, stream: Reader, attribute: Attribute): void {
  switch (attribute.id) {
    case ATTRIBUTE.maxThreads:
      declared.maxThreads = dimsOf(stream, attribute);
      break;
    case ATTRIBUTE.requiredThreads:
      declared.requiredThreads = dimsOf(stream, attribute);
      break;
    case ATTRIBUTE.registerCap:
      declared.registerCap = attribute.value;
      break;
    case ATTRIBUTE.barriers:
      declared.barriers = byteOf(attribute);
      break;
    case ATTRIBUTE.clusterDims:
      declared.cluster = dimsOf(stream, attribute);
      break;
    case ATTRIBUTE.explicitCluster:
      declared.explicitCluster = true;
      break;
    case ATTRIBUTE.maxClusterRank:
      declared.maxClusterRank = wordOf(stream, attribute, 0);
      break;
    case ATTRIBUTE.annotations:
      declared.annotations = attribute;
      break;
    case ATTRIBUTE.apiVersion:
      declared.api = wordOf(stream, attribute, 0);
      break;
  }
}
