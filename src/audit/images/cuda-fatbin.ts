/** The kernels of a fatbin's executable images, and why the rest gives none. */
import type { CudaMeasured, ImageProblem } from '../measured.ts';
import { ImageFault } from './bytes.ts';
import { openCubin } from './cubin.ts';
import type { FatbinEntry } from './fatbin.ts';
import { fatbinEntries, unpackEntry } from './fatbin.ts';
import type { Gathered } from './gather.ts';
import { addPart, addProblem } from './gather.ts';
import { largestPart } from './unpack.ts';

/**
 * Adds every kernel of the containers in `bytes`, which lie in a file of `fileBytes`. A part that cannot be read is a
 * problem at its own place; so is a chip with relocatable images alone, a fatbin without executable images, and a
 * symbol that one chip has twice with different facts.
 */
export function addFatbin(gathered: Gathered, bytes: Uint8Array, fileBytes: number, where: string): void {
  const found: Found = { executable: new Set(), relocatable: new Set(), unread: new Set(), first: new Map() };
  const problemsBefore = gathered.problems.length;
  const largest = largestPart(fileBytes);
  addPart(gathered, where, () => {
    for (const entry of fatbinEntries(bytes)) {
      if (entry.kind !== 'cubin') found.unread.add(`${KIND_NAMES[entry.kind] ?? `kind ${entry.kind}`} ${entry.chip}`);
      else addPart(gathered, placeOf(where, entry), () => addImage(gathered, found, where, entry, largest));
    }
  });
  for (const chip of found.relocatable) {
    if (!found.executable.has(chip)) addProblem(gathered, relocatableOnly(where, chip));
  }
  if (found.executable.size === 0 && gathered.problems.length === problemsBefore) {
    addProblem(gathered, noExecutable(where, found));
  }
}

// --- details ---

/** What the entries of one fatbin are, by chip. */
interface Found {
  readonly executable: Set<string>;
  readonly relocatable: Set<string>;
  /** Entries that are no cubins: `PTX sm_80`. */
  readonly unread: Set<string>;
  /** By symbol and chip: the first kernel, and whether another with other facts was met. */
  readonly first: Map<string, { readonly kernel: CudaMeasured; readonly image: number; differs: boolean }>;
}

const KIND_NAMES: Readonly<Record<string, string>> = { ptx: 'PTX', lto: 'LTO-IR' };

function placeOf(where: string, entry: FatbinEntry): string {
  return `${where}: container ${entry.container}, image ${entry.index}`;
}

function addImage(gathered: Gathered, found: Found, where: string, entry: FatbinEntry, largest: number): void {
  const cubin = openCubin(unpackEntry(entry, largest));
  if (cubin.sm !== entry.sm) {
    throw new ImageFault('malformed', `a cubin of sm_${cubin.sm} in an entry of ${entry.chip}`);
  }
  (cubin.relocatable ? found.relocatable : found.executable).add(entry.chip);
  if (cubin.relocatable) return;
  const release = cubin.release === undefined ? {} : { release: cubin.release };
  for (const { facts } of cubin.kernels) {
    const kernel = { ...facts, chip: entry.chip, ...release };
    gathered.kernels.push(kernel);
    noteDuplicate(gathered, found, where, entry, kernel);
  }
}

/** Translation units may each have a kernel of one name: which of them a launch means, the name does not say. */
function noteDuplicate(
  gathered: Gathered,
  found: Found,
  where: string,
  entry: FatbinEntry,
  kernel: CudaMeasured,
): void {
  const key = `${kernel.chip} ${kernel.symbol}`;
  const first = found.first.get(key);
  if (first === undefined) found.first.set(key, { kernel, image: entry.index, differs: false });
  else if (!first.differs && !Bun.deepEquals(first.kernel, kernel)) {
    first.differs = true;
    const name = kernel.symbol.slice(0, SHOWN_NAME);
    const what = `${name} is in images ${first.image} and ${entry.index} of ${kernel.chip} with different facts`;
    addProblem(gathered, { class: 'ambiguous', where, what });
  }
}

const SHOWN_NAME = 200;

function relocatableOnly(where: string, chip: string): ImageProblem {
  const what = `${chip} has relocatable images only: registers are given at the device link`;
  return { class: 'relocatable-only', where, what };
}

function noExecutable(where: string, { unread }: Found): ImageProblem {
  const held = [...unread].slice(0, SHOWN_ENTRIES).join(', ');
  const known = [...unread].some((name) => !name.startsWith('kind'));
  if (unread.size > 0 && !known) return { class: 'newer-than-known', where, what: `only entries of ${held}` };
  const what = held === '' ? 'an empty fatbin' : `no linked image, only ${held}`;
  return { class: 'no-executable-image', where, what };
}

const SHOWN_ENTRIES = 16;
