/**
 * What has to be said of launches on chips, found by few checks. Launches are gathered under covers, which depend on no limit of
 * a chip, so that a build may do it once; every run holds the covers to the chips, and audits alone what no cover answers for.
 */
import type { Selects, Verdict } from './audit.ts';
import { everything, questionOf, verdictOn } from './audit.ts';
import type { Chip } from './chips/chip.ts';
import type { Covers } from './cover.ts';
import { coverFits, coversOf } from './cover.ts';
import type { Recorded } from './recorded.ts';

/** The launches of one chip by their places in the list of all. */
export interface ChipSieve extends Covers {
  readonly chip: string;
  readonly launches: number;
}

/** Plain data, by chip. */
export type Sieve = readonly ChipSieve[];

/** Gathers the launches that are selected. */
export const sieveOf = (recorded: Recorded, chips: readonly Chip[], selects: Selects = everything): Sieve =>
  chips.map((chip) => chipSieve(recorded, chip, selects));

function chipSieve({ launches }: Recorded, chip: Chip, selects: Selects): ChipSieve {
  const own = launches.flatMap((recorded, place) => {
    const asks = recorded.launch.dialect === chip.dialect && selects(recorded.launch, chip);
    return asks ? [{ ...questionOf(recorded, chip), place }] : [];
  });
  const { covers, open } = coversOf(own.filter(({ isStale }) => !isStale));
  const stale = own.filter(({ isStale }) => isStale).map(({ place }) => place);
  return { chip: chip.name, launches: own.length, covers, open: [...open, ...stale] };
}

/** All verdicts in counts, and those that are not as promised. */
export interface Sifted {
  readonly verdicts: number;
  readonly pending: number;
  /** Does not fit, or stale; in the order of the launches. */
  readonly told: readonly Verdict[];
}

/** Holds every cover to its chip. `recorded` is asked for where a launch has to be audited by itself. */
export async function sift(sieve: Sieve, chips: readonly Chip[], recorded: () => Promise<Recorded>): Promise<Sifted> {
  let verdicts = 0;
  let pending = 0;
  const open: Open[] = [];
  for (const { chip: name, launches, covers, open: alone } of sieve) {
    const chip = chips.find((one) => one.name === name);
    if (!chip) throw new Error(`the launches of ${name} were gathered, and there is no such chip`);
    verdicts += launches;
    for (const place of alone) open.push({ place, chip });
    for (const cover of covers) {
      if (!coverFits(cover, chip)) for (const place of cover.places) open.push({ place, chip });
      else if (cover.isPending) pending += cover.places.length;
    }
  }
  if (open.length === 0) return { verdicts, pending, told: [] };
  const alone = auditAlone(open, await recorded());
  const told = alone.filter(({ status }) => status === 'does not fit' || status === 'stale');
  return { verdicts, pending: pending + alone.filter(({ status }) => status === 'pending').length, told };
}

interface Open {
  readonly place: number;
  readonly chip: Chip;
}

function auditAlone(open: readonly Open[], { launches }: Recorded): Verdict[] {
  const inOrder = open.toSorted((a, b) => a.place - b.place);
  return inOrder.flatMap(({ place, chip }) => {
    const recorded = launches[place];
    return recorded ? [verdictOn(questionOf(recorded, chip))] : [];
  });
}
