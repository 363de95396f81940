/** The text of the help, made from the tables of commands and flags. The first page fits a terminal of 80 columns and 40 lines. */
import type { CommandPage } from './commands.ts';
import { COMMANDS, TOPICS, wrapped } from './commands.ts';
import { UsageError } from '../errors.ts';
import type { Flag, FlagTable } from './flag.ts';
import { GROUPS } from './flag.ts';
import { FLAGS } from './flags.ts';
import { suggestion } from './values.ts';

const PROGRAM = 'tf-kernel-contract';

/** `--help`: the commands, and the flags of a run but for rare ones. */
export function mainPage(): string {
  const common = Object.fromEntries(Object.entries<Flag>(FLAGS).filter(([, { rare }]) => !rare));
  const pages = [...COMMANDS, ...TOPICS].map(({ name }) => name).join(', ');
  return [
    `${PROGRAM}: may this GPU kernel land?`,
    '',
    'Runs every registered kernel through the gates, and every planted control that',
    'must turn a gate red. Without a GPU, sources run on the host device.',
    '',
    ...COMMANDS.filter(({ rare }) => !rare).map(
      ({ call, summary }) => `  ${`${PROGRAM} ${call}`.padEnd(36)} ${summary}`,
    ),
    `  ${`${PROGRAM} help PAGE`.padEnd(36)} more of each, and examples`,
    ...groupLines(common),
    '',
    wrapped(`Pages: ${pages}`),
    'Exit codes: 0 all as promised, 1 something is not, 2 a wrong command, 70 ours',
  ].join('\n');
}

/** The page of a command or a topic; throws a UsageError where there is none. */
export function pageOf(name: string): string {
  const command = COMMANDS.find((page) => page.name === name);
  if (command) return commandPage(command);
  const topic = TOPICS.find((page) => page.name === name);
  if (topic) return [`${PROGRAM}: ${topic.summary}`, '', topic.about].join('\n');
  const names = [...COMMANDS, ...TOPICS].map((page) => page.name);
  throw new UsageError(`There is no page '${name}'${suggestion(name, names)}.\n  There are ${names.join(', ')}.`);
}

function commandPage({ call, summary, about, flags, examples }: CommandPage): string {
  return [
    `${PROGRAM} ${call}: ${summary}`,
    '',
    about,
    ...groupLines(flags),
    '',
    'Examples',
    ...examples.flatMap(([command, what]) => exampleLines(`  ${PROGRAM} ${command}`, what)),
  ].join('\n');
}

function exampleLines(command: string, what: string): string[] {
  const line = `${command.padEnd(50)} ${what}`;
  return line.length <= 80 ? [line] : [command, `      ${what}`];
}

function groupLines(flags: FlagTable): string[] {
  return GROUPS.flatMap((group) => {
    const own = Object.entries(flags).filter(([, flag]) => flag.group === group);
    return own.length === 0 ? [] : ['', group, ...own.map(([name, flag]) => flagLine(name, flag))];
  });
}

function flagLine(name: string, { short, value, help }: Flag): string {
  const written = `${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`;
  return `  ${written.padEnd(16)} ${help}`;
}
