/** Sites that rules are made of, and the comparisons, products and loops in which they lie. */
import { closingAngle } from '../device/toolchain/lower/syntax.ts';
import type { Span, Unit } from '../device/toolchain/lower/unit.ts';
import { isName, textAt, tokenAt } from '../device/toolchain/lower/unit.ts';
import type { Code, Sizes } from './code.ts';
import { bodyTokens, functionAround, indices, isTemplateList, sizesIn } from './code.ts';
import type { Replacement, Site } from './rule.ts';

/** The tokens of a span replaced by a text. */
export const replaced = (unit: Unit, { first, last }: Span, text: string): Replacement => ({
  start: tokenAt(unit, first).start,
  end: tokenAt(unit, last).end,
  text,
});

export const site = (unit: Unit, span: Span, text: string): Site => ({ replacements: [replaced(unit, span, text)] });

/** Other text for some tokens of a span, each alone; the rest of the span as it is written. */
export function rewritten(unit: Unit, span: Span, other: ReadonlyMap<number, string>): string {
  let text = '';
  for (const i of indices(span)) {
    const gap = i === span.first ? '' : unit.text.slice(tokenAt(unit, i - 1).end, tokenAt(unit, i).start);
    text += gap + (other.get(i) ?? textAt(unit, i));
  }
  return text;
}

/** A comparison of a running index with a size. */
export interface Comparison {
  readonly whole: Span;
  readonly op: number;
  /** The token of the size, on the right, and the dimension that it is of. */
  readonly size: number;
  readonly dim: string;
}

const COMPARES = new Set(['<', '<=', '>', '>=']);
const ENDS = new Set([';', ',', '&&', '||', '?', ':', '{', '}']);

/** Every comparison against a size of one of the dimensions. */
export function comparisons(code: Code, dims: readonly string[]): Comparison[] {
  const { unit } = code;
  return bodyTokens(code).flatMap((op) => {
    const around = functionAround(code, op);
    if (!COMPARES.has(textAt(unit, op)) || !around || isAngle(unit, op)) return [];
    const whole = { first: leftEnd(unit, op), last: rightEnd(unit, op) };
    const sizes = sizesIn(code, around, dims);
    const size = indices({ first: op + 1, last: whole.last }).find((i) => sizes.has(textAt(unit, i)));
    const left = indices({ first: whole.first, last: op - 1 }).some((i) => sizes.has(textAt(unit, i)));
    return size === undefined || left ? [] : [{ whole, op, size, dim: sizes.get(textAt(unit, size)) ?? '' }];
  });
}

/** Whether the mark at i opens or closes a template list. */
function isAngle(unit: Unit, i: number): boolean {
  if (textAt(unit, i) === '<') {
    const close = isName(unit, i - 1) ? closingAngle(unit, i) : -1;
    return close > 0 && isTemplateList(unit, i, close);
  }
  if (textAt(unit, i) !== '>') return false;
  for (let open = i - 1; open > 0 && !';{}'.includes(textAt(unit, open)); open--)
    if (textAt(unit, open) === '<' && closingAngle(unit, open) === i) return isTemplateList(unit, open, i);
  return false;
}

function leftEnd(unit: Unit, op: number): number {
  let i = op;
  for (;;) {
    const before = textAt(unit, i - 1);
    if (ENDS.has(before) || before === '(' || before === '=' || before === 'return' || before === '[') return i;
    i = before === ')' || before === ']' ? (unit.pairs[i - 1] ?? i - 1) : i - 1;
  }
}

function rightEnd(unit: Unit, op: number): number {
  let i = op;
  for (;;) {
    const next = textAt(unit, i + 1);
    if (ENDS.has(next) || next === ')' || next === ']') return i;
    i = next === '(' || next === '[' ? (unit.pairs[i + 1] ?? i + 1) : i + 1;
  }
}

/** A product of a place with a size: the offset of a row. */
export interface RowProduct {
  readonly whole: Span;
  /** The place, without a cast around it. */
  readonly place: Span;
  /** The token of the size, and the dimension that it is of. */
  readonly size: number;
  readonly dim: string;
}

