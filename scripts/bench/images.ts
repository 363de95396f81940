/**
 * Reading 250 kernel images of a fatbin of about 3.6 MB, stored and zstd, and a large library:
 * bun scripts/bench/images.ts [MB of the library, 0 for none].
 *
 * The fatbins are made of the samples' cubins; the library is a host file of zstd containers and PTX.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readImage } from '../../src/audit/images/read.ts';
import { buildContainer, buildHost, cubinEntry } from '../../tests/audit/images/cuda-kit.ts';

const SAMPLES = join(import.meta.dir, '../../../shared/samples/cuda');
const LIBRARY_MB = Number(process.argv[2] ?? 150);
const RUNS = 30;
const KERNELS = 250;
const FATBIN_BYTES = 3.6e6;
/** As in CUDA libraries of this size: 26,924 kernels in 159 MB, most of the rest PTX. */
const KERNELS_A_MB = 170;

const CUBINS = [
  ...['k1.sm_80', 'k1.sm_89', 'k1.sm_90', 'k1.sm_120', 'k1.sm_121', 'k2.sm_80', 'k2.sm_120'],
  ...['controls.sm_80', 'controls.sm_86', 'controls.sm_89', 'controls.sm_120', 'controls.sm_121'],
];

interface Image {
  readonly sm: number;
  readonly bytes: Uint8Array;
  readonly kernels: number;
}

function sampleImages(): readonly Image[] {
  return CUBINS.map((name) => {
    const bytes = new Uint8Array(readFileSync(join(SAMPLES, `${name}.cubin`)));
    return { sm: Number(name.split('_')[1]), bytes, kernels: readImage(bytes, name).kernels.length };
  });
}

/** A container of each sample in turn, until it holds the kernels. */
function containersOf(images: readonly Image[], kernels: number, packing?: 'zstd'): readonly Uint8Array[] {
  const containers: Uint8Array[] = [];
  for (let held = 0, i = 0; held < kernels; i++) {
    const image = images[i % images.length];
    if (image === undefined) break;
    containers.push(buildContainer([cubinEntry(image.sm, image.bytes, packing)]));
    held += image.kernels;
  }
  return containers;
}

/** As large as the bytes asked for, by code that no reader looks at. */
function filled(fatbin: Uint8Array, bytes: number): Uint8Array {
  const payload = new Uint8Array(Math.max(0, bytes - fatbin.length - 80));
  return Buffer.concat([fatbin, buildContainer([{ kind: 1, sm: 80, payload }])]);
}

function measure(name: string, bytes: Uint8Array, runs: number): void {
  const times: number[] = [];
  let kernels = 0;
  for (let run = 0; run < runs; run++) {
    const from = Bun.nanoseconds();
    const reading = readImage(bytes, name);
    times.push((Bun.nanoseconds() - from) / 1e6);
    kernels = reading.kernels.length;
    if (reading.problems.length > 0) throw new Error(JSON.stringify(reading.problems));
  }
  const sorted = times.toSorted((a, b) => a - b);
  const ms = (at: number): string => `${(sorted[at] ?? Number.NaN).toFixed(1)} ms`;
  const first = `first ${times[0]?.toFixed(1)} ms`;
  const size = `${(bytes.length / 1e6).toFixed(2)} MB`;
  console.log(`${name.padEnd(8)} ${kernels} kernels of ${size}: median ${ms(runs >> 1)}, least ${ms(0)}, ${first}`);
}

/** In a process of its own, so that its memory is its own. */
function measureLibrary(images: readonly Image[], megabytes: number): void {
  const packed = containersOf(images, KERNELS_A_MB * megabytes, 'zstd');
  const library = buildHost({ '.nv_fatbin': filled(Buffer.concat([...packed]), megabytes * 1e6) });
  const folder = mkdtempSync(join(tmpdir(), 'tf-images-'));
  try {
    writeFileSync(join(folder, 'lib.so'), library);
    Bun.spawnSync([process.execPath, import.meta.path, '--read', join(folder, 'lib.so')], { stdio: [null, 1, 2] });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Linux counts a parent's peak into maxRSS of the process it starts, and not into VmHWM. */
function peakBytes(): number {
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
  const [, kib] = /VmHWM:\s*(\d+) kB/.exec(status) ?? [];
  return 1024 * Number(kib ?? process.resourceUsage().maxRSS);
}

function readLibrary(file: string): void {
  const before = process.memoryUsage.rss();
  const bytes = readFileSync(file);
  const from = Bun.nanoseconds();
  const { kernels, problems } = readImage(bytes, file);
  const seconds = (Bun.nanoseconds() - from) / 1e9;
  const times = (peakBytes() - before) / bytes.length;
  const size = (bytes.length / 1e6).toFixed(0);
  const memory = `${times.toFixed(2)} times the file at the peak, the file included`;
  console.log(`library  ${kernels.length} kernels of ${size} MB: ${seconds.toFixed(1)} s, ${memory}`);
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
}

function main(): void {
  const images = sampleImages();
  measure('stored', filled(Buffer.concat([...containersOf(images, KERNELS)]), FATBIN_BYTES), RUNS);
  measure('zstd', Buffer.concat([...containersOf(images, KERNELS, 'zstd')]), RUNS);
  if (LIBRARY_MB > 0) measureLibrary(images, LIBRARY_MB);
}

const [mode, file] = process.argv.slice(2);
if (mode === '--read' && file !== undefined) readLibrary(file);
else if (existsSync(SAMPLES)) main();
else {
  console.error(`No samples at ${SAMPLES}.`);
  process.exitCode = 2;
}
