/** Metal's kernels: definitions, and the instantiations that give a template a name. */

import { declareBound, templateSpan } from '../bound.ts';
import { canonical, openingAngle, qualified, statementStart } from '../syntax.ts';
import { stringValue, tokenize } from '../tokens.ts';
import type { KernelEntry } from '../table.ts';
import * as u from '../unit.ts';
import { type Attribute, attributesIn } from './attributes.ts';
import { parametersOf } from './parameters.ts';

interface Definition {
  /** `ns::f` */
  readonly path: string;
  readonly symbol: string;
  readonly isTemplate: boolean;
  readonly bound: string;
  readonly parameters: readonly string[];
}

interface Instance {
  readonly at: number;
  readonly symbol: string;
  /** `ns::f<float, 16>` */
  readonly expression: string;
  readonly bound: string;
}

export interface MetalKernels {
  readonly entries: readonly KernelEntry[];
  /** The unit without what was read: attributes, `kernel`, instantiations. */
  readonly rest: u.Unit;
}

/** Reads the kernels, takes their attributes out of the text, and makes the entries of the table. */
export function takeKernels(unit: u.Unit): MetalKernels {
  const definitions: Definition[] = [];
  const instances: Instance[] = [];
  const taken: u.Span[] = [];
  for (const start of kernelStatements(unit)) {
    if (isInstantiation(unit, start)) instances.push(readInstance(unit, start, taken));
    else definitions.push(...readDefinition(unit, start, taken));
  }
  for (const span of taken) u.removeSpan(unit, span);
  const entries = [
    ...definitions.filter(({ isTemplate }) => !isTemplate).map(entryOf),
    ...instances.map((instance) => instanceEntry(unit, instance, definitions)),
  ];
  return { entries, rest: u.without(unit, taken) };
}

/** The first token of every statement that says `kernel` or gives a host name. */
function kernelStatements(unit: u.Unit): Set<number> {
  const starts = new Set<number>();
  unit.tokens.forEach(({ text }, i) => {
    const isWord = text === 'kernel' || (text === 'host_name' && u.textAt(unit, i + 1) === '(');
    if (isWord && !['.', '->', '::'].includes(u.textAt(unit, i - 1))) starts.add(statementStart(unit, i));
  });
  return starts;
}

function isInstantiation(unit: u.Unit, start: number): boolean {
  return u.textAt(unit, start) === 'template' && !templateSpan(unit, start);
}

// --- definitions ---

function readDefinition(unit: u.Unit, start: number, taken: u.Span[]): Definition[] {
  const open = parameterList(unit, start);
  const close = u.pairOf(unit, open);
  const body = bodyOf(unit, close + 1);
  const head = attributesIn(unit, { first: start, last: body - 1 });
  const attributes = head.filter(({ at }) => at < open || at > close);
  takeWords(unit, start, body, head, taken);
  if (u.textAt(unit, body) !== '{') return [];
  const nameAt = nameBefore(unit, open);
  const name = u.textAt(unit, nameAt);
  const path = qualified(unit, start, name);
  const bound = valueOf(attributes, 'max_total_threads_per_threadgroup');
  return [
    {
      path,
      symbol: hostName(attributes) ?? name,
      isTemplate: templateSpan(unit, start) !== null,
      bound: bound === '' ? '' : declareBound(unit, start, name, bound),
      parameters: parametersOf(unit, open, close),
    },
  ];
}

/** The parenthesis of the parameter list: the first one outside template headers and attributes. */
function parameterList(unit: u.Unit, start: number): number {
  for (let i = start; i < unit.tokens.length; i++) {
    const text = u.textAt(unit, i);
    if (text === '(' && u.textAt(unit, i - 1) !== 'alignas') return i;
    if (text === ';' || text === '{') break;
    i = templateSpan(unit, i)?.last ?? (text === '[' || text === '(' ? u.pairOf(unit, i) : i);
  }
  return u.fail(unit, start, '`kernel` without a function', 'Follow it by the kernel: `kernel void name(...)`.');
}

