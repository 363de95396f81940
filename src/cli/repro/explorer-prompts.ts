/** Prompts of the explorer, in one way: leaving one leaves the explorer. */
import type * as Clack from '@clack/prompts';
import { shownOn } from '../print.ts';

/** The person left at a prompt: Ctrl-C, or Escape. */
export class Left extends Error {}

/** Asks by a prompt of clack; throws Left where the person leaves. */
export async function ask<T>(prompt: (clack: typeof Clack) => Promise<T>): Promise<Exclude<T, symbol>> {
  const clack = await import('@clack/prompts');
  const answer = await prompt(clack);
  if (typeof answer === 'symbol') throw new Left();
  return answer as Exclude<T, symbol>;
}

/** Asks for a line of text. */
export const askText = (message: string, placeholder: string, initialValue = ''): Promise<string> =>
  ask(({ text }) => text({ message, placeholder, ...(initialValue !== '' && { initialValue }) }));

/** Lines under a heading, as they are: a terminal may be narrow, and a line that is cut is lost. */
export async function tellBlock(heading: string, lines: readonly string[]): Promise<void> {
  const { log } = await import('@clack/prompts');
  log.message(shownOn(process.stdout, [heading, ...lines].join('\n')));
}
