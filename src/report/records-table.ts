/** Tables of text that fit a terminal. The package that draws them is loaded by the first. */
import type { ChangeRow } from './records.ts';
import { changeStyle } from './records.ts';
import type { Style } from './style.ts';

/** The changes of one set. */
export interface ChangedSet {
  readonly path: string;
  readonly rows: readonly ChangeRow[];
}

/** What a compile changes in the records, one table for all sets. */
export async function changesTable(sets: readonly ChangedSet[], width: number, style: Style): Promise<string[]> {
  const rows = sets.flatMap(({ path, rows: own }) =>
    own.map(({ kernels, chips, what }, i) => [
      i === 0 ? path : '',
      kernels.join(', '),
      chips.join(' '),
      changeStyle(what, style),
    ]),
  );
  if (rows.length === 0) return [];
  return tableLines([['records', 'kernels', 'chips', 'change'], ...rows], width);
}

/** Space that a column's border and padding take. */
const COLUMN_FRAME = 3;
const LEAST_COLUMN = 6;

/** A table in at most `width` columns: the widest columns wrap first. */
export async function tableLines(rows: readonly (readonly string[])[], width: number): Promise<string[]> {
  const { table, getBorderCharacters } = await import('table');
  const widths = fitted(naturalWidths(rows), width);
  const drawn = table(
    rows.map((row) => [...row]),
    {
      border: getBorderCharacters('norc'),
      columns: widths.map((column) => ({ width: column, wrapWord: true })),
      drawHorizontalLine: (line, count) => line <= 1 || line === count,
    },
  );
  return drawn.trimEnd().split('\n');
}

const visible = (text: string): number => Bun.stringWidth(text);

function naturalWidths(rows: readonly (readonly string[])[]): number[] {
  const columns = Math.max(...rows.map((row) => row.length));
  return Array.from({ length: columns }, (_, i) => Math.max(1, ...rows.map((row) => visible(row[i] ?? ''))));
}

/** Widths that fit: the widest column gives a character at a time, none below a readable least. */
export function fitted(natural: readonly number[], width: number): number[] {
  const widths = [...natural];
  const room = Math.max(width - COLUMN_FRAME * widths.length - 1, LEAST_COLUMN * widths.length);
  for (let over = widths.reduce((a, b) => a + b, 0) - room; over > 0; over--) {
    const widest = widths.indexOf(Math.max(...widths));
    if ((widths[widest] ?? 0) <= LEAST_COLUMN) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}
