/** Faults of the launch: the grid or the group is of another size than the kernel was written for. */
import type { Launch } from '../../spec/contract.ts';
import type { LaunchRule } from '../rule.ts';

/** The launch with another count of groups along one axis. */
const withGrid =
  (axis: 0 | 1, count: (groups: number) => number) =>
  (launch: Launch): Launch => ({
    ...launch,
    grid: (shape) => launch.grid(shape).map((groups, i) => (i === axis ? count(groups) : groups)),
  });

const gridShort: LaunchRule = {
  name: 'grid-short',
  stands: 'the last group is not launched',
  applies: () => true,
  launches: () => [{ from: 'grid', to: 'grid less its last group', plant: withGrid(0, (groups) => groups - 1) }],
};

const gridDoubled: LaunchRule = {
  name: 'grid-doubled',
  stands: 'twice the groups are launched',
  applies: () => true,
  launches: () => [{ from: 'grid', to: 'twice the grid', plant: withGrid(0, (groups) => groups * 2) }],
};

const groupHalved: LaunchRule = {
  name: 'group-halved',
  stands: 'a group has half of the threads that the kernel is written for',
  applies: () => true,
  launches: () => [{ from: 'threads', to: 'threads / 2', plant: (launch) => withThreads(launch, (x) => x / 2) }],
};

function withThreads(launch: Launch, count: (threads: number) => number): Launch {
  const [x = 1, ...rest] = [launch.threads].flat();
  return { ...launch, threads: [count(x), ...rest] };
}

const groupOverfull: LaunchRule = {
  name: 'group-overfull',
  stands: 'a group has more threads than any chip takes',
  applies: () => true,
  launches: () => [{ from: 'threads', to: 'threads * 8', plant: (launch) => withThreads(launch, (x) => x * 8) }],
};

/** What the kernel never touches: only a chip's own limit speaks against it. */
const localOverfull: LaunchRule = {
  name: 'local-overfull',
  stands: 'the launch asks for more local memory than any chip has',
  applies: () => true,
  launches: () => [
    {
      from: 'local memory',
      to: 'local memory and 256 KiB',
      plant: (launch) => ({ ...launch, localBytes: (shape) => (launch.localBytes?.(shape) ?? 0) + 256 * 1024 }),
    },
  ],
};

export const LAUNCH: readonly LaunchRule[] = [gridShort, gridDoubled, groupHalved, groupOverfull, localOverfull];
