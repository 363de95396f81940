/** Metal: a launch of a pipeline on an Apple chip. */
import type { MetalChip } from '../chips/chip.ts';
import type { LaunchAt } from '../launch.ts';
import { volumeOf } from '../launch.ts';
import type { MetalMeasured } from '../measured.ts';
import { count } from '../../numerics/digits.ts';
import type { Asks, Check } from './check.ts';
import { must, notEmpty } from './check.ts';

/**
 * Tensor operations do not translate ahead of time for chips whose limit falls with registers: such kernels stay at
 * this.
 */
const TENSOR_THREADS = 256;

export const METAL_ASKS: Asks<MetalMeasured> = {
  rising: ['staticThreadgroup'],
  same: (a, b) => a.maxThreads === b.maxThreads && a.tensorOps === b.tensorOps && a.reserved === b.reserved,
};

/** Every limit of one launch. */
export function metalChecks(launch: LaunchAt, measured: MetalMeasured, chip: MetalChip): Check[] {
  const { threads, grid } = launch;
  const of = `threads a threadgroup of ${chip.name}`;
  return [
    notEmpty('threads', threads, 'a threadgroup'),
    { limit: 'threads', need: volumeOf(threads), most: chip.threads, of },
    ...pipelineChecks(volumeOf(threads), measured, chip),
    ...memoryChecks(launch, measured, chip),
    notEmpty('grid', grid, 'a grid'),
  ];
}

/** Past its pipeline's limit a dispatch runs nothing and reports nothing. */
function pipelineChecks(need: number, { maxThreads, tensorOps, reserved }: MetalMeasured, chip: MetalChip): Check[] {
  const checks: Check[] = [];
  if (reserved !== undefined) {
    const of = 'threads that the source reserves (max_total_threads_per_threadgroup)';
    checks.push({ limit: 'launch bound', need, most: reserved, of });
  }
  if (!chip.fallsWithRegisters) return checks;
  if (tensorOps) {
    const of = `threads of a tensor kernel on ${chip.name}, for which it cannot be compiled ahead of time`;
    checks.push({ limit: 'pipeline', need, most: TENSOR_THREADS, of });
  } else if (maxThreads !== undefined) {
    const of = `threads that the pipeline compiles for on ${chip.name}`;
    checks.push({ limit: 'pipeline', need, most: maxThreads, of, moves: maxThreads < chip.threads });
  } else if (reserved === undefined) {
    checks.push(must('pending', false, () => `not known: the threads that the pipeline compiles for on ${chip.name}`));
  }
  return checks;
}

function memoryChecks({ localBytes }: LaunchAt, { staticThreadgroup }: MetalMeasured, chip: MetalChip): Check[] {
  const need = staticThreadgroup + localBytes;
  const granule = chip.threadgroupGranule;
  return [
    {
      limit: 'local bytes',
      need,
      most: chip.threadgroupBytes,
      sum: () => `static ${count(staticThreadgroup)} + dynamic ${count(localBytes)} = ${count(need)}`,
      of: `threadgroup bytes of ${chip.name}`,
      moves: true,
    },
    must(
      'local bytes',
      localBytes % granule === 0,
      () => `dynamic ${count(localBytes)} is no multiple of ${granule}, which the encoder takes threadgroup memory in`,
    ),
  ];
}