/** The `{` or `;` behind a parameter list and its attributes. */
function bodyOf(unit: u.Unit, first: number): number {
  let i = first;
  while (u.textAt(unit, i) === '[') i = u.pairOf(unit, i) + 1;
  return i;
}

/** The kernel's name: before its parameters, or before the attributes that stand between. */
function nameBefore(unit: u.Unit, open: number): number {
  let i = open - 1;
  while (u.textAt(unit, i) === ']') i = u.pairOf(unit, i) - 1;
  return i;
}

/** Takes the word `kernel` and every attribute list out of a definition's head. */
function takeWords(unit: u.Unit, start: number, end: number, head: readonly Attribute[], taken: u.Span[]): void {
  const lists = new Map(head.map(({ list }) => [list.first, list]));
  taken.push(...lists.values());
  for (let i = start; i < end; i++) {
    const list = lists.get(i);
    if (list) i = list.last;
    else if (u.textAt(unit, i) === 'kernel') taken.push({ first: i, last: i });
  }
}

function entryOf({ symbol, path, bound, parameters }: Definition): KernelEntry {
  return { symbol, expression: path, bound: bound || '0', parameters };
}

// --- instantiations ---

/** `template [[host_name("x")]] [[kernel]] decltype(f<float>) f<float>;` or `... kernel void f<float>(...);` */
function readInstance(unit: u.Unit, start: number, taken: u.Span[]): Instance {
  let end = start;
  while (u.textAt(unit, end) !== ';') end = Math.max(end, unit.pairs[end] ?? -1) + 1;
  const attributes = attributesIn(unit, { first: start, last: parameterList(unit, start) });
  const function_ = instantiated(unit, start, end);
  const expression = canonical(unit, function_);
  const template = expression.slice(0, expression.indexOf('<'));
  taken.push({ first: start, last: end });
  return {
    at: start,
    symbol: hostName(attributes) ?? expression,
    expression: qualified(unit, start, template) + expression.slice(template.length),
    bound: valueOf(attributes, 'max_total_threads_per_threadgroup'),
  };
}

/** The tokens of `f<float, 16>`. */
function instantiated(unit: u.Unit, start: number, end: number): u.Span {
  const open = parameterList(unit, start);
  if (u.textAt(unit, open - 1) === 'decltype') return { first: open + 1, last: u.pairOf(unit, open) - 1 };
  const angle = u.textAt(unit, open - 1) === '>' ? openingAngle(unit, start, open - 1) : -1;
  if (angle < 0 || open > end) {
    return u.fail(unit, start, 'an instantiation without template arguments', 'Write `f<float>(...)`.');
  }
  let first = angle - 1;
  while (u.textAt(unit, first - 1) === '::') first -= 2;
  return { first, last: open - 1 };
}

function instanceEntry(unit: u.Unit, instance: Instance, definitions: readonly Definition[]): KernelEntry {
  const { at, symbol, expression, bound } = instance;
  const path = expression.slice(0, expression.indexOf('<'));
  const matches = definitions.filter((definition) => definition.isTemplate && definition.path === path);
  const [definition, other] = matches;
  if (!definition) return u.fail(unit, at, `no kernel template '${path}' is defined here`, 'Define it in this source.');
  if (other) return u.fail(unit, at, `'${path}' names two kernel templates`, 'Give each its own name.');
  const templateArguments = expression.slice(path.length);
  const own = definition.bound === '' ? '0' : definition.bound + templateArguments;
  return { symbol, expression, bound: bound || own, parameters: definition.parameters };
}

// --- attributes ---

function valueOf(attributes: readonly Attribute[], name: string): string {
  return attributes.find((attribute) => attribute.name === name)?.value ?? '';
}

/** The text of `host_name("...")`, whose literals the compiler would join. */
function hostName(attributes: readonly Attribute[]): string | undefined {
  const value = valueOf(attributes, 'host_name');
  return value === '' ? undefined : stringValue(tokenize(value));
}
