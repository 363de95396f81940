/** Metal's literals and vector constructors, which C++ reads otherwise. */

import { closingAngle } from '../syntax.ts';
import * as u from '../unit.ts';

const SCALARS = ['float', 'half', 'bfloat', 'int', 'uint', 'short', 'ushort', 'char', 'uchar', 'long', 'ulong'];
const VECTORS: ReadonlySet<string> = new Set(SCALARS.flatMap((scalar) => [2, 3, 4].map((n) => scalar + n)));
const WORDS_BEFORE_VALUES = new Set(['return', 'case', 'else', 'do', 'and', 'or', 'not']);

const UNSUFFIXED = /^(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][+-]?\d+)?$/;
const NARROW = /^((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(h|H|bf|BF)$/;

/** `1.0` is a float in Metal; `1.0h` is a half and `1.0bf` a bfloat. */
export function lowerLiterals(unit: u.Unit): void {
  for (const { kind, text, start, end } of unit.tokens) {
    if (kind !== 'number') continue;
    const narrow = NARROW.exec(text);
    if (narrow) unit.edits.replace(start, end, `((${/h/i.test(text) ? 'half' : 'bfloat'})${narrow[1]})`);
    else if (UNSUFFIXED.test(text)) unit.edits.insert(end, 'f');
  }
}

/** `float4(a, b2, c)` joins its arguments' components: `tf_metal::make<float4>(a, b2, c)`. */
export function lowerConstructors(unit: u.Unit): void {
  const aliases = aliasesOf(unit);
  for (let i = 0; i < unit.tokens.length; i++) {
    const type = typeAt(unit, i, aliases);
    const isCast = u.textAt(unit, i) === 'static_cast' && u.textAt(unit, i + 1) === '<';
    if (type && isValuePosition(unit, i)) lowerCall(unit, type);
    else if (isCast) lowerCast(unit, i, aliases);
    if (type) i = type.last;
  }
}

interface Aliases {
  /** Names of vector types, and `bfloat`, which C++ does not convert to and from half. */
  readonly types: ReadonlySet<string>;
  /** Names of templates of vector types, `vec` among them. */
  readonly templates: ReadonlySet<string>;
}

/** The names that `using` and `typedef` give to vector types, in the order of the source. */
function aliasesOf(unit: u.Unit): Aliases {
  const types = new Set([...VECTORS, 'bfloat']);
  const templates = new Set(['vec']);
  unit.tokens.forEach(({ text }, i) => {
    if (text === 'using' && u.textAt(unit, i + 2) === '=') {
      const type = typeAt(unit, i + 3, { types, templates });
      if (type && u.textAt(unit, type.last + 1) === ';') {
        (u.textAt(unit, i - 1) === '>' ? templates : types).add(u.textAt(unit, i + 1));
      }
    }
    if (text === 'typedef') {
      const type = typeAt(unit, i + 1, { types, templates });
      if (type && u.textAt(unit, type.last + 2) === ';') types.add(u.textAt(unit, type.last + 1));
    }
  });
  return { types, templates };
}

/** The tokens of a vector type that starts at i, `metal::` included; null for anything else. */
function typeAt(unit: u.Unit, first: number, { types, templates }: Aliases): u.Span | null {
  const isScoped = u.textAt(unit, first) === 'metal' && u.textAt(unit, first + 1) === '::';
  const i = isScoped ? first + 2 : first;
  if (!u.isName(unit, i)) return null;
  if (types.has(u.textAt(unit, i))) return { first, last: i };
  if (!templates.has(u.textAt(unit, i)) || u.textAt(unit, i + 1) !== '<') return null;
  const close = closingAngle(unit, i + 1);
  return close < 0 ? null : { first, last: close };
}

/** Whether a type at i starts a value: not a declarator, a member of another scope or a conversion operator. */
function isValuePosition(unit: u.Unit, i: number): boolean {
  const before = u.textAt(unit, i - 1);
  if (['::', '.', '->', '~'].includes(before)) return false;
  return !u.isName(unit, i - 1) || WORDS_BEFORE_VALUES.has(before);
}

function lowerCall(unit: u.Unit, type: u.Span): void {
  const open = type.last + 1;
  const bracket = u.textAt(unit, open);
  if (bracket !== '(' && bracket !== '{') return;
  u.insertBefore(unit, type.first, 'tf_metal::make<');
  unit.edits.insert(u.tokenAt(unit, type.last).end, '>');
  if (bracket === '(') return;
  const close = u.pairOf(unit, open);
  u.replaceSpan(unit, { first: open, last: open }, '(');
  u.replaceSpan(unit, { first: close, last: close }, ')');
}

function lowerCast(unit: u.Unit, i: number, aliases: Aliases): void {
  const type = typeAt(unit, i + 2, aliases);
  if (!type || u.textAt(unit, type.last + 1) !== '>') return;
  u.replaceSpan(unit, { first: i, last: i }, 'tf_metal::make');
}
