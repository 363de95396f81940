/**
 * One translation unit on its way through a lowering: its text after the preprocessor, the tokens the author wrote, and
 * the edits made so far. The dialect header's own text ends with `typedef int tf_source_begin;` and is final; so is the
 * text of every file under the headers' folder that the source includes. Neither yields a token.
 */

import { type Edits, editsOf } from './edit.ts';
import { LoweringError, type Place } from './error.ts';
import { locatorOf } from './locate.ts';
import { type Token, tokenize } from './tokens.ts';

export interface Unit {
  readonly text: string;
  readonly tokens: readonly Token[];
  /** For a bracket's index the index of its partner, else -1. */
  readonly pairs: Int32Array;
  readonly edits: Edits;
  readonly at: (offset: number) => Place;
}

/** Tokens first..last, both included. */
export interface Span {
  readonly first: number;
  readonly last: number;
}

/** The last line of a dialect's header. */
export const SOURCE_BEGIN = 'typedef int tf_source_begin;';
const CLOSERS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** Opens preprocessed text; `headers` is the folder of the dialect headers, '' where there is none. */
export function openUnit(text: string, headers = ''): Unit {
  const at = locatorOf(text);
  const begin = text.indexOf(SOURCE_BEGIN);
  const from = begin < 0 ? 0 : begin + SOURCE_BEGIN.length;
  const tokens = authorsTokens(tokenize(text, from), headers, begin >= 0);
  return { text, tokens, pairs: pairsOf(tokens, at), edits: editsOf(text), at };
}

/** The unit without the tokens of some spans, whose brackets must balance; later passes do not see them. */
export function without(unit: Unit, spans: readonly Span[]): Unit {
  if (spans.length === 0) return unit;
  const gone = new Set<number>();
  for (const { first, last } of spans) for (let i = first; i <= last; i++) gone.add(i);
  const tokens = unit.tokens.filter((_, i) => !gone.has(i));
  return { ...unit, tokens, pairs: pairsOf(tokens, unit.at) };
}

/** Stops the lowering at token i. */
export function fail(unit: Unit, i: number, what: string, advice: string): never {
  throw new LoweringError(placeOf(unit, i), what, advice);
}

export function placeOf(unit: Unit, i: number): Place {
  return unit.at(tokenAt(unit, i).start);
}

export function lineOf(unit: Unit, i: number): number {
  return placeOf(unit, i).line;
}

/** Token i, which must exist. */
export function tokenAt(unit: Unit, i: number): Token {
  const token = unit.tokens[i];
  if (!token) throw new Error(`no token ${i} of ${unit.tokens.length}`);
  return token;
}

/** The text of token i, '' where there is no such token. */
export function textAt(unit: Unit, i: number): string {
  return unit.tokens[i]?.text ?? '';
}

export function isName(unit: Unit, i: number): boolean {
  return unit.tokens[i]?.kind === 'name';
}

/** The index of the bracket that closes, or opens, the one at i. */
export function pairOf(unit: Unit, i: number): number {
  const pair = unit.pairs[i] ?? -1;
  if (pair < 0) fail(unit, i, `a bracket is expected before '${textAt(unit, i)}'`, 'Write the construct in full.');
  return pair;
}

/** The source text of a span on one line, spaced as the author spaced it. */
export function spell(unit: Unit, { first, last }: Span): string {
  let spelled = '';
  for (let i = first; i <= last; i++) {
    const token = tokenAt(unit, i);
    const touches = i === first || unit.tokens[i - 1]?.end === token.start;
    spelled += (touches ? '' : ' ') + token.text;
  }
  return spelled;
}

/** Removes a span's text, keeping its lines. */
export function removeSpan(unit: Unit, { first, last }: Span): void {
  unit.edits.remove(tokenAt(unit, first).start, tokenAt(unit, last).end);
}

export function replaceSpan(unit: Unit, { first, last }: Span, text: string): void {
  unit.edits.replace(tokenAt(unit, first).start, tokenAt(unit, last).end, text);
}

export function insertBefore(unit: Unit, i: number, text: string): void {
  unit.edits.insert(tokenAt(unit, i).start, text);
}

// --- details ---

function authorsTokens(tokens: readonly Token[], headers: string, startsInHeader: boolean): Token[] {
  const own: Token[] = [];
  let inHeader = startsInHeader;
  for (const token of tokens) {
    if (token.kind === 'directive') {
      const marker = /^#\s*\d+\s+"((?:[^"\\]|\\.)*)"/.exec(token.text);
      if (marker) inHeader = headers !== '' && (marker[1] ?? '').startsWith(`${headers}/`);
    } else if (!inHeader) {
      own.push(token);
    }
  }
  return own;
}

function pairsOf(tokens: readonly Token[], at: (offset: number) => Place): Int32Array {
  const pairs = new Int32Array(tokens.length).fill(-1);
  const open: number[] = [];
  tokens.forEach((token, i) => {
    if (token.kind !== 'mark') return;
    if (CLOSERS[token.text]) open.push(i);
    if (!')]}'.includes(token.text)) return;
    const opener = open.pop();
    if (opener === undefined || CLOSERS[tokens[opener]?.text ?? ''] !== token.text) {
      throw new LoweringError(at(token.start), `'${token.text}' closes nothing`, 'Balance the brackets before it.');
    }
    pairs[opener] = i;
    pairs[i] = opener;
  });
  const left = tokens[open.pop() ?? -1];
  if (left) throw new LoweringError(at(left.start), `'${left.text}' is never closed`, 'Close it.');
  return pairs;
}
