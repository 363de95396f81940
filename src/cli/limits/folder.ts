/** Every image below a folder, one file in memory at a time. */
import { readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { ImageProblem, Measured } from '../../audit/measured.ts';
import { isMetalImage } from '../../audit/images/metal.ts';
import { readImage } from '../../audit/images/read.ts';
import { UsageError } from '../errors.ts';
import { PLANTED_FOLDER } from '../offline/workspace.ts';

/** A kernel of an image, and what its path says of who compiled it. */
export interface FoundKernel {
  /** Relative to the folder. */
  readonly file: string;
  readonly measured: Measured;
  /** By a folder named as a set of records: `nvcc-13.0`, `clang-19.1`. */
  readonly compiler?: { readonly name: string; readonly release: string };
  /** A planted edit of a source, which is held to no record. */
  readonly planted: boolean;
}

export interface FoundImages {
  readonly kernels: readonly FoundKernel[];
  readonly problems: readonly ImageProblem[];
  /** Files that hold an image. */
  readonly images: number;
  /** Metal's among them, which state no limits by themselves. */
  readonly metal: number;
  /** Files that hold none: sources, notes, host code alone. */
  readonly others: number;
}

/** Reads a folder recursively, or one file; links are not followed. Throws a UsageError where there is nothing to read. */
export function readImages(folder: string, onFile: (done: number, total: number, file: string) => void): FoundImages {
  const files = filesOf(folder);
  const kernels: FoundKernel[] = [];
  const problems: ImageProblem[] = [];
  let others = 0;
  let metal = 0;
  for (const [i, { name, path }] of files.entries()) {
    onFile(i, files.length, name);
    const bytes = readFileSync(path);
    if (isMetalImage(bytes)) {
      metal++;
      continue;
    }
    const reading = readImage(bytes, name);
    if (reading.problems.some((problem) => problem.class === 'not-an-image') && reading.kernels.length === 0) {
      others++;
      continue;
    }
    for (const measured of reading.kernels) kernels.push({ file: name, measured, ...fromPath(name) });
    problems.push(...reading.problems);
  }
  return { kernels, problems, images: files.length - others, metal, others };
}

interface File {
  readonly name: string;
  readonly path: string;
}

function filesOf(folder: string): File[] {
  const stat = statSync(folder, { throwIfNoEntry: false });
  if (!stat)
    throw new UsageError(`limits ${folder}: there is no such folder.\n  Name the folder that holds the images.`);
  if (stat.isFile()) return [{ name: basename(folder), path: folder }];
  const scan = { cwd: folder, onlyFiles: true, dot: true, followSymlinks: false };
  return [...new Bun.Glob('**/*').scanSync(scan)].toSorted().map((name) => ({ name, path: join(folder, name) }));
}

const SET = /^([a-z]+)-(\d+(?:\.\d+)*)$/;

function fromPath(name: string): Pick<FoundKernel, 'compiler' | 'planted'> {
  const parts = name.split('/').slice(0, -1);
  const [, compiler, release] = parts.map((part) => SET.exec(part)).findLast((match) => match !== null) ?? [];
  return {
    planted: parts.includes(PLANTED_FOLDER),
    ...(compiler !== undefined && release !== undefined && { compiler: { name: compiler, release } }),
  };
}
