/** Kernels by chips: fits, tight, does not fit, stale, pending. Chips are columns where the terminal holds them, else lists. */
import type { Dialect } from '../families/formula/functions.ts';
import type { Verdict, VerdictStatus } from '../audit/audit.ts';
import { CHIPS } from '../audit/chips/all.ts';
import { tableLines } from './records-table.ts';
import type { Style } from './style.ts';

/** The verdicts of a launch by chip. */
interface Row {
  readonly name: string;
  readonly verdicts: readonly Verdict[];
}

const ORDER: readonly VerdictStatus[] = ['fits', 'tight', 'does not fit', 'stale', 'pending'];

/** One table a dialect, at most `width` columns wide. */
export async function limitsTables(verdicts: readonly Verdict[], width: number, style: Style): Promise<string[]> {
  const lines: string[] = [];
  for (const [dialect, own] of Map.groupBy(verdicts, (verdict) => verdict.dialect)) {
    const rows = rowsOf(own);
    const wide = wideRows(dialect, rows, style);
    lines.push(...(await tableLines(naturalWidth(wide) <= width ? wide : narrowRows(dialect, rows, style), width)));
  }
  return lines;
}

/** Launches of one kernel that have their symbols apart carry them. */
function rowsOf(verdicts: readonly Verdict[]): Row[] {
  const launches = Map.groupBy(verdicts, ({ kernel, symbol, defines = '' }) =>
    JSON.stringify([kernel, symbol, defines]),
  );
  const kernels = new Map<string, number>();
  for (const [first] of launches.values()) if (first) kernels.set(first.kernel, (kernels.get(first.kernel) ?? 0) + 1);
  return [...launches.values()]
    .map((own) => {
      const [first] = own;
      const { kernel = '', symbol = '', defines = '' } = first ?? {};
      return {
        name: kernels.get(kernel) === 1 ? kernel : [kernel, symbol, defines].filter(Boolean).join(' '),
        verdicts: own,
      };
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Chips in the order of their tables; images may be of a chip's own features, `sm_90a`. */
function chipsOf(dialect: Dialect, rows: readonly Row[]): string[] {
  const named = new Set(rows.flatMap(({ verdicts }) => verdicts.map(({ chip }) => chip)));
  const known = CHIPS.filter((chip) => chip.dialect === dialect).flatMap(({ name }) => [name, `${name}a`, `${name}f`]);
  return [...known.filter((name) => named.has(name)), ...[...named].filter((name) => !known.includes(name))];
}

function wideRows(dialect: Dialect, rows: readonly Row[], style: Style): string[][] {
  const chips = chipsOf(dialect, rows);
  const cells = rows.map(({ name, verdicts }) => [name, ...chips.map((chip) => cellOf(verdicts, chip, style))]);
  return [[dialect, ...chips], ...cells];
}

const NO_IMAGE = '-';

/** The worst of a chip's verdicts: a tight one with its limit and share. */
function cellOf(verdicts: readonly Verdict[], chip: string, style: Style): string {
  const own = verdicts.filter((verdict) => verdict.chip === chip);
  const worst = worstOf(own);
  return worst ? paint(worst.status, cellText(worst), style) : style.faint(NO_IMAGE);
}

const RANK: readonly VerdictStatus[] = ['fits', 'tight', 'pending', 'stale', 'does not fit'];

function worstOf(verdicts: readonly Verdict[]): Verdict | undefined {
  return verdicts.toSorted((a, b) => RANK.indexOf(b.status) - RANK.indexOf(a.status))[0];
}

function cellText({ status, near, problems }: Verdict): string {
  if (status === 'tight' && near) return `${near.limit} ${Math.round(100 * near.used)} %`;
  if (status === 'does not fit') return problems.find(({ limit }) => limit !== 'stale')?.limit.concat(' !') ?? status;
  return status;
}

function paint(status: VerdictStatus, text: string, style: Style): string {
  if (status === 'fits') return style.good(text);
  if (status === 'pending') return style.faint(text);
  return status === 'tight' ? style.warn(text) : style.bad(text);
}

/** A line for each verdict that a launch has, with its chips. */
function narrowRows(dialect: Dialect, rows: readonly Row[], style: Style): string[][] {
  const lines = rows.flatMap(({ name, verdicts }) =>
    ORDER.flatMap((status) => {
      const own = verdicts.filter((verdict) => verdict.status === status);
      const texts = Map.groupBy(own, cellText);
      return [...texts].map(([text, sharing]) => [
        paint(status, text, style),
        sharing.map(({ chip }) => chip).join(' '),
      ]);
    }).map((line, i) => [i === 0 ? name : '', ...line]),
  );
  return [[dialect, 'verdict', 'chips'], ...lines];
}

function naturalWidth(rows: readonly (readonly string[])[]): number {
  const [first = []] = rows;
  const widths = first.map((_, i) => Math.max(...rows.map((row) => Bun.stringWidth(row[i] ?? ''))));
  return widths.reduce((sum, width) => sum + width + 3, 1);
}
