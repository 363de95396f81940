/** The man page in roff, made from the tables of commands and flags. */
import type { CommandPage } from './commands.ts';
import { COMMANDS, TOPICS } from './commands.ts';
import type { Flag, FlagTable } from './flag.ts';
import { GROUPS } from './flag.ts';
import { PROGRAM } from '../version.ts';

/** @param date Of the release, as 2026-11-30. */
export function manPage(version: string, date: string): string {
  return [
    `.TH ${PROGRAM.toUpperCase()} 1 "${date}" "${PROGRAM} ${version}" "User commands"`,
    '.SH NAME',
    `${roff(PROGRAM)} \\- decides whether a GPU kernel may land`,
    '.SH SYNOPSIS',
    ...[...COMMANDS.map(({ call }) => call), 'help [PAGE]']
      .flatMap((call) => [`.B ${roff(PROGRAM)}`, roff(call), '.br'])
      .slice(0, -1),
    ...COMMANDS.flatMap(commandText),
    ...TOPICS.flatMap(({ heading, about }) => [`.SH ${roff(heading)}`, '.nf', ...lines(about), '.fi']),
    '',
  ].join('\n');
}

function commandText({ name, summary, about, flags, examples }: CommandPage): string[] {
  return [
    `.SH ${roff(`${name}: ${summary}`.toUpperCase())}`,
    ...lines(about),
    ...GROUPS.flatMap((group) => groupText(group, flags)),
    '.SS Examples',
    ...examples.flatMap(([example, what]) => ['.TP', `.B ${roff(`${PROGRAM} ${example}`)}`, sentence(roff(what))]),
  ];
}

function groupText(group: string, flags: FlagTable): string[] {
  const own = Object.entries(flags).filter(([, flag]) => flag.group === group);
  return own.length === 0 ? [] : [`.SS ${group}`, ...own.flatMap(([name, flag]) => flagText(name, flag))];
}

function flagText(name: string, { short, value, help }: Flag): string[] {
  const written = `${short ? `\\fB\\-${short}\\fR, ` : ''}\\fB${roff(`--${name}`)}\\fR`;
  return ['.TP', `${written}${value ? ` \\fI${roff(value)}\\fR` : ''}`, sentence(roff(help))];
}

/** Text between requests: a line that begins with a sign of roff's would be one. */
const sentence = (text: string): string => (/^[.']/.test(text) ? `\\&${text}` : text);
const lines = (text: string): string[] => text.split('\n').map((line) => (line === '' ? '.PP' : sentence(roff(line))));
/** In ASCII alone: roff does not know what else its input is encoded in. */
const roff = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/[^ -~]/gu, (sign) => `\\[u${sign.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}]`);
