/**
 * A kernel's source as tokens, with what every fault rule asks of them: the functions that its launches reach, its
 * statements, its calls, and the names that stand for a dimension's size.
 */
import { closingAngle, splitArguments } from '../device/toolchain/lower/syntax.ts';
import type { Span, Unit } from '../device/toolchain/lower/unit.ts';
import { isName, openUnit, textAt, tokenAt } from '../device/toolchain/lower/unit.ts';
import type { Dialect } from '../families/formula/functions.ts';

/** A function definition; spans include their brackets. */
export interface FunctionText {
  readonly name: string;
  readonly parameters: Span;
  readonly body: Span;
}

export interface Code {
  readonly dialect: Dialect;
  readonly unit: Unit;
  /** The functions that a launch reaches, in the order of the text. */
  readonly functions: readonly FunctionText[];
  /** Those of them that a launch names. */
  readonly entries: readonly FunctionText[];
}

/** A call: the name's token and the bracketed arguments. */
export interface Call {
  readonly name: number;
  readonly open: number;
  readonly close: number;
  readonly args: readonly Span[];
}

/** Reads a source; throws an Error that names a symbol which no function of it defines. */
export function readCode(dialect: Dialect, text: string, symbols: readonly string[]): Code {
  const unit = openUnit(text);
  const all = functionsOf(unit);
  const names = new Set(all.map(({ name }) => name));
  const roots = new Set(symbols.map((symbol) => rootOf(unit, symbol, names)));
  const reached = reachedFrom(unit, all, roots);
  return {
    dialect,
    unit,
    functions: all.filter(({ name }) => reached.has(name)),
    entries: all.filter(({ name }) => roots.has(name)),
  };
}

const NO_FUNCTION = new Set(['if', 'for', 'while', 'switch', 'catch']);
const BEFORE_BODY = new Set(['const', 'noexcept', 'override', 'final']);

function functionsOf(unit: Unit): FunctionText[] {
  const found: FunctionText[] = [];
  for (let i = 0; i < unit.tokens.length; i++) {
    if (textAt(unit, i) !== '{') continue;
    const one = functionAt(unit, i);
    if (!one) continue;
    found.push(one);
    i = one.body.last;
  }
  return found;
}

function functionAt(unit: Unit, brace: number): FunctionText | undefined {
  let close = brace - 1;
  while (BEFORE_BODY.has(textAt(unit, close))) close--;
  const open = textAt(unit, close) === ')' ? (unit.pairs[close] ?? -1) : -1;
  const name = open < 0 ? '' : nameBefore(unit, open);
  if (name === '' || NO_FUNCTION.has(name)) return undefined;
  return { name, parameters: { first: open, last: close }, body: { first: brace, last: unit.pairs[brace] ?? brace } };
}

/** The name before a parameter list, past the arguments of a specialised template. */
function nameBefore(unit: Unit, open: number): string {
  let at = open - 1;
  if (textAt(unit, at) === '>') while (at > 0 && textAt(unit, at) !== '<') at--;
  if (textAt(unit, at) === '<') at--;
  return isName(unit, at) ? textAt(unit, at) : '';
}

/** The function that a launch's symbol runs: its own, or the template that an instance with that host name is of. */
function rootOf(unit: Unit, symbol: string, names: ReadonlySet<string>): string {
  if (names.has(symbol)) return symbol;
  const at = unit.tokens.findIndex(({ kind, text }) => kind === 'string' && text === `"${symbol}"`);
  for (let i = at; at >= 0 && i < unit.tokens.length && textAt(unit, i) !== ';'; i++)
    if (names.has(textAt(unit, i))) return textAt(unit, i);
  throw new Error(`no function of the source is ${symbol}`);
}

function reachedFrom(unit: Unit, all: readonly FunctionText[], roots: ReadonlySet<string>): Set<string> {
  const reached = new Set(roots);
  for (let size = 0; size < reached.size;) {
    size = reached.size;
    for (const { name, body } of all) {
      if (!reached.has(name)) continue;
      for (let i = body.first; i <= body.last; i++)
        if (all.some((other) => other.name === textAt(unit, i))) reached.add(textAt(unit, i));
    }
  }
  return reached;
}

