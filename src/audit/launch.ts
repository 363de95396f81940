/** A launch as a driver gets it. */
import type { Dialect } from '../families/formula/functions.ts';

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
  /** Lanes of a warp at which no launch of the kernel takes the shape, where there are any. */
  readonly notAt?: readonly number[];
  /** The shape, for messages: `rows=17,width=2056`. */
  readonly label?: string;
}

/** The launch as it is before a compile: which width that takes is not known. */
export const ofAnyWidth = ({ notAt: _widths, ...launch }: LaunchAt): LaunchAt => launch;

/** Whether two launches leave out the same widths. */
export const sameWidths = (a: LaunchAt, b: LaunchAt): boolean => (a.notAt ?? []).join() === (b.notAt ?? []).join();

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

/** Sizes that are not given are 1. */
export const extentOf = ([x = 1, y = 1, z = 1]: readonly number[]): Extent => [x, y, z];

export const volumeOf = ([x, y, z]: Extent): number => x * y * z;

/** Defines as one text, in the order of their names: `HEAD=128 THREADS=256`. Empty where there are none. */
export function definesText(defines: AuditLaunch['defines']): string {
  return Object.entries(defines)
    .map(([define, value]) => `${define}=${value}`)
    .toSorted()
    .join(' ');
}
