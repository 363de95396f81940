/** What a gate found at a case: a value, never a throw. */
import type { Detection, LostTerms } from './detection.ts';
import type { ErrorMap } from './error-map.ts';
import type { Cause } from '../spec/cause.ts';
import { CAUSES } from '../spec/cause.ts';
import type { FindingClass } from '../spec/contract.ts';

export interface Finding {
  readonly class: FindingClass | 'weak';
  /** What tells it apart from other findings of its class, in words that programs compare. */
  readonly cause: Cause;
  /** One sentence: what is wrong, with counts. */
  readonly what: string;
  /** The worst element in full: coordinates, got, want, bound. */
  readonly worst?: string;
  /** The output's element that `worst` is of, or the first that is wrong. */
  readonly at?: { readonly output: string; readonly index: number };
  /** The worst element's error as a multiple of its bound, where that is a number. */
  readonly times?: number;
  /** The two orders that differ, of a run that was asked for orders by their numbers. */
  readonly schedules?: readonly number[];
  /** Why it may be so: what is special about the place. */
  readonly why?: string;
}

/** A finding of a cause, which says its class. */
export const findingOf = (
  cause: Cause,
  what: string,
  rest: Omit<Finding, 'class' | 'cause' | 'what'> = {},
): Finding => ({ class: CAUSES[cause.code], cause, what, ...rest });

/** How near a passing kernel came to its bound. */
export interface Margin {
  /** The worst error as a share of its bound; 1 is at the bound. */
  readonly share: number;
  /** `y[16, 2055]`. */
  readonly where: string;
}

/** What a case has to say beside its verdict. Of the notes about one thing a gate keeps the one of the least rank. */
export interface Note {
  readonly about: string;
  readonly rank: number;
  readonly text: string;
}

/** A sum of a formula on one route: its real longest chain beside the declared one, or why it is not known. */
export interface Chain {
  /** The sum, as the formula writes it. */
  readonly sum: string;
  readonly symbol: string;
  readonly terms: number;
  /** Declared roundings on the longest chain. */
  readonly declared: number;
  /** Additions on the longest chain. */
  readonly longest?: number;
  /** At the longest served rows of the route: what is declared there, and what a chain has at least. */
  readonly longer?: { readonly at: string; readonly declared: number; readonly least: number };
  /** Why the chain is not known. */
  readonly why?: string;
}

/** What a gate would still have caught at a case, beside its margin. */
export interface Detected {
  readonly outputs: readonly Detection[];
  readonly sums: readonly LostTerms[];
}

export interface Outcome {
  readonly findings: readonly Finding[];
  readonly margin?: Margin;
  readonly notes?: readonly Note[];
  readonly chains?: readonly Chain[];
  readonly detected?: Detected;
  /** Where the outputs that are judged by ranges are off. */
  readonly maps?: readonly ErrorMap[];
  /** The library functions that the launch called, where its image notes them. */
  readonly functions?: readonly string[];
}

export function worseMargin(a: Margin | undefined, b: Margin | undefined): Margin | undefined {
  if (!a || !b) return a ?? b;
  return b.share > a.share ? b : a;
}
