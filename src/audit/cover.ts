/**
 * Launches that one check answers for together: what asks no more of a chip than a launch that fits, fits. A cover is of
 * launches that agree in all that must equal something, and asks the most of each that ask.
 */
import type { Chip } from './chips/chip.ts';
import type { Extent, LaunchAt } from './launch.ts';
import { ofAnyWidth, sameWidths } from './launch.ts';
import type { Measured } from './measured.ts';
import type { Asks } from './rules/check.ts';
import { sameExtent } from './rules/check.ts';
import { CUDA_ASKS } from './rules/cuda.ts';
import { HIP_ASKS } from './rules/hip.ts';
import { METAL_ASKS } from './rules/metal.ts';
import { brokenLimits } from './rules/rules.ts';
import { XPU_ASKS } from './rules/xpu.ts';

/** A launch at its shapes. */
export interface Asked {
  /** What it is known by to whom asks. */
  readonly place: number;
  readonly at: readonly LaunchAt[];
  readonly measured: Measured;
  /** Nothing was measured: `measured` is the least that any kernel asks. */
  readonly isPending: boolean;
}

/** Plain data. */
export interface Cover extends Omit<Asked, 'place' | 'at'> {
  readonly launch: LaunchAt;
  /** The places of those that it answers for, each once. */
  readonly places: readonly number[];
}

export interface Covers {
  readonly covers: readonly Cover[];
  /** The places of those that none answers for. */
  readonly open: readonly number[];
}

interface Growing extends Cover {
  launch: LaunchAt & { grid: Extent };
  measured: Measured;
  readonly places: number[];
}

/** Gathers launches of one chip; one of several shapes is under one cover, or open. */
export function coversOf(asked: readonly Asked[]): Covers {
  const covers: Growing[] = [];
  const open: number[] = [];
  for (const one of asked) {
    const at = one.isPending ? one.at.map(ofAnyWidth) : one.at;
    const [first] = at;
    const together = first && at.every((launch) => canBeCovered(launch, one.measured) && sameLaunch(launch, first));
    if (together) for (const launch of at) putUnderCover(covers, one, launch);
    else open.push(one.place);
  }
  return { covers, open };
}

/** Whether a cover's launches break no limit of a chip of their dialect. Where it does not fit, nothing is known of them. */
export const coverFits = ({ launch, measured }: Cover, chip: Chip): boolean =>
  brokenLimits([launch], measured, chip).length === 0;

/** Grids must be whole clusters, so a larger one stands for no smaller; and an empty one is under every other. */
function canBeCovered({ cluster, grid }: LaunchAt, measured: Measured): boolean {
  const clustered = measured.dialect === 'cuda' && (measured.cluster !== undefined || measured.explicitCluster);
  return cluster === undefined && !clustered && grid.every((size) => size >= 1);
}

const ASKS = { cuda: CUDA_ASKS, hip: HIP_ASKS, xpu: XPU_ASKS, metal: METAL_ASKS } as const;

function putUnderCover(covers: Growing[], { place, measured, isPending }: Asked, launch: LaunchAt): void {
  const asks = ASKS[measured.dialect] as unknown as Asks<Measured>;
  const cover = covers.find(
    (one) => one.isPending === isPending && sameLaunch(one.launch, launch) && asks.same(one.measured, measured),
  );
  if (!cover) {
    covers.push({ launch: { ...launch }, measured: { ...measured }, isPending, places: [place] });
    return;
  }
  cover.launch.grid = cover.launch.grid.map((size, i) => Math.max(size, launch.grid[i] ?? 1)) as unknown as Extent;
  const raised = asks.rising.map((fact) => [fact, Math.max(factOf(cover.measured, fact), factOf(measured, fact))]);
  cover.measured = { ...cover.measured, ...Object.fromEntries(raised) };
  if (cover.places.at(-1) !== place) cover.places.push(place);
}

const factOf = (measured: Measured, fact: string): number =>
  Number((measured as Measured & Record<string, unknown>)[fact]);

const sameLaunch = (a: LaunchAt, b: LaunchAt): boolean =>
  a.localBytes === b.localBytes && a.optIn === b.optIn && sameExtent(a.threads, b.threads) && sameWidths(a, b);
