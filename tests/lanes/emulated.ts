/** Runs of the whole program on emulated drivers, with the images that they load: the host device's, in a folder as `--offline` leaves it. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { imageRequests } from '../../scripts/binary/requests.ts';
import type { IndexedImage } from '../../src/device/image-folder.ts';
import { writeIndex } from '../../src/device/image-folder.ts';
import { compilingStore } from '../../src/device/store.ts';
import { hashOf } from '../../src/device/toolchain/cache.ts';
import { readFolder } from '../../src/spec/folder.ts';
import { loadKernels } from '../../src/spec/load.ts';
import type { Ran } from '../cli/executable.ts';
import { ran } from '../cli/executable.ts';
import { VARIABLE } from '../device/gpu/kit.ts';
import { metallibOf } from '../device/gpu/metallib.ts';
import { buildDriver } from '../drivers/build.ts';

const MAIN = join(import.meta.dir, '../../src/main.ts');
export const CHIP = { cuda: 'sm_90', hip: 'gfx942', xpu: 'acm-g10', metal: 'M1' } as const;
/** Lanes of a warp of that chip, as its emulated driver tells them. */
const WARP = { cuda: 32, hip: 64, xpu: 32, metal: 32 } as const;
/** Kernels of which one is right, and the others hang, write far outside or do not compile. */
export const KERNELS = join(import.meta.dir, '../cli/kernels');
/** Drivers whose images are the host device's. */
export type Emulated = keyof typeof CHIP;
export const isEmulated = (dialect: string): dialect is Emulated => Object.hasOwn(CHIP, dialect);

const folder = mkdtempSync(join(tmpdir(), 'tf-lanes-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
let serial = 0;

/** A name in a folder of this process. */
export const fresh = (name: string): string => join(folder, `${serial++}-${name}`);

/** Compiles what a run of some kernels may ask for, and returns the folder that has it. */
export async function imagesOf(
  root: string,
  dialect: Emulated,
  isWanted: (kernel: string) => boolean = () => true,
  withControls = true,
): Promise<string> {
  const listing = await readFolder(root);
  const kernels = loadKernels(listing).filter(({ name }) => isWanted(name));
  const store = compilingStore(root);
  const into = fresh('images');
  mkdirSync(into);
  const wanted = [...imageRequests(kernels, listing.sources)].filter(
    ([, { kind, path, text, ...request }]) =>
      kind === 'fast' && request.dialect === dialect && (withControls || text === listing.sources.get(path)),
  );
  const images = await Promise.all(
    wanted.map(async ([key, request]): Promise<IndexedImage> => {
      const result = await store.get({ ...request, warp: WARP[dialect] });
      const head = { key, chips: [CHIP[dialect]], compiler: 'emulated' };
      if ('error' in result) return { ...head, error: result.error };
      const image = dialect === 'metal' ? metallibOf(result.image) : result.image;
      writeFileSync(join(into, `${key}.so`), image);
      return { ...head, file: `${key}.so`, hash: hashOf(image) };
    }),
  );
  writeIndex(into, listing.sources, images);
  return into;
}

export interface Emulation {
  readonly dialect: Emulated;
  readonly images: string;
  /** Where kernels lie, where not in the project's own folder. */
  readonly kernels?: string;
  /** TF_EMULATE. */
  readonly plan?: string;
  /** A library in place of the emulated driver. */
  readonly driver?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface EmulatedRun extends Ran {
  readonly lines: readonly string[];
  /** The driver's lines of its callers' faults, and of handles that were left. */
  readonly violations: readonly string[];
  readonly leaks: readonly string[];
}

/** The environment in which the program finds the emulated driver. */
export async function environmentOf(
  { dialect, plan, driver, kernels, env }: Emulation,
  report: string,
): Promise<Record<string, string>> {
  return {
    ...(process.env as Record<string, string>),
    [VARIABLE[dialect]]: driver ?? (await buildDriver(dialect)),
    TF_EMULATE_REPORT: report,
    ...(plan !== undefined && { TF_EMULATE: plan }),
    ...(kernels !== undefined && { TF_KERNELS: kernels }),
    NO_COLOR: '1',
    ...env,
  };
}

export const commandOf = ({ dialect, images }: Emulation, args: readonly string[]): string[] => [
  process.execPath,
  MAIN,
  '--device',
  dialect,
  '--images',
  images,
  ...args,
];

/** Runs the program to its end. */
export async function emulated(emulation: Emulation, ...args: readonly string[]): Promise<EmulatedRun> {
  const report = fresh('report');
  const all = await ran(commandOf(emulation, args), { env: await environmentOf(emulation, report) });
  const said = existsSync(report) ? readFileSync(report, 'utf8').split('\n') : [];
  const of = (word: string): string[] => said.filter((line) => line.includes(` ${word}: `));
  return { ...all, lines: all.stdout.trimEnd().split('\n'), violations: of('violation'), leaks: of('leak') };
}
