/** Where in a contract's text a problem is, found by what the problem names: an author sees the line beside the words. */

export interface Place {
  /** From 1. */
  readonly line: number;
  readonly column: number;
}

/** `path:line:column: problem` with the line and a caret; `path: problem` where no place is known. */
export function told(path: string, problem: string, text?: string, place?: Place): string {
  if (text === undefined || place === undefined) return `${path}: ${problem}`;
  const line = text.split('\n')[place.line - 1] ?? '';
  const indent = /^\s*/.exec(line)?.[0].length ?? 0;
  const caret = ' '.repeat(Math.max(0, place.column - 1 - indent));
  return `${path}:${place.line}:${place.column}: ${problem}\n  ${line.trim()}\n  ${caret}^`;
}

/** The place of a position in the text. */
export function placeAt(text: string, at: number): Place {
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** The place of a field, by the keys that lead to it: where a key is not found, that of the field around it. */
export function placeOfField(text: string, keys: readonly string[]): Place | undefined {
  let at = -1;
  for (const key of keys) {
    const next = /^\d+$/.test(key) ? elementAt(text, at, Number(key)) : keyAt(text, at, key);
    if (next < 0) return placeOfOnly(text, key) ?? (at < 0 ? undefined : placeAt(text, at));
    at = next;
  }
  return at < 0 ? undefined : placeAt(text, at);
}

/** The place of a key that the text has once: what stands around it has been given a name of its own. */
function placeOfOnly(text: string, key: string): Place | undefined {
  const at = keyAt(text, -1, key);
  return at < 0 || keyAt(text, at + key.length, key) >= 0 ? undefined : placeAt(text, at);
}

/** The place that a problem in words is about: a field of which it says what it must be, a word that it quotes, a field that it names. */
export function placeOfWords(text: string, problem: string): Place | undefined {
  const fields = [...problem.matchAll(/(\w+) must be|(?:input|output) '(\w+)'/g)];
  const candidates = [
    ...fields.map(([, whole, named]) => keyAt(text, -1, whole ?? named ?? '')),
    ...quoted(problem).flatMap((word) => [literalAt(text, word), keyAt(text, -1, word)]),
    ...(problem.match(/\w+/g) ?? []).map((word) => keyAt(text, -1, word)),
  ];
  const at = candidates.find((candidate) => candidate >= 0);
  return at === undefined ? undefined : placeAt(text, at);
}

/** What stands between quotes or backquotes. A quoted text may have an apostrophe in it, so the longest is tried first. */
function quoted(problem: string): string[] {
  const longest = /'(.+)'/.exec(problem)?.[1];
  return [...(longest ? [longest] : []), ...[...problem.matchAll(/['`]([^'`]+)['`]/g)].map(([, word = '']) => word)];
}

/** A text in quotes of either kind. */
function literalAt(text: string, word: string): number {
  const found = new RegExp(`(['"\`])${RegExp.escape(word)}\\1`).exec(text);
  return found ? found.index : -1;
}

function keyAt(text: string, from: number, key: string): number {
  const pattern = new RegExp(`(?<![\\w.'"])${RegExp.escape(key)}(?=\\s*:|\\s*\\()`, 'g');
  pattern.lastIndex = Math.max(0, from);
  return pattern.exec(text)?.index ?? -1;
}

const OPEN = '([{';
const CLOSE = ')]}';

/** The first letter of an element of the list that begins behind a position; -1 where there is none. */
function elementAt(text: string, from: number, index: number): number {
  const list = text.indexOf('[', Math.max(0, from));
  if (list < 0) return -1;
  let depth = 0;
  let seen = 0;
  for (let at = list; at < text.length; at++) {
    const letter = text[at] ?? '';
    if (depth === 1 && seen === index && !/[\s,\]]/.test(letter)) return at;
    at = behindString(text, at);
    if (OPEN.includes(letter)) depth++;
    if (CLOSE.includes(letter) && --depth === 0) return -1;
    if (depth === 1 && letter === ',') seen++;
  }
  return -1;
}

/** The last letter of the string or comment that begins here; the position itself where none does. */
function behindString(text: string, at: number): number {
  const [found] = /^(?:'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/\/[^\n]*|\/\*[^]*?\*\/)/.exec(
    text.slice(at, at + 4096),
  ) ?? [''];
  return at + Math.max(0, found.length - 1);
}
