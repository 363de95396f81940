/** The entries of what is known to be wrong: each must be one that a run can find, and find gone. */
import { nothingToProve } from './applies.ts';
import type { Dialect } from '../families/formula/functions.ts';
import type { Contract, KnownFinding } from './contract.ts';

export function checkKnown({ known = [], ...contract }: Contract, dialects: readonly Dialect[]): string[] {
  return known.flatMap((entry, i) => [
    ...checkPlace(entry, contract, dialects),
    ...(known.slice(0, i).some((other) => isSame(entry, other, dialects))
      ? [`${nameOf(entry)} is stated twice for the same dialects and chips: keep one entry`]
      : []),
  ]);
}

const nameOf = ({ gate, finding, what }: KnownFinding): string => `the known finding '${what}' (${gate}: ${finding})`;

function checkPlace(entry: KnownFinding, contract: Contract, dialects: readonly Dialect[]): string[] {
  const { gate, on = dialects, chips = [] } = entry;
  const nothing = nothingToProve(contract, gate);
  const unlaunched = on.filter((dialect) => !dialects.includes(dialect));
  const foreign = chips.filter((chip) => !on.some((dialect) => CHIPS[dialect].test(chip)));
  return [
    ...(nothing === undefined ? [] : [`${nameOf(entry)} can never be found: ${nothing}`]),
    ...unlaunched.map((dialect) => `${nameOf(entry)} is of ${dialect}, which has no launch`),
    ...foreign.map((chip) => `${nameOf(entry)} is of the chip ${chip}, which runs none of ${on.join(', ')}`),
  ];
}

/** How drivers name their chips. */
const CHIPS: Readonly<Record<Dialect, RegExp>> = {
  cuda: /^sm_\d+[a-z]?$/,
  hip: /^gfx[0-9a-f]+$/,
  metal: /^M\d+/,
  xpu: /^(?!sm_|gfx|M\d)\S+$/,
};

function isSame(a: KnownFinding, b: KnownFinding, dialects: readonly Dialect[]): boolean {
  const meet = (x: readonly string[] | undefined, y: readonly string[] | undefined, all: readonly string[]): boolean =>
    (x ?? all).some((word) => (y ?? all).includes(word));
  const chips = a.chips === undefined || b.chips === undefined ? a.chips === b.chips : meet(a.chips, b.chips, []);
  return a.gate === b.gate && a.finding === b.finding && meet(a.on, b.on, dialects) && chips;
}
