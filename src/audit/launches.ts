/** A contract's launches: its functions of the shape, called at every shape that it owes. */
import type { Dialect } from '../families/formula/functions.ts';
import type { Shape } from '../families/tensor.ts';
import { shapeText } from '../families/tensor.ts';
import type { Contract, Launch } from '../spec/contract.ts';
import type { Kernel } from '../spec/registration.ts';
import { launchesOf, sourceOf } from '../spec/registration.ts';
import { gateShapes } from '../spec/shapes.ts';
import { WARPS, launchShape, routeAt, warpsOf } from '../spec/warps.ts';
import type { AuditLaunch, LaunchAt } from './launch.ts';
import { extentOf, sameWidths } from './launch.ts';

/** Every launch of a kernel in all its dialects, at the shapes of gate 3, the largest served one among them. */
export function auditLaunches({ name, folder, contract, dialects }: Kernel): AuditLaunch[] {
  const shapes = gateShapes(contract);
  const taken = (dialect: Dialect, launch: Launch): LaunchAt[] =>
    warpsOf(dialect, launch).flatMap((warp) =>
      shapes
        .filter((shape) => routeAt(contract, dialect, shape, warp) === launch)
        .map((shape) => ({ ...launchAt(launch, shape, warp), ...notAt(contract, dialect, shape) })),
    );
  return dialects.flatMap((dialect) =>
    launchesOf(contract, dialect).map((launch) => ({
      kernel: name,
      dialect,
      symbol: launch.symbol,
      source: sourceOf(folder, dialect, launch),
      defines: launch.defines ?? {},
      at: outermost(taken(dialect, launch)),
    })),
  );
}

/** A contract that states its widths may leave out some of the served chips'. */
function notAt(contract: Contract, dialect: Dialect, shape: Shape): Pick<LaunchAt, 'notAt'> {
  const widths = WARPS[dialect].filter((warp) => routeAt(contract, dialect, shape, warp) === undefined);
  return widths.length > 0 ? { notAt: widths } : {};
}

function launchAt(launch: Launch, shape: Shape, warp: number): LaunchAt {
  const at = launchShape(shape, warp);
  return {
    threads: extentOf([launch.threads].flat()),
    grid: extentOf(launch.grid(at)),
    localBytes: launch.localBytes?.(at) ?? 0,
    ...(launch.cluster !== undefined && { cluster: launch.cluster }),
    optIn: launch.optIn ?? false,
    label: shapeText(shape),
  };
}

/** Launches that break every limit that any breaks. Clusters must divide each grid: there all distinct ones stay. */
function outermost(launches: readonly LaunchAt[]): LaunchAt[] {
  const distinct = new Map(
    launches.map((launch) => [[...launch.grid, launch.localBytes, 'not at', ...(launch.notAt ?? [])].join(), launch]),
  );
  const all = [...distinct.values()];
  return all.filter((launch) => !all.some((other) => other !== launch && standsFor(other, launch)));
}

function standsFor(other: LaunchAt, launch: LaunchAt): boolean {
  if (launch.cluster !== undefined || other.localBytes !== launch.localBytes || !sameWidths(other, launch))
    return false;
  return launch.grid.every((size, i) => size >= 1 && size <= (other.grid[i] ?? 0));
}
