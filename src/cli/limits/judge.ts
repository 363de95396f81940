/** Kernels of images against launches, records and chips. The image's own numbers are judged; the record must agree with them. */
import type { Dialect } from '../../families/formula/functions.ts';
import type { Verdict } from '../../audit/audit.ts';
import { CHIPS, chipNamed } from '../../audit/chips/all.ts';
import type { Chip } from '../../audit/chips/chip.ts';
import { TEGRA } from '../../audit/chips/cuda.ts';
import type { AuditLaunch, Extent, LaunchAt } from '../../audit/launch.ts';
import { definesText, extentOf, volumeOf } from '../../audit/launch.ts';
import type { Measured } from '../../audit/measured.ts';
import { occupancyOf } from '../../audit/occupancy.ts';
import type { RecordSet } from '../../audit/records.ts';
import { factsOf, keyText } from '../../audit/records.ts';
import type { ResolvedSet } from '../../audit/records-sets.ts';
import { chooseSet, resolveSet } from '../../audit/records-sets.ts';
import { staleImage } from '../../audit/records-stale.ts';
import { holds, isTight, whatOf } from '../../audit/rules/check.ts';
import { checksOf, findLimits, largestGroup } from '../../audit/rules/rules.ts';
import type { FoundKernel } from './folder.ts';

/** A registered launch of an image's kernel. */
export interface ImageVerdict extends Verdict {
  readonly file: string;
  /** Whether a record was there to agree with. */
  readonly recorded: boolean;
}

/** A chip that can load an image's kernel, and the group that it runs; undefined where it runs none. */
export interface Runs {
  readonly chip: string;
  readonly group?: Extent;
  /** Why it cannot run the group that was asked about. */
  readonly why?: string;
}

/** A kernel that no contract registers. */
export interface Unregistered {
  readonly file: string;
  readonly measured: Measured;
  readonly runs: readonly Runs[];
}

export interface Asked {
  readonly threads: number | undefined;
  readonly dynamic: number;
}

export interface Judged {
  readonly verdicts: readonly ImageVerdict[];
  readonly unregistered: readonly Unregistered[];
}

export function judgeImages(
  kernels: readonly FoundKernel[],
  launches: readonly AuditLaunch[],
  records: readonly RecordSet[],
  asked: Asked,
): Judged {
  const bySymbol = Map.groupBy(launches, ({ dialect, symbol }) => `${dialect} ${symbol}`);
  const bookOf = books(records);
  const runs = runsByFacts(asked);
  const verdicts: ImageVerdict[] = [];
  const unregistered: Unregistered[] = [];
  for (const found of kernels) {
    const { dialect, symbol, chip: name } = found.measured;
    const chip = chipNamed(dialect, name);
    const own = found.planted || !chip ? [] : (bySymbol.get(`${dialect} ${symbol}`) ?? []);
    if (chip) verdicts.push(...own.map((launch) => judge(found, launch, chip, bookOf(found))));
    if (own.length === 0) unregistered.push({ file: found.file, measured: found.measured, runs: runs(found.measured) });
  }
  return { verdicts, unregistered };
}

/** The set that an image is held to: of the compiler that its folder names, else the dialect's usual one. */
function books(records: readonly RecordSet[]): (found: FoundKernel) => ResolvedSet | undefined {
  const resolved = new Map<RecordSet, ResolvedSet>();
  return ({ measured, compiler }) => {
    const own = records.filter((set) => set.dialect === measured.dialect);
    const name = compiler?.name ?? usualCompiler(measured.dialect, own);
    const set = chooseSet(
      own,
      name,
      measured.dialect === 'cuda' ? measured.release : (compiler?.release ?? measured.release),
    );
    if (!set) return undefined;
    const known = resolved.get(set) ?? resolveSet(set, own);
    resolved.set(set, known);
    return known;
  };
}

const USUAL: Readonly<Record<Dialect, readonly string[]>> = {
  cuda: ['nvcc'],
  hip: ['clang', 'hipcc'],
  xpu: ['ocloc'],
  metal: ['metal'],
};

