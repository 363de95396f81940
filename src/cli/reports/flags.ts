/** The forms that a report is written in, of every command that has results. */
import type { FlagTable, OptionsOf } from '../arguments/flag.ts';
import { isGiven, one, some } from '../arguments/values.ts';

const file = one(some('the path of a file'), undefined);

export const REPORT_FLAGS = {
  json: {
    group: 'Report',
    value: 'FILE',
    help: 'write the results to FILE as well, as JSON',
    read: file,
  },
  junit: {
    group: 'Report',
    value: 'FILE',
    rare: true,
    help: 'the same as JUnit XML, for a CI system',
    read: file,
  },
  html: {
    group: 'Report',
    value: 'FILE',
    help: 'the same as one page that needs nothing else',
    read: file,
  },
  github: {
    group: 'Report',
    rare: true,
    help: 'annotations and a job summary, for a GitHub workflow',
    read: isGiven,
  },
} as const satisfies FlagTable;

export type ReportFlags = OptionsOf<typeof REPORT_FLAGS>;
export type ReportForm = keyof ReportFlags;

/** The forms that go to a file of their own. */
export const FILE_FORMS = ['json', 'junit', 'html'] as const satisfies readonly ReportForm[];

/** The first form that is asked for. */
export const askedForm = (flags: ReportFlags): ReportForm | undefined =>
  flags.github ? 'github' : FILE_FORMS.find((name) => flags[name] !== undefined);
