/** How far off each case of a gate is, and maps of the few that a reader looks at. */
import type { GateCase } from './case.ts';
import type { ErrorMap } from './error-map.ts';
import type { Outcome } from './finding.ts';
import type { CaseError } from './result.ts';

/** Failing cases whose maps are kept. */
const FAILING = 3;

interface Taken extends CaseError {
  /** Plain arithmetic on ordinary data. */
  readonly isOrdinary: boolean;
}

export class CaseErrors {
  private readonly taken: Taken[] = [];

  take({ label, mode }: GateCase, outcome: Outcome): void {
    const share = shareOf(outcome);
    if (share === undefined) return;
    const { maps } = outcome;
    const isOrdinary = mode === 'plain' && !label.includes('data=');
    this.taken.push({ label, share, isOrdinary, ...(maps && { maps }) });
  }

  /** All cases in their order, with the maps of the worst, of the worst that is ordinary, and of the first that fail. */
  list(): CaseError[] {
    const mapped = this.taken.filter(({ maps }) => maps);
    const kept = new Set([
      worstOf(mapped),
      worstOf(mapped.filter(({ isOrdinary }) => isOrdinary)),
      ...mapped.filter(({ share }) => share > 1).slice(0, FAILING),
    ]);
    return this.taken.map((one) => {
      const { label, share, maps } = one;
      return { label, share, ...(maps && kept.has(one) && { maps }) };
    });
  }
}

/** The worst error of a case as a share of its bound; undefined where nothing was judged by ranges. */
function shareOf({ findings, margin, maps }: Outcome): number | undefined {
  // What is wrong is past its bound, if only by its sign.
  const past = findings
    .filter(({ class: kind }) => kind === 'value')
    .map(({ times = Infinity }) => Math.max(times, 1 + Number.EPSILON));
  const shares = margin ? [margin.share, ...past] : past;
  return shares.length > 0 && (margin || maps) ? Math.max(...shares) : undefined;
}

/** Of equals the one with more elements, which shows more. */
function worstOf(cases: readonly Taken[]): Taken | undefined {
  return cases.toSorted(
    (a, b) => Number(b.share > a.share) - Number(a.share > b.share) || elements(b) - elements(a),
  )[0];
}

const elements = ({ maps = [] }: Taken): number =>
  maps.reduce((sum, { rows, columns }: ErrorMap) => sum + rows * columns, 0);
