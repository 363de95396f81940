/** CUDA: a launch of a compiled kernel on a chip, as the driver decides it. */
import type { CudaChip } from '../chips/chip.ts';
import type { Extent, LaunchAt } from '../launch.ts';
import { volumeOf } from '../launch.ts';
import type { CudaMeasured } from '../measured.ts';
import { count } from '../../numerics/digits.ts';
import { extentText } from '../problem.ts';
import type { Asks, Check } from './check.ts';
import { AXES, must, nearestAxis, notEmpty, sameExtent, sameGroup } from './check.ts';

export const CUDA_ASKS: Asks<CudaMeasured> = {
  rising: ['registers', 'staticShared', 'barriers'],
  same: (a, b) =>
    a.maxClusterRank === b.maxClusterRank &&
    sameExtent(a.maxThreads, b.maxThreads) &&
    sameExtent(a.requiredThreads, b.requiredThreads),
};

/** Every limit of one launch. The bound and the register rule are both checked: neither proves the other. */
export function cudaChecks(launch: LaunchAt, measured: CudaMeasured, chip: CudaChip): Check[] {
  return [
    ...blockChecks(launch, chip),
    ...boundChecks(launch, measured),
    ...registerChecks(launch, measured, chip),
    ...sharedChecks(launch, measured, chip),
    ...clusterChecks(launch, measured, chip),
    ...gridChecks(launch, chip),
    {
      limit: 'barriers',
      need: measured.barriers,
      most: chip.barriersBlock,
      of: `named barriers a block of ${chip.name}`,
    },
  ];
}

function blockChecks({ threads }: LaunchAt, chip: CudaChip): Check[] {
  const axis = nearestAxis(threads, chip.dimsBlock);
  return [
    notEmpty('threads', threads, 'a block'),
    { limit: 'threads', need: volumeOf(threads), most: chip.threadsBlock, of: `threads a block of ${chip.name}` },
    {
      limit: 'threads',
      need: threads[axis],
      most: chip.dimsBlock[axis],
      sum: () => `block ${AXES[axis]} ${count(threads[axis])}`,
      of: `of ${chip.name}`,
    },
  ];
}

/** `.reqntid` takes the place of `.maxntid`: an image has one or the other. */
function boundChecks({ threads }: LaunchAt, { requiredThreads, maxThreads }: CudaMeasured): Check[] {
  if (requiredThreads) return [sameGroup(threads, requiredThreads, 'block', '.reqntid')];
  if (!maxThreads) return [];
  const of = (): string => `threads of the launch bound (.maxntid ${extentText(maxThreads)})`;
  return [{ limit: 'launch bound', need: volumeOf(threads), most: volumeOf(maxThreads), of }];
}

/** Registers that a warp takes: a thread's, rounded up to the granule of a warp. */
export function registersOfWarp(registers: number, chip: CudaChip): number {
  return Math.ceil((chip.warp * registers) / chip.registerGranule) * chip.registerGranule;
}

/** Each partition holds whole warps, so a block takes registers for its warps rounded up to the partitions. */
function registerChecks({ threads }: LaunchAt, { registers }: CudaMeasured, chip: CudaChip): Check[] {
  const total = volumeOf(threads);
  const warps = Math.ceil(total / chip.warp);
  const perWarp = registersOfWarp(registers, chip);
  const taken = Math.ceil(warps / chip.partitions) * chip.partitions;
  const spread = (): string => (taken === warps ? '' : ` (${count(warps * perWarp)}), taken as ${taken}`);
  const sum = (): string =>
    `${registers} registers round to ${perWarp / chip.warp}, ${count(perWarp)} a warp; ` +
    `${count(total)} threads are ${warps} warps${spread()}; ${taken} x ${count(perWarp)} = ${count(taken * perWarp)}`;
  return [
    {
      limit: 'registers',
      need: registers,
      most: chip.registersThread,
      of: `registers a thread of ${chip.name}`,
    },
    {
      limit: 'registers',
      need: taken * perWarp,
      most: chip.registersBlock,
      sum,
      of: `registers a block of ${chip.name}`,
      moves: true,
    },
  ];
}

