/**
 * Declarations of local memory (CUDA's `__shared__`, Metal's `threadgroup`, OpenCL's `__local`): one statement, a type,
 * any number of variables.
 */

import { closingAngle } from './syntax.ts';
import { fail, isName, pairOf, type Span, spell, textAt, type Unit } from './unit.ts';

export interface LocalVariable {
  readonly name: string;
  /** The declared type of an element, with the variable's own pointer marks. */
  readonly type: string;
  /** `[4][8]`, or '' for a single object. */
  readonly dims: string;
  /** The alignment expression, '' where none is declared. */
  readonly alignment: string;
}

export interface LocalDeclaration extends Span {
  readonly variables: readonly LocalVariable[];
}

export interface DeclarationRules {
  /** Specifiers that are not part of the type. */
  readonly storage: ReadonlySet<string>;
  /** Whether `__shared__ T* p` is a pointer that lies in local memory (CUDA); else it is one that points there. */
  readonly pointersAreLocal: boolean;
}

const ALIGNERS = new Set(['alignas', '_Alignas', '__align__', '__attribute__']);
const BODIES = new Set(['struct', 'class', 'union', 'enum']);
const QUALIFIERS = new Set(['const', 'volatile', '__restrict', '__restrict__', 'restrict']);
const AFTER_NAME = new Set(['[', ',', ';', '=', '{', '__attribute__', 'alignas', '__align__']);

/** Reads the declaration at token `first`; null where it only declares a pointer or reference to local memory. */
export function parseLocals(unit: Unit, first: number, rules: DeclarationRules): LocalDeclaration | null {
  const head = parseSpecifiers(unit, first, rules.storage);
  const variables: LocalVariable[] = [];
  for (let i = head.next; ; i++) {
    const declarator = parseDeclarator(unit, i, head, rules, variables.length > 0);
    if (!declarator) return null;
    variables.push(declarator.variable);
    i = declarator.next;
    if (textAt(unit, i) === ';') return { first, last: i, variables };
    if (textAt(unit, i) !== ',') return unreadable(unit, i);
  }
}

interface Specifiers {
  readonly type: string;
  readonly alignment: string;
  readonly next: number;
}

function parseSpecifiers(unit: Unit, first: number, storage: ReadonlySet<string>): Specifiers {
  const type: string[] = [];
  let alignment = '';
  for (let i = first; i < unit.tokens.length; i++) {
    const text = textAt(unit, i);
    if (storage.has(text)) continue;
    if (text === '[' && type.length === 0) {
      i = pairOf(unit, i); // a [[attribute]] before the declaration
      continue;
    }
    if (isDeclaratorStart(unit, i, type)) return { type: type.join(' '), alignment, next: i };
    if (ALIGNERS.has(text)) {
      alignment = alignmentOf(unit, i) || alignment;
      i = pairOf(unit, i + 1);
    } else {
      const last = endOfTypePart(unit, i);
      type.push(spell(unit, { first: i, last }));
      i = last;
    }
  }
  return unreadable(unit, first);
}

function isDeclaratorStart(unit: Unit, i: number, type: readonly string[]): boolean {
  const text = textAt(unit, i);
  if (['*', '&', '(', ';', ')', ','].includes(text)) return true;
  return isName(unit, i) && AFTER_NAME.has(textAt(unit, i + 1)) && type.some((part) => !QUALIFIERS.has(part));
}

/** The last token of one word of a type: a qualified name with its template lists, or a single word. */
function endOfTypePart(unit: Unit, first: number): number {
  let i = first;
  if (BODIES.has(textAt(unit, i)) && hasBody(unit, i)) {
    fail(unit, i, 'local memory of a type that is declared in place', 'Declare the type first, then the variable.');
  }
  for (;;) {
    const next = textAt(unit, i + 1);
    if (next === '::') i += 2;
    else if (textAt(unit, i) === '::') i += 1;
    else if (next === '<' && closingAngle(unit, i + 1) > 0) i = closingAngle(unit, i + 1);
    else if (next === '(' && ['decltype', 'typeof', '__typeof__'].includes(textAt(unit, i))) i = pairOf(unit, i + 1);
    else return i;
  }
}

function hasBody(unit: Unit, i: number): boolean {
  return textAt(unit, i + 1) === '{' || textAt(unit, i + 2) === '{';
}

interface Declarator {
  readonly variable: LocalVariable;
  readonly next: number;
}

function parseDeclarator(
  unit: Unit,
  first: number,
  { type, alignment }: Specifiers,
  rules: DeclarationRules,
  isLater: boolean,
): Declarator | null {
  const pointer = pointerEnd(unit, first);
  if (pointer > first || !isName(unit, pointer)) {
    if (!rules.pointersAreLocal && !isLater) return null;
    if (!rules.pointersAreLocal || !isName(unit, pointer)) return unreadable(unit, first);
  }
  const marks = pointer > first ? ` ${spell(unit, { first, last: pointer - 1 })}` : '';
  const dims = dimsEnd(unit, pointer + 1);
  const tail = attributesEnd(unit, dims);
  refuseInitializer(unit, tail);
  const variable = {
    name: textAt(unit, pointer),
    type: type + marks,
    dims: dims > pointer + 1 ? spell(unit, { first: pointer + 1, last: dims - 1 }) : '',
    alignment: tail > dims ? alignmentOf(unit, dims) || alignment : alignment,
  };
  return { variable, next: tail };
}

function pointerEnd(unit: Unit, first: number): number {
  let i = first;
  while (textAt(unit, i) === '*' || (i > first && QUALIFIERS.has(textAt(unit, i)))) i++;
  return i;
}

function dimsEnd(unit: Unit, first: number): number {
  let i = first;
  while (textAt(unit, i) === '[') i = pairOf(unit, i) + 1;
  return i;
}

function attributesEnd(unit: Unit, first: number): number {
  let i = first;
  while (ALIGNERS.has(textAt(unit, i))) i = pairOf(unit, i + 1) + 1;
  return i;
}

function refuseInitializer(unit: Unit, i: number): void {
  if (textAt(unit, i) !== '=' && textAt(unit, i) !== '{') return;
  fail(unit, i, 'local memory cannot be initialised where it is declared', 'Assign it in one thread, then a barrier.');
}

/** The expression of `alignas(E)`, `__align__(E)`, `__attribute__((aligned(E)))`; '' for another attribute. */
function alignmentOf(unit: Unit, i: number): string {
  const open = i + 1;
  const inner = { first: open + 1, last: pairOf(unit, open) - 1 };
  if (textAt(unit, i) !== '__attribute__') return spell(unit, inner);
  const match = /^\(\s*(?:__)?aligned(?:__)?\s*\((.*)\)\s*\)$/.exec(spell(unit, inner));
  return match?.[1]?.trim() ?? '';
}

function unreadable(unit: Unit, i: number): never {
  return fail(unit, i, 'this declaration of local memory cannot be read', 'Give its type a name with `using` first.');
}
