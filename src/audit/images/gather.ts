/** Collects what the parts of one file say, and bounds how many problems are kept: bytes must not buy memory. */
import type { ImageProblem, ImageReading, Measured } from '../measured.ts';
import { attempt } from './bytes.ts';

export interface Gathered {
  readonly kernels: Measured[];
  readonly problems: ImageProblem[];
  /** Problems met after the list was full. */
  unlisted: number;
}

const LISTED_PROBLEMS = 64;

export function gather(): Gathered {
  return { kernels: [], problems: [], unlisted: 0 };
}

export function addProblem(gathered: Gathered, problem: ImageProblem): void {
  if (gathered.problems.length < LISTED_PROBLEMS) gathered.problems.push(problem);
  else gathered.unlisted++;
}

/** Runs `add`, which adds the kernels of one part; its fault is a problem at `where`, and the other parts go on. */
export function addPart(gathered: Gathered, where: string, add: () => void): void {
  const problem = attempt(where, () => {
    add();
    return undefined;
  });
  if (problem !== undefined) addProblem(gathered, problem);
}

/** The reading of the file at `where`. No kernels and no problem becomes the problem `no-kernels`. */
export function readingOf(gathered: Gathered, where: string): ImageReading {
  const { kernels, problems, unlisted } = gathered;
  const more: ImageProblem = { class: 'malformed', where, what: `${unlisted} more problems are not listed` };
  const none: ImageProblem = { class: 'no-kernels', where, what: 'the image holds no kernels' };
  if (unlisted > 0) return { kernels, problems: [...problems, more] };
  return { kernels, problems: kernels.length + problems.length === 0 ? [none] : problems };
}
