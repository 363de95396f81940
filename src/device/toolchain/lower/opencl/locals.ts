/**
 * OpenCL's local variables: each becomes a pointer into the group's arena, and its uses go through the pointer.
 * OpenCL C has no references.
 */

import { type DeclarationRules, type LocalVariable, parseLocals } from '../declaration.ts';
import { statementStart } from '../syntax.ts';
import * as u from '../unit.ts';

export interface OpenclLocal {
  readonly name: string;
  readonly line: number;
}

const LOCAL_WORDS = new Set(['local', '__local']);
const LOCAL_RULES: DeclarationRules = { storage: new Set(['local', '__local', 'static']), pointersAreLocal: false };
const WORDS_BEFORE_VALUES = new Set(['return', 'case', 'else', 'do', 'goto', 'sizeof']);

/** Lowers the local variables of every kernel; the result's order is that of their ids. */
export function lowerLocals(unit: u.Unit): OpenclLocal[] {
  const locals: OpenclLocal[] = [];
  for (let i = 0; i < unit.tokens.length; i++) {
    if (!LOCAL_WORDS.has(u.textAt(unit, i))) continue;
    const start = statementStart(unit, i);
    const declaration = isDeclarationHead(unit, start, i) ? parseLocals(unit, start, LOCAL_RULES) : null;
    if (!declaration) continue;
    const line = u.lineOf(unit, start);
    const text = declaration.variables.map((variable, n) => pointerTo(variable, locals.length + n, line)).join(' ');
    u.replaceSpan(unit, declaration, text);
    for (const { name } of declaration.variables) {
      locals.push({ name, line });
      renameUses(unit, declaration.last + 1, name);
    }
    i = declaration.last;
  }
  return locals;
}

/** Whether only specifiers and a type stand before the word: no call, no cast, no parameter list. */
function isDeclarationHead(unit: u.Unit, start: number, i: number): boolean {
  for (let j = start; j < i; j++) {
    if (u.textAt(unit, j) === '__attribute__') j = u.pairOf(unit, j + 1);
    else if (!u.isName(unit, j)) return false;
  }
  return true;
}

/** `__local T (*const tf_local_a)[N] = (__local T (*)[N])tf_cl_local(ID, sizeof(T [N]), ALIGN, LINE);` */
function pointerTo({ name, type, dims, alignment }: LocalVariable, id: number, line: number): string {
  const place = `tf_cl_local(${id}, sizeof(${type}${dims && ` ${dims}`}), ${alignment || '0'}, ${line})`;
  return `__local ${type} (*const tf_local_${name})${dims} = (__local ${type} (*)${dims})${place};`;
}

/** Every use from token `first` to the end of the block around it. */
function renameUses(unit: u.Unit, first: number, name: string): void {
  let depth = 0;
  for (let i = first; i < unit.tokens.length && depth >= 0; i++) {
    const text = u.textAt(unit, i);
    if (text === '{') depth++;
    else if (text === '}') depth--;
    else if (text === name && isUse(unit, i)) u.replaceSpan(unit, { first: i, last: i }, `(*tf_local_${name})`);
  }
}

function isUse(unit: u.Unit, i: number): boolean {
  const before = u.textAt(unit, i - 1);
  if (before === '.' || before === '->' || !u.isName(unit, i)) return false;
  if (!u.isName(unit, i - 1) || WORDS_BEFORE_VALUES.has(before)) return true;
  return u.fail(unit, i, `'${u.textAt(unit, i)}' hides a local variable of that name`, 'Rename one of them.');
}
