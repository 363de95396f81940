/** XPU: a launch of a zebin's kernel on an Intel chip. ocloc checks no limit, so all of them are checked here. */
import type { XpuChip } from '../chips/chip.ts';
import type { LaunchAt } from '../launch.ts';
import { volumeOf } from '../launch.ts';
import type { XpuMeasured } from '../measured.ts';
import { count } from '../../numerics/digits.ts';
import type { Asks, Check } from './check.ts';
import { launchedElsewhere, holds, must, notEmpty, sameExtent, sameGroup } from './check.ts';

export const XPU_ASKS: Asks<XpuMeasured> = {
  rising: ['slm', 'barriers'],
  same: (a, b) =>
    a.simd === b.simd &&
    a.grf === b.grf &&
    a.requiredSubgroup === b.requiredSubgroup &&
    sameExtent(a.requiredWorkgroup, b.requiredWorkgroup),
};

/** Every limit of one launch. */
export function xpuChecks(launch: LaunchAt, measured: XpuMeasured, chip: XpuChip): Check[] {
  return [
    ...subgroupChecks(launch, measured, chip),
    ...workgroupChecks(launch, measured, chip),
    ...grfChecks(launch, measured, chip),
    slmCheck(launch, measured, chip),
    notEmpty('grid', launch.grid, 'a grid'),
    { limit: 'barriers', need: measured.barriers, most: chip.barriers, of: `barriers a group of ${chip.name}` },
  ];
}

function subgroupChecks({ notAt = [] }: LaunchAt, { simd, requiredSubgroup }: XpuMeasured, chip: XpuChip): Check[] {
  const sizes = chip.subgroups.join(', ');
  return [
    must('sub-group', !notAt.includes(simd), () => launchedElsewhere('sub-groups', simd)),
    must(
      'sub-group',
      notAt.length === 0 || requiredSubgroup !== undefined,
      () =>
        `the launch is not for sub-groups of ${notAt.join(' or ')}, and the source requires no size: a compiler may take these`,
    ),
    must('sub-group', chip.subgroups.includes(simd), () => `SIMD${simd}, but ${chip.name} runs sub-groups of ${sizes}`),
    must(
      'sub-group',
      (requiredSubgroup ?? simd) === simd,
      () => `SIMD${simd}, but the source requires sub-groups of ${requiredSubgroup ?? simd}`,
    ),
  ];
}

function workgroupChecks({ threads }: LaunchAt, { requiredWorkgroup }: XpuMeasured, chip: XpuChip): Check[] {
  const of = `work-items a work-group of ${chip.name}`;
  const checks: Check[] = [
    notEmpty('threads', threads, 'a work-group'),
    { limit: 'threads', need: volumeOf(threads), most: chip.workgroup, of },
  ];
  if (!requiredWorkgroup) return checks;
  return [...checks, sameGroup(threads, requiredWorkgroup, 'work-group', 'required_work_group_size')];
}

/** A large register file halves the hardware threads of a core, and with them the largest work-group. */
function grfChecks({ threads }: LaunchAt, { grf, simd }: XpuMeasured, chip: XpuChip): Check[] {
  const perXve = chip.threadsXve[grf];
  const modes = Object.keys(chip.threadsXve).join(' or ');
  if (perXve === undefined) return [must('grf', false, () => `${grf} GRF, but ${chip.name} has ${modes}`)];
  const items = volumeOf(threads);
  const need = Math.ceil(items / simd);
  const hardware: Check = {
    limit: 'grf',
    need,
    most: perXve * chip.xveCore,
    sum: () => `${count(items)} work-items of SIMD${simd} are ${count(need)} hardware threads`,
    of: `of a core of ${chip.name} at ${grf} GRF`,
  };
  if (!holds(hardware) || grf !== 256 || simd >= 32) return [hardware];
  const of = `work-items of SIMD${simd} at 256 GRF on ${chip.name}`;
  return [hardware, { limit: 'grf', need: items, most: chip.workgroupLargeGrf, of }];
}

function slmCheck({ localBytes }: LaunchAt, { slm }: XpuMeasured, chip: XpuChip): Check {
  return {
    limit: 'local bytes',
    need: slm + localBytes,
    most: chip.slmWorkgroup,
    sum: () => `static ${count(slm)} + dynamic ${count(localBytes)} = ${count(slm + localBytes)}`,
    of: `SLM bytes a work-group of ${chip.name}`,
    moves: true,
    from: [chip, 'slmWorkgroup'],
  };
}
