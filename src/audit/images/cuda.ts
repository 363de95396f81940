/** CUDA images in every wrapping: cubins, fatbins, and host objects, executables and libraries that hold fatbins. */
import type { CudaMeasured, ImageReading } from '../measured.ts';
import { attemptReading, ImageFault, readerOf, u16 } from './bytes.ts';
import type { Cubin } from './cubin.ts';
import { openCubin } from './cubin.ts';
import { addFatbin } from './cuda-fatbin.ts';
import type { Elf } from './elf.ts';
import { contentOf, isElf, MACHINE } from './elf.ts';
import { isFatbin } from './fatbin.ts';
import { gather, readingOf } from './gather.ts';

/** Whether the bytes start as a CUDA image; a host file does not, though it may hold some. */
export function isCudaImage(bytes: Uint8Array): boolean {
  if (isFatbin(bytes)) return true;
  return isElf(bytes) && bytes.length >= 20 && u16(readerOf(bytes), 18) === MACHINE.cuda;
}

/** Every kernel of a cubin or of a fatbin's executable images. */
export function readCuda(bytes: Uint8Array, where: string): ImageReading {
  return attemptReading(where, () => {
    const gathered = gather();
    if (isFatbin(bytes)) addFatbin(gathered, bytes, bytes.length, where);
    else for (const kernel of kernelsOf(openCubin(bytes))) gathered.kernels.push(kernel);
    return readingOf(gathered, where);
  });
}

/** Whether a host file has a section of CUDA images, linked or not. */
export function holdsCuda(elf: Elf): boolean {
  return elf.sections.some(({ name }) => name === FATBIN || name === RELOCATABLE_FATBIN);
}

/** Every kernel of the linked images in a host file. Images that still wait for the device link are never read. */
export function readCudaHost(elf: Elf, where: string): ImageReading {
  return attemptReading(where, () => {
    const gathered = gather();
    const sections = elf.sections.filter(({ name, size }) => name === FATBIN && size > 0);
    if (sections.length === 0) throw notLinked();
    for (const section of sections) {
      addFatbin(gathered, contentOf(elf, section), elf.reader.bytes.length, `${where}: ${FATBIN}`);
    }
    return readingOf(gathered, where);
  });
}

// --- details ---

const FATBIN = '.nv_fatbin';
/** Inputs of the device link of -rdc=true. */
const RELOCATABLE_FATBIN = '__nv_relfatbin';

/** A bare cubin's kernels; its own notes name the suffix. */
function kernelsOf(cubin: Cubin): readonly CudaMeasured[] {
  if (cubin.relocatable) {
    throw new ImageFault('relocatable-only', 'a relocatable cubin: registers are given at the device link');
  }
  const release = cubin.release === undefined ? {} : { release: cubin.release };
  return cubin.kernels.map(({ facts }) => ({ ...facts, chip: `sm_${cubin.sm}${cubin.suffix}`, ...release }));
}

function notLinked(): ImageFault {
  const what = `no linked image: ${RELOCATABLE_FATBIN} waits for the device link, which gives the registers`;
  return new ImageFault('relocatable-only', what);
}
