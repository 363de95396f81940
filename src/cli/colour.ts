/**
 * Colours, for people only: on when stdout is a terminal. NO_COLOR turns them off and FORCE_COLOR on. CI by itself does not
 * turn them on, since a pipe is read by programs there.
 */
import type { Style } from '../report/style.ts';
import { PLAIN } from '../report/style.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Whether a stream has colours; a set but empty variable counts as unset. */
export function hasColours(stream: { readonly isTTY?: boolean }, env: Env): boolean {
  if (env['NO_COLOR']) return false;
  return (Boolean(env['FORCE_COLOR']) && env['FORCE_COLOR'] !== '0') || stream.isTTY === true;
}

/** The style for a stream. */
export async function styleFor(stream: { readonly isTTY?: boolean }, env: Env): Promise<Style> {
  if (!hasColours(stream, env)) return PLAIN;
  const { default: picocolors } = await import('picocolors');
  const { green, red, yellow, dim, bold } = picocolors.createColors(true);
  return { good: green, bad: (text) => bold(red(text)), warn: yellow, faint: dim };
}
