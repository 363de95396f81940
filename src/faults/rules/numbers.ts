/** Faults of arithmetic: narrow accumulators, rounding points, a NaN dropped, an identity, a maximum, an eps. */
import type { Span, Unit } from '../../device/toolchain/lower/unit.ts';
import { isName, textAt } from '../../device/toolchain/lower/unit.ts';
import type { Dialect } from '../../families/formula/functions.ts';
import { interiorPoints } from '../../families/formula/graph.ts';
import type { Kernel } from '../../spec/registration.ts';
import type { Call, Code } from '../code.ts';
import { bodyTokens, calls, functionAround, indices, sameTokens, statementAround, textOf } from '../code.ts';
import { NARROW } from '../prelude.ts';
import type { Site, SourceRule } from '../rule.ts';
import { replaced, site } from '../sites.ts';
import { FMAX, KEEPS_NAN, MAXIMUM, ROUNDING_POINT, TO_BF16 } from '../words.ts';

const formulaOf = ({ contract }: Kernel): string => contract.formula.text;

/** An update of a sum: `sum += v`, or `sum = f(…, sum)`. A maximum is none, nor what the formula rounds as well. */
interface Update {
  /** From the sum to before the semicolon. */
  readonly whole: Span;
  readonly sum: Span;
  readonly value: Span;
  readonly adds: boolean;
}

/** What stands before the name of what is no sum where it is declared: integers, pointers. */
const NO_SUM = new Set('unsigned int uint size_t ulong ushort bool restrict __restrict__'.split(' '));
const ADDS = /^(fmaf?|add_each|fma_each)$/;

function updates(code: Code): Update[] {
  const { unit } = code;
  return bodyTokens(code).flatMap((op) => {
    const adds = textAt(unit, op) === '+=';
    if (!adds && textAt(unit, op) !== '=') return [];
    const statement = statementAround(unit, op);
    const sum = { first: statement.first, last: op - 1 };
    const value = { first: op + 1, last: statement.last - 1 };
    const head = textAt(unit, value.first);
    const isOther = head === ROUNDING_POINT[code.dialect][0] || MAXIMUM.test(head);
    if (isOther || !isSum(code, sum) || (!adds && !isFolded(unit, sum, value))) return [];
    return [{ whole: { first: sum.first, last: value.last }, sum, value, adds }];
  });
}

/** Whether what is assigned is a floating variable of the function, whole or an element of one. */
function isSum(code: Code, sum: Span): boolean {
  const { unit } = code;
  const name = textAt(unit, sum.first);
  const isElement = textAt(unit, sum.first + 1) === '[' && textAt(unit, sum.last) === ']';
  const around = functionAround(code, sum.first);
  if (!isName(unit, sum.first) || !around || (sum.last > sum.first && !isElement)) return false;
  const before = indices({ first: around.parameters.first, last: sum.first - 1 });
  const declared = before.find((i) => textAt(unit, i) === name);
  return declared !== undefined && isName(unit, declared - 1) && !NO_SUM.has(textAt(unit, declared - 1));
}

/** Whether a value is the sum with something added; what is added in a subscript is a place. */
function isFolded(unit: Unit, sum: Span, value: Span): boolean {
  const length = sum.last - sum.first;
  const holds = indices(value).some((i) => sameTokens(unit, sum, { first: i, last: i + length }));
  let adds = false;
  for (let i = value.first; i <= value.last; i++) {
    if (textAt(unit, i) === '[') i = unit.pairs[i] ?? i;
    adds ||= textAt(unit, i) === '+' || ADDS.test(textAt(unit, i));
  }
  return holds && adds;
}

const narrowSums = (to: 'f16' | 'bf16', stands: string): SourceRule => ({
  name: `sum-in-${to}`,
  stands,
  applies: ({ contract }) => contract.accumulator === 'f32',
  sites: ({ code }) =>
    updates(code).map(({ whole, sum, value, adds }) => {
      const { unit } = code;
      const own = textOf(unit, sum);
      const updated = adds ? `${own} + (${textOf(unit, value)})` : textOf(unit, value);
      return { ...site(unit, whole, `${own} = ${NARROW[to]}(${updated})`), prelude: true };
    }),
});

const hasPoint = ({ problem }: Kernel): boolean =>
  problem !== undefined && interiorPoints(problem.graph, Object.keys(problem.outputs)).length > 0;

const roundingDropped: SourceRule = {
  name: 'rounding-dropped',
  stands: 'a rounding point between fp32 steps is left out',
  applies: (kernel) => hasPoint(kernel),
  sites: ({ code, dialect }) =>
    nestedCalls(code, ROUNDING_POINT[dialect]).map(({ whole, args: [value] }) =>
      site(code.unit, whole, `(${textOf(code.unit, value ?? whole)})`),
    ),
};

/** Calls of the first name whose one argument is a call of the next, and so on; the arguments are the innermost's. */
function nestedCalls(code: Code, names: readonly string[]): { readonly whole: Span; readonly args: readonly Span[] }[] {
  const { unit } = code;
  const [outer, ...inner] = names;
  return calls(code, (name) => name === outer).flatMap((call) => {
    let innermost: Call = call;
    for (const name of inner) {
      const next = calls(code, (other) => other === name).find((each) => each.name === innermost.open + 1);
      if (!next || next.close !== innermost.close - 1) return [];
      innermost = next;
    }
    const { args } = innermost;
    return textAt(unit, call.name - 1) === '<' ? [] : [{ whole: { first: call.name, last: call.close }, args }];
  });
}

