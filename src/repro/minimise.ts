/**
 * The smallest input that still fails for the same reason: least sizes, then fewest inputs that are not zero, then the simplest
 * values, over again until nothing changes. Deterministic but for where time runs out.
 */
import type { Inputs } from '../families/inputs.ts';
import type { Finding } from '../gates/finding.ts';
import type { Way } from '../gates/mode.ts';
import type { Cause } from '../spec/cause.ts';
import type { Found } from './find.ts';
import type { SearchOptions } from './search.ts';
import { Search } from './search.ts';
import { isLeast, smallest } from './shape.ts';
import type { Target } from './suspect.ts';
import type { Cell } from './values.ts';
import { fewest, isOneMinimal, nonzeroCells, simplest } from './values.ts';

/** An input, and how small it is known to be. */
export interface Minimal {
  readonly target: Target;
  readonly way: Way;
  readonly cause: Cause;
  readonly inputs: Inputs;
  readonly finding: Finding;
  readonly nonzero: readonly Cell[];
  /** The two orders that differ, of a finding of gate 2 that names them. */
  readonly schedules?: readonly number[];
  /** Where it was found: the label of the gate's own case. */
  readonly label: string;
  readonly trials: number;
  /** With any one input that is not zero at zero it passes. */
  readonly needsAll: boolean;
  /** A step less along any dimension passes, whichever inputs stay. */
  readonly isLeast: boolean;
  /** Time ran out before. */
  readonly isSpent: boolean;
}

/** Rounds of shape and values. */
const ROUNDS = 4;

/** Shrinks what was found; undefined where the gate's own way to judge does not find it in inputs by themselves. */
export async function minimise(found: Found, options: SearchOptions): Promise<Minimal | undefined> {
  const { gateCase, finding } = found;
  const { schedules } = finding;
  const suspect = schedules ? found.suspect.with(found.suspect.way, { schedules }) : found.suspect;
  const start = gateCase.prepare().inputs;
  const search = new Search(suspect, finding.cause, start, options);
  try {
    if (!search.findingOf(start)) return undefined;
    const inputs = await shrunk(search, start);
    return await proven(search, inputs, gateCase.label, schedules);
  } finally {
    search.close();
  }
}

async function shrunk(search: Search, start: Inputs): Promise<Inputs> {
  let inputs = start;
  for (let round = 0; round < ROUNDS && !search.isSpent; round++) {
    const before = inputs;
    const finding = search.findingOf(inputs);
    if (!finding) break;
    search.phase = 'shape';
    inputs = await smallest(search, inputs, finding);
    search.phase = 'values';
    inputs = await simplest(search, await fewest(search, inputs));
    if (inputs === before) break;
  }
  return inputs;
}

async function proven(
  search: Search,
  inputs: Inputs,
  label: string,
  schedules: readonly number[] | undefined,
): Promise<Minimal> {
  const { suspect, cause } = search;
  search.phase = 'proof';
  const finding = search.findingOf(inputs);
  if (!finding) throw new Error(`${label}: the smallest input passes where it is run again`);
  const needsAll = await isOneMinimal(search, inputs);
  const least = await isLeast(search, inputs, finding);
  return {
    target: suspect.target,
    way: suspect.way,
    cause,
    inputs,
    finding,
    nonzero: nonzeroCells(inputs, suspect.target.kernel.contract.inputs),
    ...(schedules && { schedules }),
    label,
    trials: search.trials,
    needsAll,
    isLeast: least,
    isSpent: search.isSpent,
  };
}
