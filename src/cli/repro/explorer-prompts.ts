/** Prompts of the explorer, in one way: leaving one leaves the explorer. */
import type * as Clack from '@clack/prompts';
import { SessionError } from '../../repro/session.ts';
import { shownOn } from '../print.ts';

/** The person left at a prompt: Ctrl-C, or Escape. */
export class Left extends Error {}

/** The characters that a locale writes: by POSIX the first of these that is set and not empty says it. */
export function writesUnicode({ LC_ALL, LC_CTYPE, LANG }: Readonly<Record<string, string | undefined>>): boolean {
  const locale = LC_ALL || LC_CTYPE || LANG;
  return locale === undefined || /utf-?8/i.test(locale);
}

/** Clack draws by letters alone on Linux' own console, and knows of no locale. */
export function loadClack(): Promise<typeof Clack> {
  if (!writesUnicode(process.env)) process.env['TERM'] = 'linux';
  return import('@clack/prompts');
}

/** Asks by a prompt of clack; throws Left where the person leaves. */
export async function ask<T>(prompt: (clack: typeof Clack) => Promise<T>): Promise<Exclude<T, symbol>> {
  const clack = await loadClack();
  const answer = await prompt(clack);
  if (typeof answer === 'symbol') throw new Left();
  return answer as Exclude<T, symbol>;
}

/** Asks for a line of text, and again with what is wrong where `check` throws a SessionError. */
export const askText = (
  message: string,
  placeholder: string,
  initialValue = '',
  check: (answer: string) => unknown = () => {},
): Promise<string> =>
  ask(({ text }) =>
    text({
      message,
      placeholder,
      ...(initialValue !== '' && { initialValue }),
      validate: (answer) => problemIn(() => check(answer ?? '')),
    }),
  );

function problemIn(check: () => unknown): string | undefined {
  try {
    check();
  } catch (error) {
    if (error instanceof SessionError) return error.message;
    throw error;
  }
  return undefined;
}

/** Lines under a heading, as they are: a terminal may be narrow, and a line that is cut is lost. */
export async function tellBlock(heading: string, lines: readonly string[]): Promise<void> {
  const { log } = await loadClack();
  log.message(shownOn(process.stdout, [heading, ...lines].join('\n')));
}
