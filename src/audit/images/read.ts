/** One entrance for every image: the reader is chosen by the bytes, never by the file's name. */
import type { ImageReading } from '../measured.ts';
import { isArchive, membersOf } from './archive.ts';
import { attemptReading, ImageFault, readerOf, u16 } from './bytes.ts';
import { holdsCuda, isCudaImage, readCuda, readCudaHost } from './cuda.ts';
import { isElf, MACHINE, openElf } from './elf.ts';
import type { Gathered } from './gather.ts';
import { addProblem, gather, readingOf } from './gather.ts';
import { holdsHip, isHipImage, readHip, readHipHost } from './hip.ts';
import { isMetalImage, readMetal } from './metal.ts';
import { isXpuImage, readZebin } from './zebin.ts';

/**
 * Every kernel of the image in `bytes`: a CUDA cubin or fatbin, a HIP code object or bundle, a zebin or an archive of
 * them, or a host object, executable, library or static library that holds any of these. Never throws; bytes that give
 * no kernel give a problem that says why. `where` is the file's name, for the problems.
 */
export function readImage(bytes: Uint8Array, where: string): ImageReading {
  if (isCudaImage(bytes)) return readCuda(bytes, where);
  if (isHipImage(bytes)) return readHip(bytes, where);
  if (isArchive(bytes)) return readArchive(bytes, where);
  if (isHost(bytes)) return readHost(bytes, where);
  if (isMetalImage(bytes)) return readMetal(bytes, where);
  if (isXpuImage(bytes)) return readZebin(bytes, where);
  const what = 'no CUDA, HIP, XPU or Metal image, and no host file, begins like this';
  return { kernels: [], problems: [{ class: 'not-an-image', where, what }] };
}

// --- details ---

const HOSTS: readonly number[] = [MACHINE.x86_64, MACHINE.arm64];

function isHost(bytes: Uint8Array): boolean {
  return isElf(bytes) && bytes.length >= 20 && HOSTS.includes(u16(readerOf(bytes), 18));
}

/** A host file may hold images of both vendors. */
function readHost(bytes: Uint8Array, where: string): ImageReading {
  return attemptReading(where, () => {
    const elf = openElf(bytes);
    const readings = [];
    if (holdsCuda(elf)) readings.push(readCudaHost(elf, where));
    if (holdsHip(elf)) readings.push(readHipHost(elf, where));
    if (readings.length === 0) throw new ImageFault('not-an-image', 'a host file without device code');
    return joined(readings);
  });
}

/** A static library's host objects; any other archive is one of zebins. */
function readArchive(bytes: Uint8Array, where: string): ImageReading {
  return attemptReading(where, () => {
    const gathered = gather();
    let objects = 0;
    for (const member of membersOf(bytes)) {
      if (!isHost(member.bytes)) continue;
      objects++;
      addReading(gathered, readHost(member.bytes, `${where}: ${member.name}`));
    }
    if (objects === 0) return readZebin(bytes, where);
    if (gathered.kernels.length + gathered.problems.length > 0) return readingOf(gathered, where);
    throw new ImageFault('not-an-image', 'a static library without device code');
  });
}

/** Most objects of a library hold no device code, and that is no problem. */
function addReading(gathered: Gathered, reading: ImageReading): void {
  for (const kernel of reading.kernels) gathered.kernels.push(kernel);
  for (const problem of reading.problems) if (problem.class !== 'not-an-image') addProblem(gathered, problem);
}

function joined(readings: readonly ImageReading[]): ImageReading {
  return {
    kernels: readings.flatMap((reading) => reading.kernels),
    problems: readings.flatMap((reading) => reading.problems),
  };
}
