/** Paths of a command to the contracts that they name: a contract file, a kernel's folder, or a folder of kernels' folders. */
import { statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { Outside } from '../../spec/outside.ts';
import { COMMANDS } from '../arguments/commands.ts';
import { UsageError } from '../errors.ts';
import { suggestion } from '../arguments/values.ts';

const SUFFIX = '.contract.ts';

/** Finds the contracts of paths; throws a UsageError for one that names none. Nothing is run or read yet. */
export function outsideOf(paths: readonly string[]): Outside {
  const found = paths.map(contractsAt);
  const root = found.map((each) => each.root).reduce(commonFolder);
  const contracts = found.flatMap((each) => each.contracts.map((path) => relative(root, path)));
  return { root, contracts: [...new Set(contracts)].toSorted(), named: paths };
}

interface Found {
  /** The folder that the kernels' folders lie in. */
  readonly root: string;
  /** Absolute. */
  readonly contracts: readonly string[];
}

function contractsAt(path: string): Found {
  const absolute = resolve(path);
  const found = statSync(absolute, { throwIfNoEntry: false });
  if (!found) throw new UsageError(nothingAt(path));
  if (found.isDirectory()) return contractsBelow(path, absolute);
  if (!found.isFile()) throw new UsageError(`${path} is a device, a pipe or a socket, and no file.\n  ${WHAT}`);
  if (!absolute.endsWith(SUFFIX))
    throw new UsageError(`${path} is no contract: its name does not end in ${SUFFIX}.\n  ${WHAT}`);
  return { root: join(dirname(absolute), '..'), contracts: [absolute] };
}

/** A bare word may be meant as a command, or as what a case is selected by. */
function nothingAt(path: string): string {
  if (/[./]/.test(path)) return `There is no ${path}.\n  ${WHAT}`;
  const commands = COMMANDS.map(({ call }) => call.split(' ')[0] ?? '').filter((call) => /^\w/.test(call));
  return [
    `'${path}' is no command and no path${suggestion(path, ['help', ...commands])}.`,
    `  Cases are selected with --only ${path}.`,
    `  ${WHAT}`,
  ].join('\n');
}

const WHAT = `Name a contract file (NAME${SUFFIX}), a kernel's folder, or a folder of such folders.`;

function contractsBelow(path: string, folder: string): Found {
  const files = [...new Bun.Glob(`**/*${SUFFIX}`).scanSync({ cwd: folder })].filter(isOwn);
  if (files.length === 0)
    throw new UsageError(
      `${path} holds no contract: no file below it ends in ${SUFFIX}.\n  tf-kernel-contract new NAME --dialect cuda writes one to start from.`,
    );
  const isKernel = files.some((file) => basename(file) === file);
  return { root: isKernel ? dirname(folder) : folder, contracts: files.map((file) => join(folder, file)) };
}

/** Packages that a folder has installed are not what it was named for. */
const isOwn = (file: string): boolean => !`/${file}`.includes('/node_modules/');

function commonFolder(a: string, b: string): string {
  const path = relative(a, b);
  if (!path.startsWith('..')) return a;
  return commonFolder(dirname(a), b);
}
