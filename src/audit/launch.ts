/**
 * Launches as a driver gets them: a contract's functions of the shape, called at every shape that the contract owes.
 */
import type { Dialect } from '../families/formula/functions.ts';
import type { Shape } from '../families/tensor.ts';
import { shapeText } from '../families/tensor.ts';
import type { Launch } from '../spec/contract.ts';
import type { Kernel } from '../spec/registration.ts';
import { launchesOf, routeOf, sourceOf } from '../spec/registration.ts';
import { gateShapes } from '../spec/shapes.ts';

/** Sizes in x, y and z. */
export type Extent = readonly [number, number, number];

/** One launch at one shape. */
export interface LaunchAt {
  /** Threads a group. */
  readonly threads: Extent;
  /** Groups. */
  readonly grid: Extent;
  /** Dynamic local memory, in bytes. */
  readonly localBytes: number;
  /** Groups a cluster; undefined where the launch states none. */
  readonly cluster?: number;
  /** Whether the launcher asks for more local memory than the default allows. */
  readonly optIn: boolean;
  /** The shape, for messages: `rows=17,width=2056`. */
  readonly label?: string;
}

/** One way to launch a kernel in a dialect, at all its shapes. */
export interface AuditLaunch {
  readonly kernel: string;
  readonly dialect: Dialect;
  readonly symbol: string;
  /** The source file, relative to kernels/. */
  readonly source: string;
  readonly defines: Readonly<Record<string, number | string>>;
  /** Those of its launches that no other stands for. */
  readonly at: readonly LaunchAt[];
}

/** Every launch of a kernel in all its dialects, at the shapes of gate 3, the largest served one among them. */
export function auditLaunches({ name, folder, contract, dialects }: Kernel): AuditLaunch[] {
  const shapes = gateShapes(contract);
  const taken = (dialect: Dialect, launch: Launch): Shape[] =>
    shapes.filter((shape) => routeOf(contract, dialect, shape) === launch);
  return dialects.flatMap((dialect) =>
    launchesOf(contract, dialect).map((launch) => ({
      kernel: name,
      dialect,
      symbol: launch.symbol,
      source: sourceOf(folder, dialect, launch),
      defines: launch.defines ?? {},
      at: outermost(taken(dialect, launch).map((shape) => launchAt(launch, shape))),
    })),
  );
}

function launchAt(launch: Launch, shape: Shape): LaunchAt {
  return {
    threads: extentOf([launch.threads].flat()),
    grid: extentOf(launch.grid(shape)),
    localBytes: launch.localBytes?.(shape) ?? 0,
    ...(launch.cluster !== undefined && { cluster: launch.cluster }),
    optIn: launch.optIn ?? false,
    label: shapeText(shape),
  };
}

/** Sizes that are not given are 1. */
export const extentOf = ([x = 1, y = 1, z = 1]: readonly number[]): Extent => [x, y, z];

export const volumeOf = ([x, y, z]: Extent): number => x * y * z;

/** Launches that break every limit that any breaks. Clusters must divide each grid: there all distinct ones stay. */
function outermost(launches: readonly LaunchAt[]): LaunchAt[] {
  const distinct = new Map(launches.map((launch) => [[...launch.grid, launch.localBytes].join(), launch]));
  const all = [...distinct.values()];
  return all.filter((launch) => !all.some((other) => other !== launch && standsFor(other, launch)));
}

function standsFor(other: LaunchAt, launch: LaunchAt): boolean {
  if (launch.cluster !== undefined || other.localBytes !== launch.localBytes) return false;
  return launch.grid.every((size, i) => size >= 1 && size <= (other.grid[i] ?? 0));
}

/** Defines as one text, in the order of their names: `HEAD=128 THREADS=256`. Empty where there are none. */
export function definesText(defines: AuditLaunch['defines']): string {
  return Object.entries(defines)
    .map(([define, value]) => `${define}=${value}`)
    .toSorted()
    .join(' ');
}