const usualCompiler = (dialect: Dialect, sets: readonly RecordSet[]): string =>
  USUAL[dialect].find((name) => sets.some(({ compiler }) => compiler === name)) ?? '';

function judge(
  { file, measured }: FoundKernel,
  launch: AuditLaunch,
  chip: Chip,
  book: ResolvedSet | undefined,
): ImageVerdict {
  const { kernel, dialect, symbol, at } = launch;
  const defines = definesText(launch.defines);
  const key = keyText({ kernel, symbol, chip: measured.chip, ...(defines !== '' && { defines }) });
  const record = book?.records.get(key);
  const stale = record && staleImage(record, measured);
  const { problems: limits, near } = findLimits(at, measured, chip);
  const groups = at.flatMap((each) => occupancyOf(each, measured, chip)?.groups ?? []);
  const recorded = record !== undefined && !('pending' in record);
  const named = { kernel, dialect, symbol, ...(defines !== '' && { defines }), chip: measured.chip, file, recorded };
  return {
    ...named,
    status: limits.length > 0 ? 'does not fit' : stale ? 'stale' : isTight(near) ? 'tight' : 'fits',
    problems: stale ? [stale, ...limits] : limits,
    ...(near && { near }),
    ...(groups.length > 0 && limits.length === 0 && { groups: Math.min(...groups) }),
    ...(book && { set: book.name }),
  };
}

/** A library's tens of thousands of kernels have few different facts: each is judged once. */
function runsByFacts(asked: Asked): (measured: Measured) => Runs[] {
  const known = new Map<string, Runs[]>();
  return (measured) => {
    const key = JSON.stringify([measured.dialect, measured.chip, factsOf(measured)]);
    const runs = known.get(key) ?? runsOf(measured, asked);
    known.set(key, runs);
    return runs;
  };
}

/** Every chip that loads the kernel's image, with the group that was asked about or the largest that fits. */
function runsOf(measured: Measured, { threads, dynamic }: Asked): Runs[] {
  const launch = { localBytes: dynamic, optIn: true };
  return CHIPS.filter((chip) => loads(chip, measured)).map((chip) => {
    if (threads === undefined) {
      const group = largestGroup(measured, chip, launch);
      return { chip: chip.name, ...(group && { group }) };
    }
    const [broken] = checksOf(oneGroup(threads, measured, launch), measured, chip).filter((check) => !holds(check));
    return { chip: chip.name, ...(broken ? { why: whatOf(broken) } : { group: groupOf(threads, measured) }) };
  });
}

function oneGroup(threads: number, measured: Measured, launch: Pick<LaunchAt, 'localBytes' | 'optIn'>): LaunchAt {
  const grid: Extent = (measured.dialect === 'cuda' ? measured.cluster : undefined) ?? [1, 1, 1];
  return { ...launch, threads: groupOf(threads, measured), grid, cluster: volumeOf(grid) };
}

/** So many threads along x, or as the image requires them where that is as many. */
function groupOf(threads: number, measured: Measured): Extent {
  const required =
    measured.dialect === 'cuda'
      ? measured.requiredThreads
      : measured.dialect === 'metal'
        ? undefined
        : measured.requiredWorkgroup;
  return required && volumeOf(required) === threads ? required : extentOf([threads]);
}

/** NVIDIA's machine code runs on later minors of its major, but for Tegra's; with a suffix, and of the others, on its own chip alone. */
function loads(chip: Chip, measured: Measured): boolean {
  if (chip.dialect !== measured.dialect) return false;
  if (chip.dialect !== 'cuda') return chip.name === measured.chip;
  const [, sm, suffix] = /^sm_(\d+)([af]?)$/.exec(measured.chip) ?? [];
  if (sm === undefined) return false;
  if (suffix === 'a' || TEGRA.includes(chip.sm) || TEGRA.includes(Number(sm))) return chip.sm === Number(sm);
  return Math.floor(chip.sm / 10) === Math.floor(Number(sm) / 10) && chip.sm >= Number(sm);
}
