/** Metal's `[[attribute]]` lists. */

import { closingAngle, splitArguments } from '../syntax.ts';
import { pairOf, type Span, spell, textAt, tokenAt, type Unit } from '../unit.ts';

export interface Attribute {
  readonly name: string;
  /** The text between the attribute's parentheses, '' where it has none. */
  readonly value: string;
  /** The list it stands in, brackets included. */
  readonly list: Span;
  readonly at: number;
}

/** Whether an attribute list `[[` starts at token i. */
export function startsAttributes(unit: Unit, i: number): boolean {
  const next = unit.tokens[i + 1];
  return textAt(unit, i) === '[' && next?.text === '[' && next.start === tokenAt(unit, i).end && closesTwice(unit, i);
}

function closesTwice(unit: Unit, i: number): boolean {
  return pairOf(unit, i) === pairOf(unit, i + 1) + 1;
}

/** The attributes of every list between two tokens, both included. */
export function attributesIn(unit: Unit, { first, last }: Span): Attribute[] {
  const attributes: Attribute[] = [];
  for (let i = first; i <= last; i++) {
    const angle = textAt(unit, i) === 'template' && textAt(unit, i + 1) === '<' ? closingAngle(unit, i + 1) : -1;
    if (angle > 0) i = angle;
    if (!startsAttributes(unit, i)) continue;
    const list = { first: i, last: pairOf(unit, i) };
    for (const part of splitArguments(unit, i + 1, list.last - 1)) attributes.push(readAttribute(unit, part, list));
    i = list.last;
  }
  return attributes;
}

/** `name`, `name(value)` or `scope::name(value)`. */
function readAttribute(unit: Unit, { first, last }: Span, list: Span): Attribute {
  let open = first;
  while (open <= last && textAt(unit, open) !== '(') open++;
  const hasValue = open <= last && open + 1 < last;
  return {
    name: textAt(unit, open - 1),
    value: hasValue ? spell(unit, { first: open + 1, last: last - 1 }) : '',
    list,
    at: first,
  };
}
