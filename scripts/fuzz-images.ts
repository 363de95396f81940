/**
 * Damaged images against the readers: bun scripts/fuzz-images.ts [reader|all] [count] [seed].
 *
 * Each input is an image cut short, with bits flipped, with hostile numbers or with parts moved. The reader must
 * answer: a kernel or a problem, within the time limit, in an answer no larger than 4 times the input, and without
 * memory left behind. The first input that breaks this is written to the temporary folder. Exit 1 where one does.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readImage } from '../src/audit/images/read.ts';
import type { ImageReading } from '../src/audit/measured.ts';
import { assembledImages } from '../tests/audit/images/assembled.ts';
import { mutants } from '../tests/audit/images/mutate.ts';

const SAMPLES = join(import.meta.dir, '../../shared/samples');
const [only = 'all', count = '100000', seed = '1'] = process.argv.slice(2);

const LIMIT_MS = 1000;
/** An answer repeats names and its place; a small image's answer is allowed that much. */
const ANSWER = { times: 4, floor: 16384 };
/** Room for the engine's own garbage between collections. */
const RSS_MIB = 256;
/** Inputs between ticks: node:zlib frees what a broken stream held in the next one. */
const TICK = 100;
/** Larger seeds are read no differently, only slower. */
const LARGEST_SEED = 2 ** 18;

interface Seed {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Which samples a reader is given, by the file's path. */
const READERS: Readonly<Record<string, RegExp>> = {
  cubin: /cuda\/.*\.cubin$/,
  fatbin: /cuda\/.*\.fatbin$/,
  'cuda-host': /cuda\/host_/,
  'code-object': /hip\/.*\.co$/,
  bundle: /hip\/.*\.hipfb$/,
  'hip-host': /hip\/host_/,
  zebin: /xpu\/.*\.(zebin|elf)$/,
  archive: /xpu\/.*\.ar$/,
  metal: /metal\//,
};

function samples(): readonly Seed[] {
  if (!existsSync(SAMPLES)) return [];
  const names = readdirSync(SAMPLES, { recursive: true, encoding: 'utf8' }).toSorted();
  const images = names.filter((name) => Object.values(READERS).some((pattern) => pattern.test(name)));
  return images.map((name) => ({ name, bytes: new Uint8Array(readFileSync(join(SAMPLES, name))) }));
}

function seedsOf(reader: string): readonly Seed[] {
  const pattern = READERS[reader];
  const assembled = assembledImages().filter((image) => image.reader === reader);
  const found = samples().filter((image) => pattern?.test(image.name) && image.bytes.length <= LARGEST_SEED);
  return [...assembled, ...found];
}

/** Why the reader's answer is not one; undefined where it is. */
function faultOf(bytes: Uint8Array): string | undefined {
  const from = performance.now();
  let reading: ImageReading;
  try {
    reading = readImage(bytes, 'image');
  } catch (error) {
    return `it throws ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  }
  const ms = performance.now() - from;
  if (ms > LIMIT_MS) return `it takes ${ms.toFixed(0)} ms`;
  if (reading.kernels.length + reading.problems.length === 0) return 'it gives neither a kernel nor a problem';
  const answer = JSON.stringify(reading).length;
  const most = Math.max(ANSWER.floor, ANSWER.times * bytes.length);
  return answer > most ? `its answer takes ${answer} bytes for ${bytes.length}` : undefined;
}

function report(reader: string, image: Seed, bytes: Uint8Array, fault: string): void {
  const file = join(tmpdir(), `fuzz-${reader}.bin`);
  writeFileSync(file, bytes);
  console.error(`${reader}: ${image.name}, written to ${file}: ${fault}`);
  process.exitCode = 1;
}

/** Reads `inputs` damaged images; stops at the first fault. */
async function fuzz(reader: string, inputs: number): Promise<void> {
  const seeds = seedsOf(reader);
  const from = performance.now();
  const before = process.memoryUsage.rss();
  let read = 0;
  for (const [i, image] of seeds.entries()) {
    const share = Math.ceil((inputs - read) / (seeds.length - i));
    for (const bytes of mutants(image.bytes, share, Number(seed) + i)) {
      const fault = faultOf(bytes);
      if (fault !== undefined) return report(reader, image, bytes, fault);
      read++;
      if (read % TICK === 0) await Bun.sleep(0);
    }
  }
  Bun.gc(true);
  const grown = (process.memoryUsage.rss() - before) / 2 ** 20;
  if (grown > RSS_MIB) process.exitCode = 1;
  const seconds = ((performance.now() - from) / 1000).toFixed(1);
  const inputsRead = `${read} inputs of ${seeds.length} images`;
  console.log(`${reader.padEnd(12)} ${inputsRead} answered in ${seconds} s, +${grown.toFixed(0)} MiB`);
  if (seeds.length === 0) process.exitCode = 1;
}

const readers = Object.keys(READERS).filter((reader) => only === 'all' || only === reader);
if (readers.length === 0) {
  console.error(`No reader ${only}. Readers: all, ${Object.keys(READERS).join(', ')}.`);
  process.exit(2);
}
for (const reader of readers) await fuzz(reader, Number(count));
