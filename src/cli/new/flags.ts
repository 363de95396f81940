/** The arguments of `new NAME`; every mistake says what to write instead. */
import type { Command, FlagTable, OptionsOf } from '../arguments/flag.ts';
import { readWords, usage } from '../arguments/flag.ts';
import { FLAGS } from '../arguments/flags.ts';

const { dialect, help } = FLAGS;

export const NEW_FLAGS = { dialect, help } as const satisfies FlagTable;

const COMMAND: Command = { name: 'new', page: 'new', others: FLAGS };

export interface NewOptions extends OptionsOf<typeof NEW_FLAGS> {
  readonly name: string;
}

/** Reads the arguments behind `new`; throws a UsageError for whatever cannot be meant. */
export function readNewFlags(argv: readonly string[]): NewOptions {
  const { options, words } = readWords(NEW_FLAGS, argv, COMMAND);
  const [name, second] = words;
  if (name === undefined) throw usage('new needs a name for the kernel.', COMMAND);
  if (second !== undefined) throw usage(`new takes one name, but got '${name}' and '${second}'.`, COMMAND);
  const isGiven = argv.some((word) => word === '--dialect' || word.startsWith('--dialect='));
  if (!isGiven) throw usage('new needs --dialect: cuda, hip, metal or xpu, or several by commas.', COMMAND);
  if (!/^[a-z][a-z0-9_]*$/.test(name)) throw usage(misnamed(name), COMMAND);
  return { ...options, name };
}

function misnamed(name: string): string {
  const close = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^[^a-z]+|_+$/g, '');
  const meant = close === '' ? '' : ` (did you mean ${close}?)`;
  return `'${name}' is no name for a kernel${meant}: lower-case letters, digits and _, from a letter.`;
}
