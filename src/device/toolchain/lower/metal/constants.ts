/**
 * Metal's function constants. A pipeline gives them values before the kernel is compiled to machine code, so here the
 * values are compile-time definitions: `TF_FUNCTION_CONSTANT_3` for index 3.
 */

import { statementStart } from '../syntax.ts';
import * as u from '../unit.ts';
import { attributesIn, startsAttributes } from './attributes.ts';

export type Defines = Readonly<Record<string, string | number>>;

const SPECIFIERS = new Set(['constant', 'const', 'static', 'constexpr']);

/** Makes each `constant T NAME [[function_constant(n)]];` a C++ constant; returns the unit without them. */
export function takeConstants(unit: u.Unit, defines: Defines): u.Unit {
  const asked = questionsOf(unit);
  const taken: u.Span[] = [];
  for (let i = 0; i < unit.tokens.length; i++) {
    if (!startsAttributes(unit, i)) continue;
    const list = { first: i, last: u.pairOf(unit, i) };
    const index = attributesIn(unit, list).find(({ name }) => name === 'function_constant')?.value;
    i = list.last;
    if (index === undefined) continue;
    const statement = { first: statementStart(unit, list.first), last: list.last + 1 };
    const name = u.textAt(unit, list.first - 1);
    const value = defines[`TF_FUNCTION_CONSTANT_${index}`];
    if (value === undefined && !asked.has(name)) refuse(unit, list.first, name, index);
    u.replaceSpan(unit, statement, declarationOf(unit, statement.first, list.first - 1, value));
    answer(unit, asked.get(name) ?? [], value !== undefined, taken);
    taken.push(statement);
  }
  return u.without(unit, taken);
}

function refuse(unit: u.Unit, i: number, name: string, index: string): never {
  const advice = `Define TF_FUNCTION_CONSTANT_${index} in the launch.`;
  return u.fail(unit, i, `function constant '${name}' has no value`, advice);
}

function declarationOf(unit: u.Unit, first: number, nameAt: number, value: string | number | undefined): string {
  const words = unit.tokens.slice(first, nameAt).map((token) => token.text);
  const type = words.filter((word) => !SPECIFIERS.has(word)).join(' ');
  return `static constexpr ${type} ${u.textAt(unit, nameAt)} = (${type})(${value ?? 0});`;
}

/** Where the source asks `is_function_constant_defined(NAME)`, by name. */
function questionsOf(unit: u.Unit): Map<string, u.Span[]> {
  const questions = new Map<string, u.Span[]>();
  unit.tokens.forEach(({ text }, i) => {
    if (text !== 'is_function_constant_defined' || u.textAt(unit, i + 1) !== '(') return;
    const name = u.textAt(unit, i + 2);
    questions.set(name, [...(questions.get(name) ?? []), { first: i, last: u.pairOf(unit, i + 1) }]);
  });
  return questions;
}

function answer(unit: u.Unit, questions: readonly u.Span[], isDefined: boolean, taken: u.Span[]): void {
  for (const span of questions) {
    u.replaceSpan(unit, span, isDefined ? 'true' : 'false');
    taken.push(span);
  }
}
