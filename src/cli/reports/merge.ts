/** `merge FILE…`: the reports of several machines or shards as one SUMMARY, in every form of a report. */
import type { Part } from '../../report/merge.ts';
import { MergeError, mergeReports } from '../../report/merge.ts';
import type { Report } from '../../report/schema.ts';
import { counted } from '../../report/words.ts';
import type { ExitCode } from '../errors.ts';
import { NothingRunError } from '../errors.ts';
import { readMergeFlags } from './merge-flags.ts';
import { print, printCommands, printError } from '../print.ts';
import { readReportFile } from './read-report.ts';
import { requireReportFiles, writeReport } from './files.ts';

/** Returns the exit code of the merged results, or 1 where reports cannot be one. */
export async function merge(argv: readonly string[]): Promise<ExitCode> {
  const { files, ...forms } = readMergeFlags(argv);
  requireReportFiles(
    forms,
    files.map((file) => ({ what: 'a report that is merged', file })),
  );
  const report = merged(files.map((file) => ({ file, report: readReportFile(file) })));
  const { commands, problems } = await writeReport(report, forms);
  printCommands(commands);
  print([`${counted(files.length, 'report')}, seed ${report.seed}, ${report.devices.map(({ id }) => id).join(', ')}`]);
  print([report.summary]);
  for (const problem of problems) printError(problem);
  const code = report.exitCode === 0 || report.exitCode === 70 ? report.exitCode : 1;
  return problems.length > 0 && code === 0 ? 1 : code;
}

function merged(parts: readonly Part[]): Report {
  try {
    return mergeReports(parts);
  } catch (error) {
    if (!(error instanceof MergeError)) throw error;
    const lines = error.problems.map((problem) => `  ${problem}`);
    throw new NothingRunError(['These reports are not one, so nothing was merged.', ...lines, ADVICE].join('\n'));
  }
}

const ADVICE = '  Merge the reports of one program, one state of the kernels and one seed, each shard once.';
