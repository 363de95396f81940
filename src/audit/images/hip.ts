/** HIP images: code objects, bare, in offload bundles, plain or compressed, and in host files. */
import type { HipMeasured, ImageReading } from '../measured.ts';
import type { Allowance } from './bytes.ts';
import { attempt, attemptReading, ImageFault, startsWith } from './bytes.ts';
import type { BundleEntry } from './bundle.ts';
import { isBundle, readBundle } from './bundle.ts';
import { isCompressedBundle, unpack, unpackAllowance } from './ccob.ts';
import type { Elf } from './elf.ts';
import { contentOf, isElf, MACHINE, sectionNamed } from './elf.ts';
import type { Gathered } from './gather.ts';
import { addPart, addProblem, gather, readingOf } from './gather.ts';
import { addCodeObject, chipOf, readCodeObject } from './hip-object.ts';

/** Whether the bytes start as a HIP image; a host file does not, though it may hold some. */
export function isHipImage(bytes: Uint8Array): boolean {
  if (isBundle(bytes) || isCompressedBundle(bytes)) return true;
  return isElf(bytes) && bytes[18] === MACHINE.amdgpu && bytes[19] === 0;
}

/**
 * Every kernel of a code object, a bundle, or several bundles back to back. Kernels of one symbol, chip and features
 * with different facts are all listed, and are the problem `ambiguous`.
 */
export function readHip(bytes: Uint8Array, where: string): ImageReading {
  return readingBy(where, (gathered) => {
    if (isBundle(bytes) || isCompressedBundle(bytes)) addBundles(gathered, bytes, where);
    else addCodeObject(gathered, readCodeObject(bytes), where);
  });
}

/** Whether a host file has a section of HIP images, linked or not. */
export function holdsHip(elf: Elf): boolean {
  return elf.sections.some(({ name }) => name === FATBIN || name.startsWith(RELOCATABLE_PREFIX));
}

/** Every kernel of the bundles in a host file, as `readHip`. */
export function readHipHost(elf: Elf, where: string): ImageReading {
  return readingBy(where, (gathered) => {
    const section = sectionNamed(elf, FATBIN);
    if (section !== undefined) return addBundles(gathered, contentOf(elf, section), `${where}: ${FATBIN}`);
    if (holdsHip(elf)) throw new ImageFault('relocatable-only', 'bitcode of -fgpu-rdc: registers come with the link');
    throw new ImageFault('no-executable-image', `no section ${FATBIN}`);
  });
}

// --- details ---

const FATBIN = '.hip_fatbin';
/** Sections of an object built with -fgpu-rdc: bitcode that is compiled when it is linked. */
const RELOCATABLE_PREFIX = '__CLANG_OFFLOAD_BUNDLE__hip';

function readingBy(where: string, add: (gathered: Gathered) => void): ImageReading {
  return attemptReading(where, () => {
    const gathered = gather();
    add(gathered);
    addAmbiguities(gathered, where);
    return readingOf(gathered, where);
  });
}

/** Bundles back to back; a section aligns each, so zeros lie between them. */
function addBundles(gathered: Gathered, bytes: Uint8Array, where: string): void {
  const allowance = unpackAllowance(bytes.length);
  for (let at = nextBundle(bytes, 0); at < bytes.length;) {
    const place = at === 0 ? where : `${where}+0x${at.toString(16)}`;
    const size = attempt(place, () => addBundle(gathered, bytes.subarray(at), place, allowance));
    // Past a bundle of unknown size, nothing says where the next one starts.
    if (typeof size !== 'number') return addProblem(gathered, size);
    at = nextBundle(bytes, at + size);
  }
}

/** The first byte that is not zero. */
function nextBundle(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] === 0) at++;
  return at;
}

/** Adds the bundle at the start of `bytes` and returns its size. */
function addBundle(gathered: Gathered, bytes: Uint8Array, where: string, allowance: Allowance): number {
  if (!isCompressedBundle(bytes)) return addEntries(gathered, bytes, where);
  const unpacked = unpack(bytes, allowance);
  addEntries(gathered, unpacked.bytes, where);
  return unpacked.size;
}

function addEntries(gathered: Gathered, bytes: Uint8Array, where: string): number {
  const bundle = readBundle(bytes);
  const images = bundle.entries.filter((entry) => entry.bytes.length > 0 && !entry.id.startsWith('host-'));
  if (images.length === 0) {
    addProblem(gathered, { class: 'no-executable-image', where, what: 'the bundle holds no image for a GPU' });
  }
  for (const entry of images) {
    const place = `${where}: ${entry.id}`;
    addPart(gathered, place, () => addEntry(gathered, entry, place));
  }
  return bundle.size;
}

/** The loader picks an entry by its id, so the id and the image must name one chip. */
function addEntry(gathered: Gathered, entry: BundleEntry, where: string): void {
  if (startsWith(entry.bytes, 'BC\xc0\xde')) {
    throw new ImageFault('relocatable-only', 'bitcode: registers come with the link');
  }
  if (!isElf(entry.bytes)) throw new ImageFault('no-executable-image', 'the entry is no code object');
  const object = readCodeObject(entry.bytes);
  const { chip } = chipOf(entry.id);
  if (chip !== object.chip) throw new ImageFault('malformed', `an image for ${object.chip} under an id of ${chip}`);
  addCodeObject(gathered, object, where);
}

function addAmbiguities(gathered: Gathered, where: string): void {
  const known = new Map<string, HipMeasured>();
  const reported = new Set<string>();
  for (const kernel of gathered.kernels) {
    if (kernel.dialect !== 'hip') continue;
    const key = [kernel.symbol, kernel.chip, ...kernel.features].join(' ');
    const first = known.get(key);
    if (first === undefined) known.set(key, kernel);
    else if (!reported.has(key) && !Bun.deepEquals(first, kernel)) {
      reported.add(key);
      const what = `${key.slice(0, 200)} is here more than once, with different registers, memory or bounds`;
      addProblem(gathered, { class: 'ambiguous', where, what });
    }
  }
}
