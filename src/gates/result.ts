/** What a run reports: plain values that cross threads. */
import type { LoadedAttributes } from '../device/gpu-info.ts';
import type { Dialect } from '../families/formula/functions.ts';
import type { GateName } from '../spec/contract.ts';
import type { ErrorMap } from './error-map.ts';
import type { Chain, Detected, Finding, Margin } from './finding.ts';

/** class: another class of an output. repeat: a bit that differs between runs. bits: any bit. ranges: what leaves a range. */
export type Sees = 'class' | 'repeat' | 'bits' | 'ranges';

export type Status = 'pass' | 'fail' | 'known' | 'not run';

/** A finding at its case. */
export interface CaseFinding extends Finding {
  /** The case's label: the shape, and what else tells it apart. */
  readonly label: string;
}

/** A launch's kernel as a GPU's driver tells of it once it is loaded. */
export interface LoadedKernel {
  readonly symbol: string;
  readonly defines: Readonly<Record<string, number | string>>;
  readonly attributes: LoadedAttributes;
  /** The records that its compiler makes: `nvcc-13.0`. */
  readonly set?: string;
}

/** How far off the outputs of a case are. */
export interface CaseError {
  readonly label: string;
  /** The worst error as a share of its bound; Infinity where that is no number. */
  readonly share: number;
  /** Of few cases: where they are off. */
  readonly maps?: readonly ErrorMap[];
}

/** One gate of one registration. */
export interface GateResult {
  readonly kind: 'gate';
  readonly kernel: string;
  readonly dialect: Dialect;
  readonly gate: GateName;
  readonly status: Status;
  /** Cases that ran. */
  readonly cases: number;
  readonly findings: readonly CaseFinding[];
  readonly margin?: Margin & { readonly label: string };
  readonly notes: readonly string[];
  /** What gate 4 found of the sums' order, at its cases. */
  readonly chains?: readonly (Chain & { readonly label: string })[];
  /** The least that the gate sees of this kernel; absent where it did not come to judge. */
  readonly sees?: Sees;
  /** Of each case that was judged by ranges. */
  readonly errors?: readonly CaseError[];
  /** What gates 3 and 4 would still have caught, a case for each route. */
  readonly detected?: readonly (Detected & { readonly label: string })[];
  /** On a GPU: what its driver tells of the loaded kernels. */
  readonly loaded?: readonly LoadedKernel[];
  /** Why a gate failed or did not run, where no finding says it. */
  readonly reason?: string;
  readonly elapsedMs: number;
}

/** red: the named gate failed for the named reason. missed: it stayed green. broken: anything else. */
export type ControlStatus = 'red' | 'missed' | 'broken' | 'not run';

export interface ControlResult {
  readonly kind: 'control';
  readonly kernel: string;
  readonly dialect: Dialect;
  readonly id: string;
  readonly fault: string;
  readonly gate: GateName;
  readonly status: ControlStatus;
  /** Where it went red, or why it did not. */
  readonly reason: string;
  /** What its gate found first that decides: of a red control what it names, of a broken one what else there was. */
  readonly found?: Pick<CaseFinding, 'label' | 'class' | 'cause'>;
  readonly elapsedMs: number;
}

export type Result = GateResult | ControlResult;
