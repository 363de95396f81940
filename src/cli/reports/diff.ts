/** `diff A B`: what changed from one report to another. */
import { writeWhole } from '../../device/toolchain/cache.ts';
import { diffMarkdown, diffSummary, diffTable, madeOfLines } from '../../report/diff-text.ts';
import { diffReports } from '../../report/diff.ts';
import { styleFor } from '../colour.ts';
import { readDiffFlags } from './diff-flags.ts';
import type { ExitCode } from '../errors.ts';
import { requireApart, requireWritable } from './json-file.ts';
import { print } from '../print.ts';
import { readReportFile } from './read-report.ts';

/** Columns of output that no terminal cuts. */
const WIDE = 160;

/** Returns 1 where something got worse. */
export async function diff(argv: readonly string[]): Promise<ExitCode> {
  const { before: a, after: b, markdown } = readDiffFlags(argv);
  if (markdown !== undefined) {
    const read = [a, b].map((file) => ({ what: 'a report that is compared', file }));
    requireApart([{ what: '--markdown', file: markdown }], read);
    requireWritable(markdown, '--markdown');
  }
  const [before, after] = [readReportFile(a), readReportFile(b)];
  const changes = diffReports(before, after);
  if (markdown !== undefined) writeWhole(markdown, diffMarkdown(changes, before, after));
  print(madeOfLines(before, after));
  print(await diffTable(changes, process.stdout.columns ?? WIDE, await styleFor(process.stdout, process.env)));
  print([diffSummary(changes)]);
  return changes.some(({ turn }) => turn === 'worse') ? 1 : 0;
}
