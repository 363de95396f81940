/** `--resume FILE`: the journal of a run, written as jobs end; one that is there already is continued. */
import { closeSync, existsSync, openSync, writeSync } from 'node:fs';
import { writeWhole } from '../device/toolchain/cache.ts';
import type { JobDone } from '../gates/lanes/lane.ts';
import type { Asked } from '../report/journal.ts';
import { headLine, isKept, jobLine, readJournal } from '../report/journal.ts';
import { messageOf } from '../spec/message-of.ts';
import { UsageError } from './errors.ts';
import { textOf } from './text-file.ts';
import { requireWritable } from './reports/json-file.ts';

export interface Journal {
  /** The jobs that an earlier run finished. */
  readonly finished: readonly JobDone[];
  /** Adds a job; it is in the file when this returns. */
  readonly add: (done: JobDone) => void;
  readonly close: () => void;
}

/** Far more than the results of every kernel take. */
const MOST_BYTES = 256 * 1024 * 1024;

/** Opens a journal, new or continued; throws a UsageError where the file is another run's. */
export function openJournal(path: string, asked: Asked): Journal {
  requireWritable(path, '--resume');
  const finished = existsSync(path) ? finishedOf(path, asked) : [];
  writeWhole(path, headLine(asked) + finished.map(jobLine).join('')); // less a line that was not finished
  const file = openSync(path, 'a');
  return {
    finished,
    add: (done) => {
      if (isKept(done)) writeSync(file, jobLine(done));
    },
    close: () => closeSync(file),
  };
}

function finishedOf(path: string, asked: Asked): JobDone[] {
  try {
    return readJournal(textOf(path, MOST_BYTES), asked);
  } catch (error) {
    throw new UsageError(
      `--resume ${path} cannot be continued: ${messageOf(error)}.\n  Give the command that wrote it, or another file.`,
    );
  }
}
