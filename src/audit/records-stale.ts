/**
 * Records that no longer say what is: of another source, or of another compile. Each problem prints the command that
 * mends it.
 */
import type { Dialect } from '../families/formula/functions.ts';
import { registrationName } from '../spec/registration.ts';
import type { Measured } from './measured.ts';
import type { LimitProblem } from './problem.ts';
import { differences } from './records.ts';
import type { FoundRecord } from './records-sets.ts';

/** The command that measures a kernel again and writes its records. */
export const remeasure = (kernel: string, dialect: Dialect): string =>
  `tf-kernel-contract --offline DIR --only ${registrationName(kernel, dialect)} --write`;

/** A record of another source than the one there is now: its numbers say nothing of this kernel. */
export function staleSource(record: FoundRecord, dialect: Dialect, hash: string): LimitProblem | undefined {
  if ('pending' in record || record.source === hash) return undefined;
  return stale(record, dialect, `it was compiled from source ${record.source}, and the source is now ${hash}`);
}

/**
 * A record that an image contradicts. The image's own numbers stand then, and the launch is not judged by the record's:
 * compilers allocate differently from release to release.
 */
export function staleImage(record: FoundRecord, measured: Measured): LimitProblem | undefined {
  if ('pending' in record) return undefined;
  const changed = differences(record.facts, measured);
  if (changed.length === 0) return undefined;
  const release = measured.release === undefined ? 'the image' : `the image, of release ${measured.release}`;
  return stale(record, measured.dialect, `${changed.join('; ')} in ${release}`);
}

function stale({ kernel, chip, path }: FoundRecord, dialect: Dialect, why: string): LimitProblem {
  const what = `${path}: ${kernel} on ${chip} is stale: ${why}`;
  return { limit: 'stale', what, do: `Run: ${remeasure(kernel, dialect)}` };
}
