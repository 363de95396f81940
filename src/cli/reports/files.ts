/** The forms that a run's report is written in: checked before anything runs, written at its end. */
import { appendFileSync, statSync } from 'node:fs';
import { writeWhole } from '../../device/toolchain/cache.ts';
import type { Report } from '../../report/schema.ts';
import { requireWritable } from './json-file.ts';
import type { ReportFlags } from './flags.ts';
import { FILE_FORMS } from './flags.ts';

/** Throws a UsageError where one of the files cannot be written. */
export function requireReportFiles(flags: ReportFlags): void {
  for (const name of FILE_FORMS) if (flags[name] !== undefined) requireWritable(flags[name], `--${name}`);
  const summary = flags.github ? summaryFile() : undefined;
  if (summary !== undefined) requireWritable(summary, 'GITHUB_STEP_SUMMARY');
}

/** Writes what is asked for; returns the lines that GitHub's runner reads from standard output. */
export async function writeReport(report: Report, { json, junit, html: page, github }: ReportFlags): Promise<string[]> {
  if (json !== undefined) writeWhole(json, (await import('../../report/json.ts')).reportText(report));
  if (junit !== undefined) writeWhole(junit, (await import('../../report/junit.ts')).junitText(report));
  if (page !== undefined) writeWhole(page, (await import('../../report/page/page.ts')).pageText(report));
  if (!github) return [];
  await appendSummary(report, summaryFile());
  return (await import('../../report/github.ts')).annotationLines(report);
}

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
