/** `new NAME`: writes a kernel that passes, with a contract that explains itself, to start from. */
import { lstatSync, mkdirSync } from 'node:fs';
import { writeWhole } from '../../device/toolchain/cache.ts';
import type { Dialect } from '../../families/formula/functions.ts';
import { DIALECTS } from '../../families/formula/functions.ts';
import { messageOf } from '../../spec/message-of.ts';
import { dialectOf } from '../../spec/registration.ts';
import type { ExitCode } from '../errors.ts';
import { UsageError } from '../errors.ts';
import { readNewFlags } from './flags.ts';
import { print } from '../print.ts';
import { templateTexts } from './template-texts.ts';

/** The template, whose name is in its files' names and texts. */
const TEMPLATE = 'row_softmax';
/** What an editor needs; one of each serves all kernels of a folder. */
const TYPES = 'tf-kernel-contract.d.ts';
const TSCONFIG = 'tsconfig.json';

/** Runs the command behind `new`: writes into the folder that it is run in. Throws a UsageError where something is in its place. */
export function newKernel(argv: readonly string[]): ExitCode {
  const { name, dialect: dialects } = readNewFlags(argv);
  if (isTaken(name))
    throw new UsageError(
      `${name} is there already, and nothing of it is overwritten.\n  Take another name, or move it away.`,
    );
  try {
    mkdirSync(name);
  } catch (error) {
    throw new UsageError(
      `The folder ${name} cannot be made: ${messageOf(error)}.\n  Run the command in a folder that is yours to write.`,
    );
  }
  const texts = templateTexts();
  const own = kernelFiles(name, dialects, texts);
  for (const [path, text] of own) writeWhole(path, text);
  const shared = [TYPES, TSCONFIG].filter((path) => writeShared(path, texts[path] ?? ''));
  print([...own.keys(), ...shared].map((path) => `${path.padEnd(2 * name.length + 16)}  ${ABOUT[kindOf(path)]}`));
  print([`Next: tf-kernel-contract ./${name}`]);
  return 0;
}

/** A link that leads nowhere is there too. */
const isTaken = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

type Kind = 'contract' | 'source' | 'types' | 'tsconfig';

const ABOUT: Readonly<Record<Kind, string>> = {
  contract: 'what the kernel promises, and two faults that must be found',
  source: 'the kernel: softmax over rows, to be replaced by yours',
  types: 'types of what contracts import, for editors',
  tsconfig: 'for editors: contracts are type-checked as you write',
};

function kindOf(path: string): Kind {
  if (path === TYPES) return 'types';
  if (path === TSCONFIG) return 'tsconfig';
  return path.endsWith('.contract.ts') ? 'contract' : 'source';
}

/** The files of a kernel's folder by their paths. */
function kernelFiles(
  name: string,
  dialects: readonly Dialect[],
  texts: Readonly<Record<string, string>>,
): Map<string, string> {
  const files = new Map<string, string>();
  for (const [path, text] of Object.entries(texts)) {
    const isContract = path.endsWith('.contract.ts');
    const dialect = dialectOf(path);
    if (!isContract && (dialect === undefined || !dialects.includes(dialect))) continue;
    const named = text.replaceAll(TEMPLATE, name);
    files.set(path.replaceAll(TEMPLATE, name), isContract ? withDialects(named, dialects) : named);
  }
  return files;
}

/** A contract less the lines of dialects that were not asked for. */
function withDialects(text: string, dialects: readonly Dialect[]): string {
  const isLeft = (line: string): boolean => {
    const [, word] = /^\s*(\w+): /.exec(line) ?? [];
    const dialect = DIALECTS.find((one) => one === word);
    return dialect === undefined || dialects.includes(dialect);
  };
  return text.split('\n').filter(isLeft).join('\n');
}

/** Writes a file that serves all kernels of the folder, where there is none. */
function writeShared(path: string, text: string): boolean {
  if (isTaken(path)) return false;
  writeWhole(path, text);
  return true;
}
