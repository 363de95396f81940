/** The changes between two reports as a table, as Markdown for a pull request, and as one line. */
import { withoutControls } from '../spec/controls.ts';
import type { Change, Turn } from './diff.ts';
import { code, tableOf } from './markdown.ts';
import { tableLines } from './records-table.ts';
import type { Report } from './schema.ts';
import type { Style } from './style.ts';
import { counted, partialText } from './words.ts';

/** Which of the two is not whole, and what they were made of as far as that differs: results may differ for that alone. */
export function madeOfLines(before: Report, after: Report): string[] {
  const facts: readonly (readonly [string, (report: Report) => string])[] = [
    ['program', ({ program: { version, commit } }) => `${version} ${commit}`],
    ['sources', ({ program }) => program.sources.slice(0, 16)],
    ['seed', ({ seed }) => seed],
    ['devices', ({ devices }) => devices.map(({ id, name }) => (id === name ? id : `${id} ${name}`)).join(', ')],
  ];
  const partial = ([report, which]: readonly [Report, string]): string[] =>
    report.partial ? [`the ${which} report is partial: ${partialText(report.partial)}`] : [];
  return [
    ...(
      [
        [before, 'first'],
        [after, 'second'],
      ] as const
    ).flatMap(partial),
    ...facts.flatMap(([name, of]) => (of(before) === of(after) ? [] : [`${name}: ${of(before)} -> ${of(after)}`])),
  ];
}

/** `DIFF 1 worse, 2 added, 0 better, 3 other`. */
export function diffSummary(changes: readonly Change[]): string {
  const number = (turn: Turn): number => changes.filter((change) => change.turn === turn).length;
  return `DIFF ${number('worse')} worse, ${number('added')} added, ${number('better')} better, ${number('other')} other`;
}

export async function diffTable(changes: readonly Change[], width: number, style: Style): Promise<string[]> {
  if (changes.length === 0) return [];
  const paint: Readonly<Record<Turn, (text: string) => string>> = {
    worse: style.bad,
    better: style.good,
    added: style.good,
    other: style.faint,
  };
  const rows = changes.map(({ turn, ...texts }) => [
    paint[turn](turn),
    ...[texts.address, texts.before, texts.after].map(withoutControls),
  ]);
  return tableLines([['', 'what', 'before', 'after'], ...rows], width);
}

/** A comment of GitHub has 65,536 characters at most. */
const ROOM = 60_000;

export function diffMarkdown(changes: readonly Change[], before: Report, after: Report): string {
  const made = madeOfLines(before, after).map((line) => `- ${code(line)}\n`);
  const head = `## Kernel contract: ${code(diffSummary(changes))}\n\n${code(before.summary)}\n\n${code(after.summary)}\n\n${made.join('')}\n`;
  const rows = changes.map(({ turn, address, before: old, after: now }) => [
    turn === 'worse' ? `**${turn}**` : turn,
    code(address),
    code(old),
    code(now),
  ]);
  if (rows.length === 0) return `${head}Nothing changed.\n`;
  const fitting = rowsWithin(rows, ROOM - head.length);
  const left = rows.length - fitting.length;
  return `${head}${tableOf(['', 'what', 'before', 'after'], fitting)}${left > 0 ? `\n${counted(left, 'more change')}.\n` : ''}`;
}

function rowsWithin(rows: readonly (readonly string[])[], room: number): (readonly string[])[] {
  let left = room;
  return rows.filter((row) => (left -= row.join(' | ').length + 8) > 0);
}
