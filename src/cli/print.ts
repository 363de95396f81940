/**
 * What is printed. Texts come from files, compilers and drivers of anybody: a character that a terminal obeys becomes one that it
 * shows, but for the program's own colours, and no line of them is a command to the runner of a GitHub workflow.
 */
import { withoutControls } from '../spec/controls.ts';
import { hasColours } from './colour.ts';

/** Lines on standard output. */
export function print(lines: readonly string[]): void {
  for (const line of lines) console.log(shownOn(process.stdout, line));
}

/** A text on standard error. */
export function printError(text: string): void {
  console.error(shownOn(process.stderr, text));
}

/** Lines that are commands to the runner of a GitHub workflow, as they are: whoever makes them has escaped what they hold. */
export function printCommands(lines: readonly string[]): void {
  for (const line of lines) console.log(line);
}

/** A text for a stream, as it may be written there. */
export const shownOn = (stream: { readonly isTTY?: boolean }, text: string): string =>
  shown(text, hasColours(stream, process.env), process.env['GITHUB_ACTIONS'] === 'true');

/** What picocolors begins and ends its colours with. */
// oxlint-disable-next-line no-control-regex -- these are the characters that are meant
const OWN = /(\u001b\[(?:1|2|22|31|32|33|39)m)/;

/** A text that shows as it is. */
export function shown(text: string, withColours: boolean, isWorkflow: boolean): string {
  const plain = text
    .replaceAll('\r\n', '\n')
    .split(OWN)
    .map((part, i) => (i % 2 === 0 ? withoutControls(part).replaceAll('\r', '\ufffd') : withColours ? part : ''))
    .join('');
  // The runner takes `::error::` behind any space, and `##[error]` anywhere.
  return isWorkflow ? plain.replace(/^(\s*:)(?=:)/gm, '$1\u200b').replaceAll('##[', '##\u200b[') : plain;
}