/** Token indices of every reached body. */
export function bodyTokens({ functions }: Code): number[] {
  return functions.flatMap(({ body }) => indices({ first: body.first + 1, last: body.last - 1 }));
}

export const indices = ({ first, last }: Span): number[] =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i);

/** The reached function around a token. */
export const functionAround = ({ functions }: Code, i: number): FunctionText | undefined =>
  functions.find(({ body }) => body.first < i && i < body.last);

/** Every call, in reached bodies, of a function whose name is wanted. */
export function calls(code: Code, wanted: (name: string) => boolean): Call[] {
  return bodyTokens(code).flatMap((i) => {
    if (!isName(code.unit, i) || !wanted(textAt(code.unit, i))) return [];
    const open = openOfCall(code.unit, i);
    return open < 0 ? [] : [callAt(code.unit, i, open)];
  });
}

function callAt(unit: Unit, name: number, open: number): Call {
  const close = unit.pairs[open] ?? open;
  return { name, open, close, args: splitArguments(unit, open, close) };
}

/** The bracket that opens the arguments of a call of the name at i, past its template arguments; -1 where it is no call. */
function openOfCall(unit: Unit, i: number): number {
  if (textAt(unit, i + 1) === '(') return i + 1;
  if (textAt(unit, i + 1) !== '<') return -1;
  const close = closingAngle(unit, i + 1);
  return close > 0 && isTemplateList(unit, i + 1, close) && textAt(unit, close + 1) === '(' ? close + 1 : -1;
}

/** Whether `<` at `open` and `>` at `close` hold types and numbers, and are no two comparisons. */
export function isTemplateList(unit: Unit, open: number, close: number): boolean {
  return indices({ first: open + 1, last: close - 1 }).every((i) => {
    const { kind, text } = tokenAt(unit, i);
    return kind !== 'mark' || [',', '*', '::', '/'].includes(text);
  });
}

/** The statement around token i: from behind the last `;`, `{`, `}` or control head to its `;`. */
export function statementAround(unit: Unit, i: number): Span {
  let first = i;
  while (!endsBefore(unit, first)) {
    const before = first - 1;
    first = ')]'.includes(textAt(unit, before)) && unit.pairs[before] !== -1 ? (unit.pairs[before] ?? before) : before;
  }
  let last = i;
  while (textAt(unit, last) !== ';' && last < unit.tokens.length) {
    last = '([{'.includes(textAt(unit, last)) ? (unit.pairs[last] ?? last) + 1 : last + 1;
  }
  return { first, last };
}

/** Whether a statement starts at token i. */
function endsBefore(unit: Unit, i: number): boolean {
  const before = textAt(unit, i - 1);
  if (i === 0 || [';', '{', '}', 'else'].includes(before)) return true;
  if (before === '(') return true;
  return before === ')' && NO_FUNCTION.has(textAt(unit, (unit.pairs[i - 1] ?? i) - 1));
}

/** The text of a span as it is written. */
export function textOf(unit: Unit, { first, last }: Span): string {
  return first > last ? '' : unit.text.slice(tokenAt(unit, first).start, tokenAt(unit, last).end);
}

/** Whether two spans have the same tokens. */
export function sameTokens(unit: Unit, a: Span, b: Span): boolean {
  return (
    a.last - a.first === b.last - b.first && indices(a).every((i, k) => textAt(unit, i) === textAt(unit, b.first + k))
  );
}

/** A name that stands for the size of a dimension, or for a part of it: `packs` of `packs = width / 8`. */
export type Sizes = ReadonlyMap<string, string>;

/** The dimensions by the names that stand for them in a function. */
export function sizesIn(code: Code, { body }: FunctionText, dims: readonly string[]): Sizes {
  const { unit } = code;
  const sizes = new Map(dims.map((dim) => [dim, dim]));
  for (const i of indices(body)) {
    const [name, dim] = [textAt(unit, i - 1), textAt(unit, i + 1)];
    if (textAt(unit, i) !== '=' || !isName(unit, i - 1) || !isName(unit, i - 2) || !dims.includes(dim)) continue;
    if (textAt(unit, i + 2) === '/') sizes.set(name, dim);
  }
  return sizes;
}
