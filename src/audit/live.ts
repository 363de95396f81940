/**
 * Gate 5 on a device that is present: every launch of the kernels that were loaded there, against the limits that its driver tells of
 * the device and of each kernel, as one more row of the chip's table. What a compile recorded and what was loaded must agree.
 */
import type { Dialect } from '../families/formula/functions.ts';
import { count } from '../numerics/digits.ts';
import type { Verdict } from './audit.ts';
import { chipNamed } from './chips/all.ts';
import type { Chip } from './chips/chip.ts';
import { withOwnLimits } from './chips/chip.ts';
import { definesText, extentOf } from './launch.ts';
import { leastMeasured } from './least.ts';
import type { Measured } from './measured.ts';
import type { LimitProblem } from './problem.ts';
import type { Recorded, RecordedLaunch } from './recorded.ts';
import { isTight } from './rules/check.ts';
import { findLimits } from './rules/rules.ts';

/** A device's own limits, as its driver tells them; sizes in bytes. */
export interface OwnLimits {
  readonly max_threads?: number | undefined;
  readonly max_group?: readonly number[] | undefined;
  readonly max_grid?: readonly number[] | undefined;
  readonly warp?: number | undefined;
  readonly registers?: number | undefined;
  readonly local_bytes?: number | undefined;
  readonly local_bytes_optin?: number | undefined;
}

/** What its driver tells of a loaded kernel; registers are a thread's. */
export interface OwnAttributes {
  readonly max_threads?: number | undefined;
  readonly static_local_bytes?: number | undefined;
  readonly registers?: number | undefined;
  readonly warp?: number | undefined;
  /** Lanes that the source requires; 0 for none. */
  readonly required_warp?: number | undefined;
}

export interface LiveKernel {
  readonly kernel: string;
  readonly dialect: Dialect;
  readonly symbol: string;
  readonly defines: Readonly<Record<string, number | string>>;
  readonly attributes: OwnAttributes;
  /** The set of records that its compiler makes: `nvcc-13.0`. Undefined where another compiled it. */
  readonly set?: string;
}

export interface LiveDevice {
  /** `cuda:0`. */
  readonly id: string;
  readonly dialect: Dialect;
  readonly chip: string;
  readonly limits: OwnLimits;
}

/** The verdicts of a device's kernels; undefined where its chip has no row, so that none can be judged. */
export function auditLive(
  device: LiveDevice,
  kernels: readonly LiveKernel[],
  { launches }: Recorded,
): Verdict[] | undefined {
  const row = chipNamed(device.dialect, device.chip);
  if (!row) return undefined;
  const chip = ownRow(row, device.limits);
  return kernels.flatMap((live) => {
    const own = launches.filter(({ launch }) => isOf(live, launch));
    const [first] = own;
    return first ? [verdictOf(device, chip, live, first, own)] : [];
  });
}

const isOf = (live: LiveKernel, launch: RecordedLaunch['launch']): boolean =>
  launch.kernel === live.kernel &&
  launch.dialect === live.dialect &&
  launch.symbol === live.symbol &&
  definesText(launch.defines) === definesText(live.defines);

function verdictOf(
  device: LiveDevice,
  chip: Chip,
  live: LiveKernel,
  { launch }: RecordedLaunch,
  recorded: readonly RecordedLaunch[],
): Verdict {
  const measured = ownMeasured(live, chip);
  const { problems, near } = findLimits(launch.at, measured, chip);
  const broken = problems.filter(({ limit }) => limit !== 'pending');
  const apart = recorded.flatMap((record) => disagreements(device, live, record));
  const { kernel, dialect, symbol } = live;
  const defines = definesText(live.defines);
  const named = { kernel, dialect, symbol, ...(defines !== '' && { defines }), chip: `${device.id} ${device.chip}` };
  const all = [...broken, ...apart];
  const holds = isTight(near) ? 'tight' : 'fits';
  const status = broken.length > 0 ? 'does not fit' : apart.length > 0 ? 'stale' : holds;
  return { ...named, status, problems: all, ...(all.length === 0 && isTight(near) && { near }) };
}

type Own<C extends Chip> = Partial<Omit<C, 'dialect' | 'served' | 'uncertain'>>;

/** Columns without those that a driver does not tell. */
const told = <T extends object>(columns: { readonly [K in keyof T]: T[K] | undefined }): Partial<T> =>
  Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined)) as Partial<T>;

function ownRow(row: Chip, own: OwnLimits): Chip {
  const { max_threads: threads, local_bytes: bytes, warp } = own;
  if (row.dialect === 'hip') return withOwnLimits(row, told({ threadsWorkgroup: threads, ldsWorkgroup: bytes }));
  if (row.dialect === 'xpu') return withOwnLimits(row, told({ workgroup: threads, slmWorkgroup: bytes }));
  if (row.dialect === 'metal') return withOwnLimits(row, told({ threads, threadgroupBytes: bytes, simd: warp }));
  const columns: Own<typeof row> = told({
    threadsBlock: threads,
    dimsBlock: own.max_group && extentOf(own.max_group),
    grid: own.max_grid && extentOf(own.max_grid),
    warp,
    registersBlock: own.registers,
    sharedDefault: bytes,
    sharedOptIn: own.local_bytes_optin,
  });
  return withOwnLimits(row, columns);
}

/** The least that any kernel asks, with what the driver tells of this one. Its own most threads are its launch bound. */
function ownMeasured({ symbol, attributes }: LiveKernel, chip: Chip): Measured {
  const { max_threads: most = 0, static_local_bytes: bytes = 0, registers, warp } = attributes;
  // A driver that does not tell what the source requires is not held against it.
  const required = attributes.required_warp ?? warp;
  const least = leastMeasured(symbol, chip);
  switch (least.dialect) {
    case 'cuda':
      return {
        ...least,
        staticShared: bytes,
        ...(registers !== undefined && { registers }),
        ...(most > 0 && { maxThreads: [most, 1, 1] }),
      };
    case 'hip':
      return {
        ...least,
        staticLds: bytes,
        ...(most > 0 && { maxFlatWorkgroup: most }),
        ...(warp !== undefined && { wave: warp }),
      };
    case 'xpu':
      return {
        ...least,
        slm: bytes,
        ...(warp !== undefined && { simd: warp }),
        ...(required !== undefined && required > 0 && { requiredSubgroup: required }),
      };
    case 'metal':
      return { ...least, staticThreadgroup: bytes, ...(most > 0 && { maxThreads: most }) };
  }
}

/** Where the record of the compiler that made an image says other than the driver that loaded it. */
function disagreements(device: LiveDevice, live: LiveKernel, { records, set }: RecordedLaunch): LimitProblem[] {
  const record = records[device.chip];
  if (!record || 'pending' in record || set === undefined || set !== live.set) return [];
  const { facts } = record;
  const { static_local_bytes: bytes, registers } = live.attributes;
  const pairs: [string, number | undefined, number | undefined][] =
    facts.dialect === 'cuda'
      ? [
          ['registers a thread', facts.registers, registers],
          ['static shared bytes', facts.staticShared, bytes],
        ]
      : facts.dialect === 'hip'
        ? [['static LDS bytes', facts.staticLds, bytes]]
        : [];
  return pairs.flatMap(([what, before, now]): LimitProblem[] => {
    if (before === undefined || now === undefined || before === now) return [];
    const sum = `${set} records ${count(before)} ${what} on ${device.chip}, and ${device.id} has loaded ${count(now)}`;
    return [
      {
        limit: 'stale',
        what: sum,
        do: 'Measure again by --offline DIR --write; where they stay apart, the images are not what was recorded.',
      },
    ];
  });
}
