/** Faults of bounds: a tail left out, one too few or too many, a stride that skips. */
import { textAt } from '../../device/toolchain/lower/unit.ts';
import type { Code } from '../code.ts';
import { bodyTokens, indices, textOf } from '../code.ts';
import type { Site, SourceRule, Target } from '../rule.ts';
import type { Comparison } from '../sites.ts';
import { comparisons, lessOf, loops, rewritten, site } from '../sites.ts';

const dimsOf = ({ kernel }: Target): string[] => Object.keys(kernel.contract.dims);

/** A site for each comparison, its size or its operator other than it was. */
function eachComparison(
  target: Target,
  change: (comparison: Comparison) => ReadonlyMap<number, string> | undefined,
): Site[] {
  const { unit } = target.code;
  return comparisons(target.code, dimsOf(target)).flatMap((comparison) => {
    const other = change(comparison);
    return other ? [site(unit, comparison.whole, rewritten(unit, comparison.whole, other))] : [];
  });
}

const tailDropped: SourceRule = {
  name: 'tail-dropped',
  stands: 'the remainder behind the last whole tile is left out',
  applies: ({ contract }) => Object.values(contract.dims).some(({ tile = 1 }) => tile > 1),
  sites: (target) =>
    eachComparison(target, ({ size, dim }) => {
      const { tile = 1 } = target.kernel.contract.dims[dim] ?? {};
      if (tile === 1) return undefined;
      return new Map([[size, lessOf(target.code.unit, { size, dim }, `${dim} % ${tile}`)]]);
    }),
};

const oneTooFew: SourceRule = {
  name: 'one-too-few',
  stands: 'a guard ends one step before the last element',
  applies: () => true,
  sites: (target) =>
    eachComparison(target, ({ size, dim }) => {
      const { step = 1 } = target.kernel.contract.dims[dim] ?? {};
      return new Map([[size, lessOf(target.code.unit, { size, dim }, String(step))]]);
    }),
};

const WIDER: Readonly<Record<string, string>> = { '<': '<=', '>=': '>' };

const oneTooMany: SourceRule = {
  name: 'one-too-many',
  stands: 'a guard lets one step behind the last element through',
  applies: () => true,
  sites: (target) =>
    eachComparison(target, ({ op }) => {
      const wider = WIDER[textAt(target.code.unit, op)];
      return wider === undefined ? undefined : new Map([[op, wider]]);
    }),
};

/** Loops of a fixed count: over a thread's own values, a tile, a vector. Those that start at 1 fold partials. */
const loopShort: SourceRule = {
  name: 'loop-short',
  stands: 'a loop over a vector, a tile or the held values leaves out its last',
  applies: (_kernel, _dialect, code) => fixedLoops({ code }).length > 0,
  sites: ({ code }) =>
    fixedLoops({ code }).map(({ bound }) => site(code.unit, bound, `${textOf(code.unit, bound)} - 1`)),
};

function fixedLoops({ code }: Pick<Target, 'code'>): ReturnType<typeof loops> {
  const { unit } = code;
  return loops(code).filter(({ start, step, bound, op }) => {
    const counts = indices(step).some((i) => textAt(unit, i) === '++');
    const isFixed = indices(bound).every((i) => !/^[a-z]/.test(textAt(unit, i)) || textAt(unit, i) === 'bf16');
    return counts && isFixed && textAt(unit, op) === '<' && textAt(unit, start.last) === '0';
  });
}

/** A stride that is taken twice: `i += THREADS` as `i += 2 * THREADS`, or `step * THREADS + thread` of held values. */
const strideDoubled: SourceRule = {
  name: 'stride-doubled',
  stands: 'a loop over a row strides twice as far',
  applies: ({ contract: { dims, formula } }) => (dims[formula.over]?.tile ?? 1) > 1,
  sites: ({ code }) => [...steppedStrides(code), ...heldStrides(code)],
};

function steppedStrides(code: Code): Site[] {
  const { unit } = code;
  return loops(code).flatMap(({ step }) => {
    const at = indices(step).find((i) => textAt(unit, i) === '+=');
    if (at === undefined) return [];
    const by = { first: at + 1, last: step.last };
    return [site(unit, step, `${textOf(unit, { first: step.first, last: at })} 2 * (${textOf(unit, by)})`)];
  });
}

function heldStrides(code: Code): Site[] {
  const { unit } = code;
  return bodyTokens(code).flatMap((i) => {
    const isHeld = textAt(unit, i) === 'THREADS' && textAt(unit, i - 1) === '*' && textAt(unit, i + 1) === '+';
    return isHeld ? [site(unit, { first: i, last: i }, '2 * THREADS')] : [];
  });
}

export const BOUNDS: readonly SourceRule[] = [tailDropped, oneTooFew, oneTooMany, loopShort, strideDoubled];
