/**
 * Widths: the lanes of a warp (a wave, a simdgroup, a sub-group). A kernel keeps its promise at every width that the served chips of
 * its dialect run, but where its launch states its own.
 */
import type { Dialect } from '../families/formula/functions.ts';
import type { Shape } from '../families/tensor.ts';
import type { Contract, Launch, LaunchShape } from './contract.ts';
import { launchesOf, routeOf } from './registration.ts';

/** Lanes that the served chips of a dialect run, the host device's first: src/audit/chips has the chips, and a test holds this to it. */
export const WARPS: Readonly<Record<Dialect, readonly number[]>> = {
  cuda: [32],
  hip: [32, 64],
  metal: [32],
  xpu: [32, 16, 8],
};

/** Every width of any dialect. */
export const WIDTHS: readonly number[] = [...new Set(Object.values(WARPS).flat())];

/** The widths that a launch runs at. The first is that of cases which name none. */
export const warpsOf = (dialect: Dialect, { warp }: Pick<Launch, 'warp'>): readonly number[] =>
  warp?.[dialect] === undefined ? WARPS[dialect] : [warp[dialect]].flat();

/** The first width of a launch. */
export const firstWarp = (dialect: Dialect, launch: Pick<Launch, 'warp'>): number => warpsOf(dialect, launch)[0] ?? 32;

/** The launch that takes a shape at a width, or at its own first one where none is named; undefined where none does. */
export function routeAt(contract: Contract, dialect: Dialect, shape: Shape, warp?: number): Launch | undefined {
  if (warp === undefined) return routeOf(contract, dialect, shape);
  return launchesOf(contract, dialect).find(
    (launch) => warpsOf(dialect, launch).includes(warp) && (launch.when?.(shape) ?? true),
  );
}

/** Whether a case at a width is one of a dialect's: cases that name no width are everyone's, and the first width needs no other. */
export function runsAt(contract: Contract, dialect: Dialect, shape: Shape, warp: number | undefined): boolean {
  if (warp === undefined) return true;
  const [first] = launchesOf(contract, dialect).filter((launch) => launch.when?.(shape) ?? true);
  return (
    first !== undefined && warp !== firstWarp(dialect, first) && routeAt(contract, dialect, shape, warp) !== undefined
  );
}

/** What a launch's functions take: the shape and the lanes of a warp. */
export const launchShape = (shape: Shape, warp: number): LaunchShape<string> => ({ ...shape, warp });

/** The width that a label names. */
export function warpOfLabel(label: string): number | undefined {
  const named = /,warp=(\d+)(?=,|$)/.exec(label)?.[1];
  return named === undefined ? undefined : Number(named);
}

/** A case's label at a width, which stands before the mode. */
export const warpLabel = (label: string, warp: number | undefined): string =>
  warp === undefined ? label : label.replace(/(?=,mode=[\w-]+$)|$/, `,warp=${warp}`);
