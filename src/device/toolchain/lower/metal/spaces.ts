/**
 * Metal's address spaces. The host device has one, so `device`, `thread` and `threadgroup` pointers are plain ones and
 * `constant` means const; variables that lie in threadgroup memory move to the group's arena.
 */

import { type DeclarationRules, parseLocals } from '../declaration.ts';
import { localMacros } from '../local.ts';
import { functionBodyAt, statementStart } from '../syntax.ts';
import * as u from '../unit.ts';

const LOCAL_RULES: DeclarationRules = { storage: new Set(['threadgroup', 'static']), pointersAreLocal: false };

const ERASED = new Set(['device', 'thread', 'threadgroup']);

/** Lowers the threadgroup variables; returns the unit without their declarations. */
export function takeThreadgroupVariables(unit: u.Unit): u.Unit {
  const taken: u.Span[] = [];
  for (let i = 0; i < unit.tokens.length; i++) {
    if (u.textAt(unit, i) !== 'threadgroup') continue;
    const start = statementStart(unit, i);
    const declaration = isDeclarationHead(unit, start, i) ? parseLocals(unit, start, LOCAL_RULES) : null;
    if (!declaration) continue;
    if (functionBodyAt(unit, i) < 0) u.fail(unit, i, 'a threadgroup variable outside a function', 'Move it into one.');
    u.replaceSpan(unit, declaration, localMacros(unit, declaration));
    taken.push(declaration);
    i = declaration.last;
  }
  return u.without(unit, taken);
}

/** Whether only specifiers and a type stand before the word: no call, no cast, no parameter list. */
function isDeclarationHead(unit: u.Unit, start: number, i: number): boolean {
  for (let j = start; j < i; j++) {
    if (u.textAt(unit, j) === 'alignas') j = u.pairOf(unit, j + 1);
    else if (!u.isName(unit, j) && !['::', '<', '>', ','].includes(u.textAt(unit, j))) return false;
  }
  return true;
}

/** Takes the address spaces out of types. */
export function eraseSpaces(unit: u.Unit): void {
  unit.tokens.forEach(({ text, start, end }, i) => {
    if (['.', '->', '::'].includes(u.textAt(unit, i - 1))) return;
    if (ERASED.has(text)) unit.edits.remove(start, end);
    else if (text === 'constant') unit.edits.replace(start, end, qualifiesMember(unit, i) ? '' : 'const');
  });
}

/** `void f() const constant {`: the space of `this`, which a const member function says already. */
function qualifiesMember(unit: u.Unit, i: number): boolean {
  return [')', 'const'].includes(u.textAt(unit, i - 1)) && ['{', ';', 'const'].includes(u.textAt(unit, i + 1));
}
