/** From an aim to its smallest input: its images loaded, its case found, and shrunk, all within one time. */
import { isSameWay } from '../gates/mode.ts';
import { quarantineOn } from '../spec/registration.ts';
import type { Aim } from './aims.ts';
import { casesFor, findCase } from './find.ts';
import type { Minimal } from './minimise.ts';
import { minimise } from './minimise.ts';
import type { SearchOptions } from './search.ts';
import type { Settings, Shop } from './suspect.ts';
import { Suspect } from './suspect.ts';

/** A smallest input with the suspect that shows it, which its owner releases; or why there is none. */
export type Pursued = { readonly small: Minimal; readonly suspect: Suspect } | { readonly missed: string };

export interface PursueOptions extends Omit<SearchOptions, 'until'> {
  /** Milliseconds that finding and shrinking may take together; what compilers take stands apart. */
  readonly timeMs: number;
}

/** Throws a SubjectError where the target has no image. */
export async function pursue(shop: Shop, aim: Aim, given: Settings, options: PursueOptions): Promise<Pursued> {
  const { whyNot = quarantineOn(aim.target.kernel.contract, shop.on.chip) } = aim;
  if (whyNot !== undefined) return { missed: whyNot };
  const { schedules: _orders, ...others } = given;
  const settings = aim.target.gate === 'repeat' ? given : others;
  const suspect = await Suspect.prepare(shop, aim.target, [aim.way], settings);
  const until = performance.now() + options.timeMs;
  try {
    const cases = casesFor(aim.target, aim.wanted, settings.seed).filter((gateCase) => isSameWay(gateCase, aim.way));
    const found = await findCase(suspect, cases, aim.wanted, pause);
    if (!found) return failed(suspect, cases.length === 0 ? 'no case of it is there now' : 'it is not found now');
    const small = await minimise(found, { ...options, until });
    if (!small) return failed(suspect, 'its inputs do not show it by themselves');
    return { small, suspect: suspect.with(aim.way, small.schedules && { schedules: small.schedules }) };
  } catch (error) {
    suspect.release();
    throw error;
  }
}

function failed(suspect: Suspect, missed: string): Pursued {
  suspect.release();
  return { missed };
}

const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
