/** Small questions about C++ syntax that every dialect's lowering asks. */

import { isName, type Span, textAt, tokenAt, type Unit } from './unit.ts';

const BEFORE_ARGUMENT_LIST_ENDS = new Set(['::', '(', ')', '{', '}', ',', '>', ';', ']', '[', '*', '&', '&&', '...']);
/** What may stand between a parameter list and a body; the last four are Metal's. */
const AFTER_PARAMETERS = new Set([
  'const',
  'noexcept',
  'override',
  'final',
  'device',
  'constant',
  'thread',
  'threadgroup',
]);

/**
 * The index of the `>` that closes the template list opened at i, or -1 where `<` means less-than: there, the brackets
 * around it end first.
 */
export function closingAngle(unit: Unit, i: number): number {
  let depth = 0;
  for (let j = i; j < unit.tokens.length; j++) {
    const text = textAt(unit, j);
    if (text === '<') depth++;
    else if (text === '>' && --depth === 0) return j;
    else if (text === '(' || text === '[' || text === '{') j = unit.pairs[j] ?? j;
    else if (text === ';' || text === ')' || text === ']' || text === '}') return -1;
  }
  return -1;
}

/** The comma-separated parts between two brackets, empty for `()`; commas of inner brackets and template lists stay. */
export function splitArguments(unit: Unit, open: number, close: number): Span[] {
  const parts: Span[] = [];
  let first = open + 1;
  for (let i = first; i < close; i++) {
    if (textAt(unit, i) === ',') {
      parts.push({ first, last: i - 1 });
      first = i + 1;
    } else {
      i = skipGroup(unit, i);
    }
  }
  if (first < close) parts.push({ first, last: close - 1 });
  return parts;
}

/** The last token of the bracketed or template group that starts at i, or i itself. */
function skipGroup(unit: Unit, i: number): number {
  const text = textAt(unit, i);
  if (text === '(' || text === '[' || text === '{') return unit.pairs[i] ?? i;
  if (text !== '<' || !isName(unit, i - 1)) return i;
  const close = closingAngle(unit, i);
  return close > 0 && looksLikeTemplateEnd(unit, close) ? close : i;
}

function looksLikeTemplateEnd(unit: Unit, close: number): boolean {
  return BEFORE_ARGUMENT_LIST_ENDS.has(textAt(unit, close + 1)) || isName(unit, close + 1);
}

/** The first token of the statement or declaration that token i is in. */
export function statementStart(unit: Unit, i: number): number {
  let start = i;
  while (start > 0 && !isBoundary(unit, start - 1)) {
    const before = start - 1;
    start = textAt(unit, before) === ')' || textAt(unit, before) === ']' ? (unit.pairs[before] ?? before) : before;
  }
  return start;
}

function isBoundary(unit: Unit, i: number): boolean {
  return [';', '{', '}', ':'].includes(textAt(unit, i));
}

/** The `<` at or after `start` that the `>` at `close` closes, or -1. */
export function openingAngle(unit: Unit, start: number, close: number): number {
  for (let i = start; i < close; i++) {
    if (textAt(unit, i) === '<' && closingAngle(unit, i) === close) return i;
  }
  return -1;
}

/** The `{` of the function around token i: the outermost brace that follows a parameter list; -1 outside functions. */
export function functionBodyAt(unit: Unit, i: number): number {
  let body = -1;
  for (let j = i - 1; j >= 0; j--) {
    if (textAt(unit, j) === '}') j = unit.pairs[j] ?? j;
    else if (textAt(unit, j) === '{' && followsParameters(unit, j)) body = j;
  }
  return body;
}

function followsParameters(unit: Unit, brace: number): boolean {
  let i = brace - 1;
  while (AFTER_PARAMETERS.has(textAt(unit, i))) i--;
  return textAt(unit, i) === ')';
}

/** The names of the namespaces around token i, outermost first; anonymous ones do not appear. */
export function namespacesAt(unit: Unit, i: number): string[] {
  const names: string[] = [];
  for (let j = i - 1; j >= 0; j--) {
    if (textAt(unit, j) === '}') j = unit.pairs[j] ?? j;
    else if (textAt(unit, j) === '{') names.unshift(...namespaceOfBrace(unit, j));
  }
  return names;
}

function namespaceOfBrace(unit: Unit, brace: number): string[] {
  let i = brace - 1;
  const names: string[] = [];
  while (isName(unit, i) && textAt(unit, i) !== 'namespace') {
    names.unshift(textAt(unit, i));
    if (textAt(unit, i - 1) !== '::') break;
    i -= 2;
  }
  return textAt(unit, i - 1) === 'namespace' ? names : [];
}

/** `name` with the namespaces of token i before it. */
export function qualified(unit: Unit, i: number, name: string): string {
  return [...namespacesAt(unit, i), name].join('::');
}

/** One spelling for a span whatever the author's spaces: `f< float,128 >` is `f<float, 128>`. */
export function canonical(unit: Unit, { first, last }: Span): string {
  let text = '';
  for (let i = first; i <= last; i++) {
    const { kind, text: token } = tokenAt(unit, i);
    const previous = unit.tokens[i - 1];
    const areWords = i > first && kind !== 'mark' && previous?.kind !== 'mark';
    text += (areWords ? ' ' : '') + (token === ',' ? ', ' : token);
  }
  return text;
}
