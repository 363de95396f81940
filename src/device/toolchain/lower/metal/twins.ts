/**
 * Definitions that differ only in address spaces. Metal overloads by address space; without the spaces such definitions
 * are one, so the later ones go. Twins whose bodies differ in more than the spaces cannot both be kept, and stop the
 * lowering.
 */

import { splitArguments } from '../syntax.ts';
import { templateSpan } from '../bound.ts';
import * as u from '../unit.ts';

const SPACES = new Set(['device', 'thread', 'threadgroup', 'constant']);
const SPECIFIERS = new Set(['constexpr', 'inline', 'static', '__attribute__', 'always_inline']);
const CLASSES = new Set(['struct', 'class', 'union']);
const TYPE_WORDS = new Set([
  'void',
  'bool',
  'char',
  'short',
  'int',
  'long',
  'float',
  'half',
  'bfloat',
  'signed',
  'unsigned',
  'const',
  'volatile',
  'uchar',
  'ushort',
  'uint',
  'ulong',
  'size_t',
]);

interface Definition extends u.Span {
  /** What two definitions must share to be twins. */
  readonly signature: string;
  readonly body: string;
  readonly hasSpace: boolean;
}

/** The unit without each definition that repeats an earlier one but for address spaces. */
export function dropTwins(unit: u.Unit): u.Unit {
  const seen = new Map<string, Definition>();
  const twins: u.Span[] = [];
  const visit = (definition: Definition): boolean => {
    const first = seen.get(definition.signature);
    if (!first || !(first.hasSpace || definition.hasSpace)) {
      seen.set(definition.signature, definition);
      return false;
    }
    if (first.body !== definition.body) refuse(unit, definition, first);
    twins.push(definition);
    return true;
  };
  walk(unit, { first: 0, last: unit.tokens.length - 1 }, '', visit);
  for (const twin of twins) u.removeSpan(unit, twin);
  return u.without(unit, twins);
}

function refuse(unit: u.Unit, twin: u.Span, first: u.Span): never {
  return u.fail(
    unit,
    twin.first,
    `this overload differs from line ${u.lineOf(unit, first.first)} in its address space, and in what it does`,
    'The host device has one address space: give the two different names, or the same body.',
  );
}

type Visit = (definition: Definition) => boolean;

/** Visits the function and class definitions of a scope, and of the namespaces and classes in it. */
function walk(unit: u.Unit, { first, last }: u.Span, scope: string, visit: Visit): void {
  for (let i = first; i <= last;) {
    if (u.textAt(unit, i + 1) === ':' && ['public', 'private', 'protected'].includes(u.textAt(unit, i))) i += 2;
    const brace = headEnd(unit, i, last);
    if (u.textAt(unit, brace) === '{') visitBraced(unit, i, brace, scope, visit);
    i = u.textAt(unit, brace) === '{' ? u.pairOf(unit, brace) + 1 : brace + 1;
  }
}

/** The `;` that ends the declaration at i, or the `{` of its body. */
function headEnd(unit: u.Unit, first: number, last: number): number {
  for (let i = first; i <= last; i++) {
    const text = u.textAt(unit, i);
    if (text === ';' || (text === '{' && !isInitializer(unit, i))) return i;
    i = templateSpan(unit, i)?.last ?? (['(', '[', '{'].includes(text) ? u.pairOf(unit, i) : i);
  }
  return last;
}

/** `= {1, 2}`, or `a{1}` in a list of member initialisers. */
function isInitializer(unit: u.Unit, brace: number): boolean {
  return u.textAt(unit, brace - 1) === '=' || [',', '{'].includes(u.textAt(unit, u.pairOf(unit, brace) + 1));
}

function visitBraced(unit: u.Unit, first: number, brace: number, scope: string, visit: Visit): void {
  const close = u.pairOf(unit, brace);
  const words = wordsOf(unit, first, brace);
  const open = parametersAt(unit, first, brace);
  const inside = { first: brace + 1, last: close - 1 };
  if (words.includes('namespace') || (words[0] === 'extern' && open < 0)) {
    walk(unit, inside, `${scope}/${words.join(' ')}`, visit);
  } else if (open > 0) {
    visit(functionAt(unit, first, open, brace, scope));
  } else if (words.some((word) => CLASSES.has(word))) {
    const definition = classAt(unit, first, brace, scope);
    if (!visit(definition)) walk(unit, inside, definition.signature, visit);
  }
}

function parametersAt(unit: u.Unit, first: number, brace: number): number {
  for (let i = first; i < brace; i++) {
    const text = u.textAt(unit, i);
    if (text === '(' && !['alignas', '__attribute__', 'decltype'].includes(u.textAt(unit, i - 1))) return i;
    i = templateSpan(unit, i)?.last ?? (text === '(' || text === '[' ? u.pairOf(unit, i) : i);
  }
  return -1;
}

function functionAt(unit: u.Unit, first: number, open: number, brace: number, scope: string): Definition {
  const close = u.pairOf(unit, open);
  const parameters = splitArguments(unit, open, close).map((span) => readParameter(unit, span));
  const head = wordsOf(unit, first, open).filter((word) => !SPECIFIERS.has(word));
  const tail = wordsOf(unit, close + 1, brace);
  const types = parameters.map(({ type }) => type.join(' ')).join(', ');
  return {
    first,
    last: u.pairOf(unit, brace),
    signature: `${scope}|${head.join(' ')}(${types})${tail.join(' ')}`,
    body: bodyOf(
      unit,
      brace,
      parameters.map(({ name }) => name),
    ),
    hasSpace: hasSpace(unit, first, brace),
  };
}

function classAt(unit: u.Unit, first: number, brace: number, scope: string): Definition {
  const close = u.pairOf(unit, brace);
  return {
    first,
    last: u.textAt(unit, close + 1) === ';' ? close + 1 : close,
    signature: `${scope}|${wordsOf(unit, first, brace).join(' ')}`,
    body: bodyOf(unit, brace, []),
    hasSpace: hasSpace(unit, first, brace),
  };
}

interface Parameter {
  readonly type: readonly string[];
  readonly name: string;
}

/** A parameter's type without its space, and its name, '' where it has none. */
function readParameter(unit: u.Unit, { first, last }: u.Span): Parameter {
  const lastText = u.textAt(unit, last);
  const endsInName = last > first && u.isName(unit, last) && u.textAt(unit, last - 1) !== '::';
  const isNamed = endsInName && !TYPE_WORDS.has(lastText);
  return { type: wordsOf(unit, first, isNamed ? last : last + 1), name: isNamed ? lastText : '' };
}

/** A body with its parameters' names made positions, and without address spaces. */
function bodyOf(unit: u.Unit, brace: number, names: readonly string[]): string {
  const words = wordsOf(unit, brace, u.pairOf(unit, brace) + 1);
  return words.map((word) => (names.includes(word) ? `$${names.indexOf(word)}` : word)).join(' ');
}

/** The texts of tokens first to end - 1; `constant` is `const`, said once, and the other spaces go. */
function wordsOf(unit: u.Unit, first: number, end: number): string[] {
  const words = unit.tokens.slice(first, end).map(({ text }) => (text === 'constant' ? 'const' : text));
  return words.filter((word, i) => !SPACES.has(word) && !(word === 'const' && words[i - 1] === 'const'));
}

function hasSpace(unit: u.Unit, first: number, end: number): boolean {
  return unit.tokens.slice(first, end).some(({ text }) => SPACES.has(text));
}
