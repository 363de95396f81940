/**
 * HIP: a launch of a code object's kernel on an AMD chip. SGPRs are no limit: the compiler keeps a wave within its own.
 */
import type { HipChip, VgprFile } from '../chips/chip.ts';
import type { Extent, LaunchAt } from '../launch.ts';
import { volumeOf } from '../launch.ts';
import type { HipMeasured } from '../measured.ts';
import { count } from '../../numerics/digits.ts';
import type { Asks, Check } from './check.ts';
import { AXES, launchedElsewhere, must, nearestAxis, notEmpty, sameExtent, sameGroup } from './check.ts';

export const HIP_ASKS: Asks<HipMeasured> = {
  rising: ['vgprs', 'staticLds'],
  same: (a, b) =>
    a.wave === b.wave &&
    a.wgpMode === b.wgpMode &&
    a.maxFlatWorkgroup === b.maxFlatWorkgroup &&
    sameExtent(a.requiredWorkgroup, b.requiredWorkgroup),
};

/** Every limit of one launch. */
export function hipChecks(launch: LaunchAt, measured: HipMeasured, chip: HipChip): Check[] {
  return [
    ...workgroupChecks(launch, measured, chip),
    ...waveChecks(launch, measured, chip),
    ldsCheck(launch, measured, chip),
    ...gridChecks(launch, chip),
  ];
}

function workgroupChecks({ threads }: LaunchAt, measured: HipMeasured, chip: HipChip): Check[] {
  const need = volumeOf(threads);
  const { maxFlatWorkgroup, requiredWorkgroup } = measured;
  const of = 'work-items of the launch bound (.max_flat_workgroup_size)';
  const checks: Check[] = [
    notEmpty('threads', threads, 'a workgroup'),
    { limit: 'threads', need, most: chip.threadsWorkgroup, of: `work-items a workgroup of ${chip.name}` },
    { limit: 'launch bound', need, most: maxFlatWorkgroup, of },
  ];
  if (!requiredWorkgroup) return checks;
  return [...checks, sameGroup(threads, requiredWorkgroup, 'workgroup', '.reqd_workgroup_size')];
}

/** The SIMDs that a workgroup's waves spread over. */
export function simdsOf({ wgpMode }: HipMeasured, chip: HipChip): number {
  return wgpMode === false ? chip.simdsCuMode : chip.simds;
}

/** A wave's registers, rounded up to what the chip allocates. */
export function vgprsOfWave({ vgprs }: HipMeasured, { granule }: VgprFile): number {
  return Math.ceil(Math.max(vgprs, 1) / granule) * granule;
}

/** The registers of one SIMD for waves of this kernel's size; undefined where the chip does not run them. */
export function vgprFile({ wave }: HipMeasured, chip: HipChip): VgprFile | undefined {
  return wave === 32 || wave === 64 ? chip.vgprs[wave] : undefined;
}

function waveChecks({ threads, notAt = [] }: LaunchAt, measured: HipMeasured, chip: HipChip): Check[] {
  const file = vgprFile(measured, chip);
  const sizes = Object.keys(chip.vgprs).join(' or ');
  const what = (): string => `waves of ${measured.wave}, but ${chip.name} runs waves of ${sizes}`;
  const runs = must('wave', file !== undefined, what);
  const taken = must('wave', !notAt.includes(measured.wave), () => launchedElsewhere('waves', measured.wave));
  return file ? [runs, taken, ...registerChecks(volumeOf(threads), measured, chip, file)] : [runs, taken];
}

function registerChecks(items: number, measured: HipMeasured, chip: HipChip, file: VgprFile): Check[] {
  const { wave, vgprs } = measured;
  const simds = simdsOf(measured, chip);
  const waves = Math.ceil(items / wave);
  const perSimd = Math.ceil(waves / simds);
  const perWave = vgprsOfWave(measured, file);
  const spread = (): string =>
    `${count(items)} work-items are ${waves} waves of ${wave}, ${perSimd} on each of ${simds} SIMDs`;
  const sum = (): string =>
    `${spread()}; ${vgprs} VGPRs round to ${perWave}, ${perSimd} x ${perWave} = ${count(perSimd * perWave)}`;
  const from = [chip, 'vgprs'] as const;
  const need = perSimd * perWave;
  return [
    { limit: 'registers', need: vgprs, most: chip.vgprsWave, of: `VGPRs a wave of ${chip.name}` },
    { limit: 'registers', need, most: file.total, sum, of: `VGPRs a SIMD of ${chip.name}`, moves: true, from },
    {
      limit: 'wave',
      need: perSimd,
      most: chip.wavesSimd,
      sum: spread,
      of: `waves a SIMD of ${chip.name}`,
      from: [chip, 'wavesSimd'],
    },
  ];
}

/** A WGP has more LDS than this; a workgroup does not. */
function ldsCheck({ localBytes }: LaunchAt, { staticLds }: HipMeasured, chip: HipChip): Check {
  const need = staticLds + localBytes;
  return {
    limit: 'local bytes',
    need,
    most: chip.ldsWorkgroup,
    sum: () => `static ${count(staticLds)} + dynamic ${count(localBytes)} = ${count(need)}`,
    of: `LDS bytes a workgroup of ${chip.name}`,
    moves: true,
    from: [chip, 'ldsWorkgroup'],
  };
}

/** HIP counts a grid in work-items. */
function gridChecks({ grid, threads }: LaunchAt, chip: HipChip): Check[] {
  const most = chip.gridItems;
  const items: Extent = [grid[0] * threads[0], grid[1] * threads[1], grid[2] * threads[2]];
  const axis = nearestAxis(items, [most, most, most]);
  const sum = (): string => `grid ${AXES[axis]} ${count(grid[axis])} x ${count(threads[axis])} = ${count(items[axis])}`;
  return [
    notEmpty('grid', grid, 'a grid'),
    { limit: 'grid', need: items[axis], most, sum, of: 'work-items', moves: true },
  ];
}
