/** The rules of every dialect behind one name, and what they say of a launch at all its shapes. */
import type { Chip } from '../chips/chip.ts';
import type { Extent, LaunchAt } from '../launch.ts';
import { volumeOf } from '../launch.ts';
import type { Measured } from '../measured.ts';
import type { Limit, LimitProblem } from '../problem.ts';
import type { Check, Findings, Gathered } from './check.ts';
import { findingsOf, gather, holds } from './check.ts';
import { cudaChecks } from './cuda.ts';
import { hipChecks } from './hip.ts';
import { metalChecks } from './metal.ts';
import { xpuChecks } from './xpu.ts';

/** Every limit of one launch of a measured kernel on a chip of the same dialect; throws where the dialects differ. */
export function checksOf(launch: LaunchAt, measured: Measured, chip: Chip): Check[] {
  if (measured.dialect === 'cuda' && chip.dialect === 'cuda') return cudaChecks(launch, measured, chip);
  if (measured.dialect === 'hip' && chip.dialect === 'hip') return hipChecks(launch, measured, chip);
  if (measured.dialect === 'xpu' && chip.dialect === 'xpu') return xpuChecks(launch, measured, chip);
  if (measured.dialect === 'metal' && chip.dialect === 'metal') return metalChecks(launch, measured, chip);
  throw new Error(`a ${measured.dialect} kernel cannot run on ${chip.name}`);
}

/** What the limits say of a launch at all its shapes: each that is broken once, and the nearest that holds. */
export function findLimits(launches: readonly LaunchAt[], measured: Measured, chip: Chip): Findings {
  return findingsOf(gathered(launches, measured, chip));
}

const gathered = (launches: readonly LaunchAt[], measured: Measured, chip: Chip): Gathered =>
  gather(launches, (launch) => checksOf(launch, measured, chip));

/** The limits that a launch breaks, each once, without their sums: at a start this runs in cold code, so it does no more. */
export function brokenLimits(launches: readonly LaunchAt[], measured: Measured, chip: Chip): Limit[] {
  const broken: Limit[] = [];
  for (const launch of launches) {
    for (const check of checksOf(launch, measured, chip))
      if (!holds(check) && !broken.includes(check.limit)) broken.push(check.limit);
  }
  return broken;
}

/** What is wrong with a launch at its shapes. */
export const limitProblems = (launches: readonly LaunchAt[], measured: Measured, chip: Chip): readonly LimitProblem[] =>
  findLimits(launches, measured, chip).problems;

/** Threads that a kernel's warps, waves or sub-groups come in. */
function stepOf(measured: Measured): number {
  if (measured.dialect === 'hip') return measured.wave;
  if (measured.dialect === 'xpu') return measured.simd;
  return 32;
}

/** The group that an image requires; undefined where it takes any up to its bound. */
function requiredOf(measured: Measured): Extent | undefined {
  if (measured.dialect === 'cuda') return measured.requiredThreads;
  return measured.dialect === 'metal' ? undefined : measured.requiredWorkgroup;
}

/**
 * The most threads a group at which a measured kernel fits a chip, in a grid of one cluster; undefined where none does.
 */
export function largestGroup(
  measured: Measured,
  chip: Chip,
  launch: Pick<LaunchAt, 'localBytes' | 'optIn'>,
): Extent | undefined {
  const step = stepOf(measured);
  const required = requiredOf(measured);
  const sizes = Array.from({ length: Math.floor(1024 / step) }, (_, i): Extent => [1024 - i * step, 1, 1]);
  const grid: Extent = (measured.dialect === 'cuda' ? measured.cluster : undefined) ?? [1, 1, 1];
  const clustered = { ...launch, grid, cluster: volumeOf(grid) };
  return (required ? [required] : sizes).find((threads) =>
    checksOf({ ...clustered, threads }, measured, chip).every(holds),
  );
}
