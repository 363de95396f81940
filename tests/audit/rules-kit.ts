/** Launches, measurements and chips for tests of gate 5. */
import { chipNamed } from '../../src/audit/chips/all.ts';
import type { ChipOf } from '../../src/audit/chips/chip.ts';
import type { LaunchAt } from '../../src/audit/launch.ts';
import type { CudaMeasured, HipMeasured, Measured, MetalMeasured, XpuMeasured } from '../../src/audit/measured.ts';
import type { LimitProblem } from '../../src/audit/problem.ts';
import { limitProblems } from '../../src/audit/rules/rules.ts';

type Dialect = 'cuda' | 'hip' | 'xpu' | 'metal';

export function chip<D extends Dialect>(dialect: D, name: string): ChipOf<D> {
  const found = chipNamed(dialect, name);
  if (!found) throw new Error(`no ${dialect} chip ${name}`);
  return found as ChipOf<D>;
}

/** A launch of 32 threads in one group, changed. */
export const launch = (changes: Partial<LaunchAt> = {}): LaunchAt => ({
  threads: [32, 1, 1],
  grid: [1, 1, 1],
  localBytes: 0,
  optIn: false,
  ...changes,
});

export const threads = (x: number, y = 1, z = 1): LaunchAt => launch({ threads: [x, y, z] });

export const cuda = (facts: Partial<CudaMeasured> = {}): CudaMeasured => ({
  dialect: 'cuda',
  symbol: 'k',
  chip: 'sm_80',
  registers: 32,
  staticShared: 0,
  stack: 0,
  registerCap: 255,
  barriers: 1,
  explicitCluster: false,
  spillStores: 0,
  spillLoads: 0,
  ...facts,
});

export const hip = (facts: Partial<HipMeasured> = {}): HipMeasured => ({
  dialect: 'hip',
  symbol: 'k',
  chip: 'gfx1100',
  features: [],
  vgprs: 32,
  agprs: 0,
  sgprs: 16,
  staticLds: 0,
  scratch: 0,
  maxFlatWorkgroup: 1024,
  wave: 32,
  wgpMode: true,
  vgprSpills: 0,
  sgprSpills: 0,
  dynamicStack: false,
  ...facts,
});

/** A CDNA kernel: waves of 64, no work-group processor mode. */
export function cdna(facts: Partial<HipMeasured> = {}): HipMeasured {
  const { wgpMode: _none, ...rest } = hip({ chip: 'gfx942', wave: 64, ...facts });
  return rest;
}

export const xpu = (facts: Partial<XpuMeasured> = {}): XpuMeasured => ({
  dialect: 'xpu',
  symbol: 'k',
  chip: 'bmg',
  simd: 32,
  grf: 128,
  slm: 0,
  barriers: 0,
  scratch: 0,
  spills: 0,
  ...facts,
});

export const metal = (facts: Partial<MetalMeasured> = {}): MetalMeasured => ({
  dialect: 'metal',
  symbol: 'k',
  chip: 'M1',
  staticThreadgroup: 0,
  ...facts,
});

/** Problems of one launch on a chip, by name. */
export const problems = (at: LaunchAt, measured: Measured, name: string): readonly LimitProblem[] =>
  limitProblems([at], measured, chip(measured.dialect, name));

/** The limits that a launch breaks on a chip. */
export const broken = (at: LaunchAt, measured: Measured, name: string): string[] =>
  problems(at, measured, name).map(({ limit }) => limit);