const WIDE = new Set(['size_t', 'ulong', 'uint64_t', 'long']);

/** Every product of a place with a size, the size on the right, perhaps cast or in brackets. */
export function rowProducts(code: Code, dims: readonly string[]): RowProduct[] {
  const { unit } = code;
  return bodyTokens(code).flatMap((star) => {
    const around = functionAround(code, star);
    if (textAt(unit, star) !== '*' || !around) return [];
    const right = sizeBehind(unit, star, sizesIn(code, around, dims));
    const place = placeBefore(unit, star);
    return right && place ? [{ whole: { first: place.first, last: right.last }, place: place.span, ...right }] : [];
  });
}

function sizeBehind(unit: Unit, star: number, sizes: Sizes): { size: number; dim: string; last: number } | undefined {
  const next = star + 1;
  if (textAt(unit, next) !== '(') return sizeAt(unit, next, next, sizes);
  const close = unit.pairs[next] ?? next;
  if (WIDE.has(textAt(unit, next + 1)) && close === next + 2) return sizeAt(unit, close + 1, close + 1, sizes);
  return sizeAt(unit, next + 1, close, sizes);
}

function sizeAt(
  unit: Unit,
  size: number,
  last: number,
  sizes: Sizes,
): { size: number; dim: string; last: number } | undefined {
  const dim = sizes.get(textAt(unit, size));
  return dim === undefined ? undefined : { size, dim, last };
}

/** What stands left of a product's star: a name, a call, or a cast of one; null for what is a number or a declaration. */
function placeBefore(unit: Unit, star: number): { first: number; span: Span } | undefined {
  const before = star - 1;
  if (textAt(unit, before) === ')') {
    const open = unit.pairs[before] ?? before;
    if (!isName(unit, open - 1)) return undefined;
    const isCast = WIDE.has(textAt(unit, open - 1));
    return {
      first: open - 1,
      span: isCast ? { first: open + 1, last: before - 1 } : { first: open - 1, last: before },
    };
  }
  if (!isName(unit, before) || isName(unit, before - 1)) return undefined;
  return { first: before, span: { first: before, last: before } };
}

/** The loops `for (…; v < bound; …)` by the tokens of their heads. */
export interface Loop {
  readonly start: Span;
  readonly bound: Span;
  readonly op: number;
  readonly step: Span;
}

export function loops(code: Code): Loop[] {
  const { unit } = code;
  return bodyTokens(code).flatMap((i) => {
    if (textAt(unit, i) !== 'for' || textAt(unit, i + 1) !== '(') return [];
    const close = unit.pairs[i + 1] ?? i;
    const ends = indices({ first: i + 2, last: close - 1 }).filter((j) => textAt(unit, j) === ';');
    const [one = close, two = close] = ends;
    const op = indices({ first: one + 1, last: two - 1 }).find(
      (j) => COMPARES.has(textAt(unit, j)) && !isAngle(unit, j),
    );
    if (ends.length !== 2 || op === undefined) return [];
    return [
      {
        start: { first: i + 2, last: one - 1 },
        bound: { first: op + 1, last: two - 1 },
        op,
        step: { first: two + 1, last: close - 1 },
      },
    ];
  });
}

/** `(size - part)`: a size less some elements of its dimension, where the size may count packs of them. */
export function lessOf(unit: Unit, { size, dim }: { size: number; dim: string }, elements: string): string {
  const name = textAt(unit, size);
  return name === dim ? `(${dim} - ${elements})` : `(${name} - ${elements} * ${name} / ${dim})`;
}

/** `(size + part)`, as `lessOf`. */
export function moreOf(unit: Unit, { size, dim }: { size: number; dim: string }, elements: string): string {
  const name = textAt(unit, size);
  return name === dim ? `(${dim} + ${elements})` : `(${name} + ${elements} * ${name} / ${dim})`;
}

/** Whether the text of a span holds a word. */
export const mentions = (unit: Unit, span: Span, word: string): boolean =>
  indices(span).some((i) => textAt(unit, i) === word);