const roundingCut: SourceRule = {
  name: 'rounding-cut',
  stands: 'a conversion to bf16 drops the low bits in place of rounding',
  applies: ({ contract }) => Object.values(contract.outputs).some(({ dtype }) => dtype === 'bf16'),
  sites: ({ code, dialect }) =>
    conversions(code, dialect).map(({ args }) => ({
      replacements: args.map((arg) => replaced(code.unit, arg, `${NARROW.cut}(${textOf(code.unit, arg)})`)),
      prelude: true,
    })),
};

/** Conversions by name, and a Metal kernel's by the type that it is a template of; those inside a conversion are its own. */
function conversions(code: Code, dialect: Dialect): Call[] {
  const names = TO_BF16[dialect];
  const named = calls(code, (name) => names.includes(name)).filter(
    (call) => !names.includes(functionAround(code, call.name)?.name ?? ''),
  );
  if (dialect !== 'metal') return named;
  const inEntry = ({ name }: Call): boolean => code.entries.some(({ body }) => body.first < name && name < body.last);
  return [...named, ...calls(code, (name) => name === 'T').filter(inEntry)];
}

const takesMaximum = ({ rule, contract }: Kernel): boolean =>
  rule ? /NaN/.test(rule.text) : /\b(max|min)\(/.test(contract.formula.text);

const nanDropped: SourceRule = {
  name: 'nan-dropped',
  stands: 'a maximum is fmax, or compares without a look at NaN',
  applies: (kernel) => takesMaximum(kernel),
  sites: ({ code, dialect }) => {
    const { unit } = code;
    const larger = calls(code, (name) => name === KEEPS_NAN).map(({ name }) =>
      site(unit, { first: name, last: name }, FMAX[dialect]),
    );
    return [...larger, ...calls(code, (name) => /^is_?nan$/.test(name)).map((call) => nanForgotten(unit, call))];
  },
};

const nanForgotten = (unit: Unit, { name, close }: Call): Site => site(unit, { first: name, last: close }, 'false');

const identityWrong: SourceRule = {
  name: 'identity-wrong',
  stands: 'a maximum starts from 0, or values past the end count as 0',
  applies: (kernel) => /\bmax\(/.test(formulaOf(kernel)) && kernel.rule === undefined,
  sites: ({ code }) =>
    bodyTokens(code).flatMap((i) =>
      textAt(code.unit, i) === 'INFINITY' && textAt(code.unit, i - 1) === '-'
        ? [site(code.unit, { first: i - 1, last: i }, '0.0f')]
        : [],
    ),
};

/** `exp(x - m)` as `exp(x)`. */
const maximumDropped: SourceRule = {
  name: 'maximum-dropped',
  stands: 'the maximum is not subtracted before the exponential',
  applies: (kernel) => /\bmax\(/.test(formulaOf(kernel)) && /\bexp\(/.test(formulaOf(kernel)),
  sites: ({ code }) =>
    calls(code, (name) => /^(exp|expf|__expf|exp2f?)$/.test(name)).flatMap(({ args: [value] }) => {
      const minus = value && indices(value).find((i) => i > value.first && textAt(code.unit, i) === '-');
      if (!value || minus === undefined) return [];
      return [site(code.unit, value, textOf(code.unit, { first: value.first, last: minus - 1 }))];
    }),
};

const epsDropped: SourceRule = {
  name: 'eps-dropped',
  stands: 'a scalar that the formula adds is not added',
  applies: (kernel) => added(kernel).length > 0,
  sites: ({ kernel, code }) =>
    bodyTokens(code).flatMap((i) =>
      added(kernel).includes(textAt(code.unit, i)) && textAt(code.unit, i - 1) === '+'
        ? [site(code.unit, { first: i - 1, last: i }, '')]
        : [],
    ),
};

/** The scalars that stand behind a plus in the formula. */
const added = ({ contract }: Kernel): string[] =>
  Object.keys(contract.scalars ?? {}).filter((name) => new RegExp(`\\+ *${name}\\b`).test(contract.formula.text));

/** A tie between candidates of one value goes by their ids. */
const tieHigher: SourceRule = {
  name: 'tie-higher',
  stands: 'of equal values the higher id wins',
  applies: ({ rule }) => rule !== undefined && /lower id/.test(rule.text),
  sites: ({ code }) =>
    bodyTokens(code).flatMap((i) => {
      const { unit } = code;
      const members = [textAt(unit, i - 1), textAt(unit, i + 3)];
      const isId = members.every((member) => member === 'id' || member === 'y');
      return textAt(unit, i) === '<' && textAt(unit, i - 2) === '.' && isId
        ? [site(unit, { first: i, last: i }, '>')]
        : [];
    }),
};

export const NUMBERS: readonly SourceRule[] = [
  narrowSums('f16', 'a sum is held in half'),
  narrowSums('bf16', 'a sum is held in bf16'),
  roundingDropped,
  roundingCut,
  nanDropped,
  identityWrong,
  maximumDropped,
  epsDropped,
  tieHigher,
];
