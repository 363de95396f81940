/** The forms that a run's report is written in: checked before anything runs, written at its end. */
import { appendFileSync, statSync } from 'node:fs';
import { writeWhole } from '../../device/toolchain/cache.ts';
import { messageOf } from '../../spec/message-of.ts';
import type { Report } from '../../report/schema.ts';
import type { NamedFile } from './json-file.ts';
import { requireApart, requireWritable } from './json-file.ts';
import type { ReportFlags } from './flags.ts';
import { FILE_FORMS } from './flags.ts';

/**
 * Throws a UsageError where one of the files cannot be written, or is another one of the command as well.
 * @param others Files that the command reads or writes beside its forms, by what they are to it.
 */
export function requireReportFiles(flags: ReportFlags, others: readonly NamedFile[] = []): void {
  const forms = FILE_FORMS.flatMap((name) =>
    flags[name] === undefined ? [] : [{ what: `--${name}`, file: flags[name] }],
  );
  requireApart(forms, others);
  for (const name of FILE_FORMS) if (flags[name] !== undefined) requireWritable(flags[name], `--${name}`);
  const summary = flags.github ? summaryFile() : undefined;
  if (summary !== undefined) requireWritable(summary, 'GITHUB_STEP_SUMMARY');
}

/** What came of writing the forms that were asked for. */
export interface Written {
  /** Lines that GitHub's runner reads from standard output. */
  readonly commands: readonly string[];
  /** What could not be written after all, a line each: a disk may be full by then. */
  readonly problems: readonly string[];
}

/** Writes what is asked for, each form whatever comes of the others. */
export async function writeReport(report: Report, flags: ReportFlags): Promise<Written> {
  const problems: string[] = [];
  const attempt = async (what: string, write: () => Promise<void>): Promise<void> => {
    try {
      await write();
    } catch (error) {
      problems.push(`${what} was not written: ${messageOf(error)}.`);
    }
  };
  for (const form of FILE_FORMS) {
    const file = flags[form];
    if (file !== undefined) await attempt(`--${form} ${file}`, async () => writeWhole(file, await TEXTS[form](report)));
  }
  if (!flags.github) return { commands: [], problems };
  await attempt('The job summary', () => appendSummary(report, summaryFile()));
  return { commands: (await import('../../report/github.ts')).annotationLines(report), problems };
}

const TEXTS: Readonly<Record<(typeof FILE_FORMS)[number], (report: Report) => Promise<string>>> = {
  json: async (report) => (await import('../../report/json.ts')).reportText(report),
  junit: async (report) => (await import('../../report/junit.ts')).junitText(report),
  html: async (report) => (await import('../../report/page/page.ts')).pageText(report),
};

const summaryFile = (): string | undefined => process.env['GITHUB_STEP_SUMMARY'] || undefined;

/** GitHub drops the whole summary of a step that is past 1,024 kB. */
const SUMMARY_ROOM = 1_000_000;

/** The file is the step's, and what other programs wrote there stays. */
async function appendSummary(report: Report, file: string | undefined): Promise<void> {
  if (file === undefined) return;
  const written = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  const { markdownText } = await import('../../report/markdown.ts');
  appendFileSync(file, markdownText(report, SUMMARY_ROOM - written));
}
