/** What a fault rule is, and the faults that it makes of a registration. */
import type { Dialect } from '../families/formula/functions.ts';
import type { Launch } from '../spec/contract.ts';
import type { Kernel } from '../spec/registration.ts';
import type { Code } from './code.ts';

/** Characters of a source replaced by others. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** One place of a source at which a rule plants its fault. */
export interface Site {
  readonly replacements: readonly Replacement[];
  /** Whether the replacement calls the functions of the prelude. */
  readonly prelude?: boolean;
}

/** A registration as rules see it. */
export interface Target {
  readonly kernel: Kernel;
  readonly dialect: Dialect;
  /** Each source of the registration's launches. */
  readonly code: Code;
}

interface RuleHead {
  /** The rule's name in addresses. */
  readonly name: string;
  /** What a person did who wrote such a kernel, in words. */
  readonly stands: string;
  /** Whether the rule owes the registration a fault: by its contract, never by whether a place was found. */
  readonly applies: (kernel: Kernel, dialect: Dialect, code: Code) => boolean;
}

/** A fault of the source, by its tokens. */
export interface SourceRule extends RuleHead {
  readonly sites: (target: Target) => readonly Site[];
}

/** A fault of the launch. */
export interface LaunchRule extends RuleHead {
  readonly launches: (kernel: Kernel, dialect: Dialect) => readonly PlantedLaunch[];
}

export interface PlantedLaunch {
  /** What the launch is and what it becomes, in words. */
  readonly from: string;
  readonly to: string;
  readonly plant: (launch: Launch) => Launch;
}

export type FaultRule = SourceRule | LaunchRule;

/** One planted fault of a registration. */
export interface Fault {
  readonly kernel: string;
  readonly dialect: Dialect;
  readonly rule: string;
  /** `kernel@dialect~rule.2`: the second place of the rule in the registration. */
  readonly address: string;
  /** `row_sum.cu:15`, or `launch`. */
  readonly place: string;
  readonly from: string;
  readonly to: string;
  readonly plant: Plant;
}

/** The whole text of a source with the fault in it, or the launch. */
export type Plant =
  | { readonly kind: 'source'; readonly path: string; readonly prelude: string; readonly text: string }
  | { readonly kind: 'launch'; readonly launch: (launch: Launch) => Launch };
