/** Faults of memory: an input overwritten, a write behind the end, scratch and sums that start as whatever was there. */
import type { Span } from '../../device/toolchain/lower/unit.ts';
import { isName, textAt, tokenAt } from '../../device/toolchain/lower/unit.ts';
import type { Code } from '../code.ts';
import { bodyTokens, calls, functionAround, indices, statementAround, textOf } from '../code.ts';
import type { Locals } from '../locals.ts';
import { localArrays } from '../locals.ts';
import type { Site, SourceRule } from '../rule.ts';
import { site } from '../sites.ts';
import { STORES, WRITABLE } from '../words.ts';

/** At the end of the kernel, so that its own results are right. */
const inputOverwritten: SourceRule = {
  name: 'input-overwritten',
  stands: 'the first elements of an input are used as scratch',
  applies: () => true,
  sites: ({ kernel, code, dialect }) =>
    code.entries.flatMap(({ body }) =>
      Object.keys(kernel.contract.inputs).map((input) => ({
        replacements: [{ ...at(code, body.last), text: `${WRITABLE[dialect](input)}[0] = 1; ` }],
      })),
    ),
};

/** An empty place before token i. */
const at = ({ unit }: Code, i: number): { start: number; end: number } => {
  const { start = 0 } = unit.tokens[i] ?? {};
  return { start, end: start };
};

const pastEnd: SourceRule = {
  name: 'past-the-end',
  stands: 'what is written is written to the next place as well',
  applies: () => true,
  sites: ({ kernel, code }) => {
    const outputs = Object.keys(kernel.contract.outputs);
    return [...storeSites(code, outputs), ...callSites(code, outputs)];
  },
};

/** `y[i] = v` as `y[(i) + 1] = y[i] = v`, also of a pointer that was cast. */
function storeSites(code: Code, outputs: readonly string[]): Site[] {
  const { unit } = code;
  return bodyTokens(code).flatMap((op) => {
    if (textAt(unit, op) !== '=' || textAt(unit, op - 1) !== ']') return [];
    const open = unit.pairs[op - 1] ?? op;
    const place = { first: statementAround(unit, op).first, last: op - 1 };
    if (!indices({ first: place.first, last: open }).some((i) => outputs.includes(textAt(unit, i)))) return [];
    if (textAt(unit, place.first) === 'const' || isName(unit, place.first + 1)) return [];
    const next = `${textOf(unit, { first: place.first, last: open - 1 })}[(${textOf(unit, { first: open + 1, last: op - 2 })}) + 1]`;
    return [site(unit, { first: place.first, last: op }, `${next} = ${textOf(unit, place)} =`)];
  });
}

/** `store_vector(y + i, v)` once more, a vector on; `store_pack(y, pack, v)` with the next pack. */
function callSites(code: Code, outputs: readonly string[]): Site[] {
  const { unit } = code;
  return calls(code, (name) => STORES.test(name)).flatMap(({ name, open, close, args }) => {
    const [to, second] = args;
    if (!to || !second || !indices(to).some((i) => outputs.includes(textAt(unit, i)))) return [];
    const moved = to.last > to.first ? to : second;
    const isVector = moved === to;
    const rest = textOf(unit, { first: moved.last + 1, last: close });
    const before = unit.text.slice(tokenAt(unit, name).start, tokenAt(unit, moved.first).start);
    const next = `${before}(${textOf(unit, moved)}) + ${isVector ? 8 : 1}${rest}`;
    return open < close
      ? [site(unit, { first: name, last: close }, `(${textOf(unit, { first: name, last: close })}, ${next})`)]
      : [];
  });
}

/**
 * Element 1 of an array that is filled by index is never written, since the first is often kept by the thread that reads them all;
 * of one that is filled element by element, each in turn.
 */
const scratchUnset: SourceRule = {
  name: 'scratch-unset',
  stands: 'an element of local memory is read and was never written',
  applies: (_kernel, _dialect, code) => [...localArrays(code).values()].some((names) => names.size > 0),
  sites: ({ code }) => scratchSites(code, localArrays(code)),
};

function scratchSites(code: Code, locals: Locals): Site[] {
  const { unit } = code;
  return bodyTokens(code).flatMap((op) => {
    const around = functionAround(code, op);
    if (textAt(unit, op) !== '=' || textAt(unit, op - 1) !== ']' || !around) return [];
    const whole = statementAround(unit, op);
    const index = textOf(unit, { first: (unit.pairs[op - 1] ?? op) + 1, last: op - 2 });
    if (!locals.get(around)?.has(textAt(unit, whole.first))) return [];
    const statement = { first: whole.first, last: whole.last - 1 };
    if (/^\d/.test(index)) return [site(unit, statement, '(void)0')];
    return [site(unit, statement, `if ((${index}) != 1) ${textOf(unit, statement)}`)];
  });
}

/** Sums that start as whatever the registers held: a float, or an array of them, declared without its zeros. */
const sumUnset: SourceRule = {
  name: 'sum-unset',
  stands: 'a sum is not set to 0 before it is added to',
  applies: ({ contract }) => contract.accumulator === 'f32',
  sites: ({ code }) => {
    const { unit } = code;
    return bodyTokens(code).flatMap((i) => {
      if (textAt(unit, i) !== '=') return [];
      const { first, last } = statementAround(unit, i);
      const whole: Span = { first: i, last: last - 1 };
      const isZero = ZERO.test(textOf(unit, { first: i + 1, last: last - 1 }));
      return isZero && SUM_TYPE.test(textAt(unit, first)) ? [site(unit, whole, '')] : [];
    });
  },
};

const SUM_TYPE = /^(float[48]?|[aA]ccumulator)$/;
const ZERO = /^(0|0\.0f|\{\}|\{0\.0f\}|Accumulator\(0\.0f\))$/;

export const MEMORY: readonly SourceRule[] = [inputOverwritten, pastEnd, scratchUnset, sumUnset];
