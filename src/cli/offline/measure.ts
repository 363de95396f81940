/** One unit on some chips: its images, made or found, read back, and a record for each of its kernels on each chip. */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { definesText } from '../../audit/launch.ts';
import type { Measured } from '../../audit/measured.ts';
import { readImage } from '../../audit/images/read.ts';
import type { MeasuredRecord } from '../../audit/records.ts';
import { sourceHasher } from '../../audit/records-source.ts';
import type { IndexedImage } from '../../device/image-folder.ts';
import { EVERY_CHIP } from '../../device/image-folder.ts';
import { imageKey } from '../../device/images.ts';
import { hashOf } from '../../device/toolchain/cache.ts';
import { buildImages } from '../../device/vendor/images.ts';
import type { Compiled, Compiler } from '../../device/vendor/vendor.ts';
import { measurePipelines } from './pipelines.ts';
import { readSource, SOURCE_READER } from './source.ts';
import type { Unit } from './units.ts';
import type { Workspace } from './workspace.ts';
import { compileOf } from './workspace.ts';

/** One run of a compiler. */
export interface OfflineJob {
  readonly unit: Unit;
  readonly compiler: Compiler;
  readonly chips: readonly string[];
}

/** Why some chips have no record: one line, then the compiler's own words if it was the compiler. */
export interface OfflineProblem {
  readonly chips: readonly string[];
  readonly what: string;
  readonly words?: string;
}

export interface OfflineResult {
  readonly job: OfflineJob;
  readonly records: readonly MeasuredRecord[];
  readonly problems: readonly OfflineProblem[];
  /** Whether the images were there already. */
  readonly cached: boolean;
  /** What a run on a GPU finds in the folder. */
  readonly images: readonly IndexedImage[];
}

export async function measure(
  job: OfflineJob,
  workspace: Workspace,
  sources: ReadonlyMap<string, string>,
): Promise<OfflineResult> {
  const { unit, compiler, chips } = job;
  const { dialect, source, text } = unit;
  const hash = sourceHasher(new Map([...sources, [source, text]]))(unit);
  if (compiler.name === SOURCE_READER.name) return { job, ...(await readSource(job, hash)), cached: true, images: [] };
  const compile = compileOf(workspace, unit, compiler, chips);
  const { compiled, cached } = await buildImages({ dialect, compiler, compile, sourceHash: hash });
  const parts = await Promise.all(compiled.map((part) => readPart(part, job, hash, workspace)));
  return {
    job,
    records: parts.flatMap(({ records }) => records),
    problems: parts.flatMap(({ problems }) => problems),
    cached,
    images: compiled.map((part) => indexed(part, job, workspace)),
  };
}

/** A metallib holds no chip's code: it is every chip's. */
function indexed(part: Compiled, { unit, compiler }: OfflineJob, { root }: Workspace): IndexedImage {
  const { dialect, source: path, text, defines } = unit;
  const key = imageKey({ kind: 'fast', dialect, path, text, defines });
  const chips = dialect === 'metal' ? [EVERY_CHIP] : [...part.chips];
  const head = { key, chips, compiler: `${compiler.name} ${compiler.version}` };
  if ('error' in part) return { ...head, error: part.error };
  return { ...head, file: relative(root, part.image), hash: hashOf(readFileSync(part.image)) };
}

type Part = Pick<OfflineResult, 'records' | 'problems'>;

async function readPart(part: Compiled, job: OfflineJob, hash: string, { root }: Workspace): Promise<Part> {
  const { unit, compiler } = job;
  const { chips } = part;
  if ('error' in part) {
    const what = `${compiler.name} ${compiler.version} does not compile it for ${chips.join(', ')}`;
    return { records: [], problems: [{ chips, what, words: part.error }] };
  }
  if (unit.dialect === 'metal') return measurePipelines(job, part.image, hash);
  const { kernels, problems } = readImage(readFileSync(part.image), relative(root, part.image));
  const found = chips.map((chip) => recordsOn(chip, kernels, unit, hash));
  return {
    records: found.flatMap(({ records }) => records),
    problems: [
      ...problems.map(({ where, what }) => ({ chips, what: `${where}: ${what}` })),
      ...found.flatMap((each) => each.problems),
    ],
  };
}

function recordsOn(chip: string, kernels: readonly Measured[], unit: Unit, source: string): Part {
  const defines = definesText(unit.defines);
  const records: MeasuredRecord[] = [];
  const problems: OfflineProblem[] = [];
  for (const { kernel, symbol } of unit.launches) {
    const [facts, second] = kernels.filter((measured) => measured.chip === chip && measured.symbol === symbol);
    if (!facts || second) {
      problems.push({ chips: [chip], what: `its image for ${chip} holds ${facts ? 'more than one' : 'no'} ${symbol}` });
    } else records.push({ kernel, chip, symbol, ...(defines !== '' && { defines }), source, facts });
  }
  return { records, problems };
}