const OPT_IN =
  "State optIn: true in the launch if its launcher raises the kernel's largest dynamic shared size; if not, make it.";

/**
 * Up to the default without asking, up to the opt-in size for a launcher that asks. Static bytes never pass the
 * default.
 */
function sharedChecks({ localBytes, optIn }: LaunchAt, { staticShared }: CudaMeasured, chip: CudaChip): Check[] {
  const need = staticShared + localBytes;
  const sum = (): string => `static ${count(staticShared)} + dynamic ${count(localBytes)} = ${count(need)}`;
  const most = chip.sharedOptIn;
  const all = { need, sum, moves: true };
  return [
    {
      limit: 'local bytes',
      need: staticShared,
      most: chip.sharedDefault,
      sum: () => `static ${count(staticShared)}`,
      of: `static shared bytes a block of ${chip.name}`,
    },
    optIn || need > most
      ? { ...all, limit: 'local bytes', most, of: `opt-in bytes of ${chip.name}`, from: [chip, 'sharedOptIn'] }
      : {
          ...all,
          limit: 'opt-in',
          most: chip.sharedDefault,
          of: `bytes that ${chip.name} gives without opt-in`,
          do: OPT_IN,
        },
  ];
}

function clusterChecks({ cluster, grid }: LaunchAt, measured: CudaMeasured, chip: CudaChip): Check[] {
  const blocks = cluster ?? 1;
  const shape: Extent = measured.cluster ?? [blocks, 1, 1];
  return [
    sizeCheck(blocks, chip),
    ...declaredChecks(cluster, measured),
    must(
      'cluster',
      grid.every((size, i) => size % (shape[i] ?? 1) === 0),
      () => `the grid ${extentText(grid)} is no whole number of clusters of ${extentText(shape)}`,
    ),
  ];
}

function sizeCheck(blocks: number, chip: CudaChip): Check {
  if (chip.clusterMost === 1) {
    return must('cluster', blocks === 1, () => `a cluster of ${blocks}, but ${chip.name} has no clusters`);
  }
  const portable = blocks <= chip.clusterPortable;
  const asked = portable ? '' : `, past ${chip.clusterPortable} only for a launcher that allows non-portable sizes`;
  return {
    limit: 'cluster',
    need: blocks,
    most: chip.clusterMost,
    sum: () => `a cluster of ${blocks}`,
    of: `blocks of ${chip.name}${asked}`,
    moves: !portable,
    from: [chip, 'clusterMost'],
  };
}

/** What the image says of its clusters; ptxas checks none of it against the chip. */
function declaredChecks(stated: number | undefined, measured: CudaMeasured): Check[] {
  const { cluster, maxClusterRank: most, explicitCluster } = measured;
  const blocks = stated ?? 1;
  const checks: Check[] = [];
  if (cluster) {
    const required = volumeOf(cluster);
    const what = (): string =>
      `the launch states a cluster of ${blocks}, but the image needs ${extentText(cluster)} = ${required}`;
    checks.push(must('cluster', blocks === required, what));
  } else if (explicitCluster) {
    checks.push(must('cluster', stated !== undefined, () => 'the image needs a cluster, and the launch states none'));
  }
  if (most !== undefined) {
    const of = 'of the launch bound (.maxclusterrank)';
    checks.push({ limit: 'cluster', need: blocks, most, sum: () => `a cluster of ${blocks}`, of });
  }
  return checks;
}

function gridChecks({ grid }: LaunchAt, chip: CudaChip): Check[] {
  const axis = nearestAxis(grid, chip.grid);
  return [
    notEmpty('grid', grid, 'a grid'),
    {
      limit: 'grid',
      need: grid[axis],
      most: chip.grid[axis],
      sum: () => `grid ${AXES[axis]} ${count(grid[axis])}`,
      of: `of ${chip.name}`,
      moves: true,
    },
  ];
}
