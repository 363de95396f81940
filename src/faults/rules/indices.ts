/** Faults of place: another row, another stride, two indices changed for each other. */
import type { Span, Unit } from '../../device/toolchain/lower/unit.ts';
import { isName, textAt } from '../../device/toolchain/lower/unit.ts';
import type { Code } from '../code.ts';
import { bodyTokens, calls, indices, sameTokens, textOf } from '../code.ts';
import type { Replacement, Site, SourceRule, Target } from '../rule.ts';
import { moreOf, replaced, rowProducts, site } from '../sites.ts';
import { PLACES } from '../words.ts';

const dimsOf = ({ kernel }: Pick<Target, 'kernel'>): string[] => Object.keys(kernel.contract.dims);

const rowStale: SourceRule = {
  name: 'row-stale',
  stands: 'row 0, or the previous row, is used in place of the own',
  applies: () => true,
  sites: (target) =>
    rowProducts(target.code, dimsOf(target)).flatMap(({ place }) => {
      const { unit } = target.code;
      const own = textOf(unit, place);
      return [site(unit, place, '0'), site(unit, place, `(${own} - (${own} > 0))`)];
    }),
};

const rowStride: SourceRule = {
  name: 'row-stride',
  stands: 'rows are taken to be one step longer than they are',
  applies: () => true,
  sites: (target) =>
    rowProducts(target.code, dimsOf(target)).map(({ size, dim }) => {
      const { unit } = target.code;
      const { step = 1 } = target.kernel.contract.dims[dim] ?? {};
      return site(unit, { first: size, last: size }, moreOf(unit, { size, dim }, String(step)));
    }),
};

const indexSwapped: SourceRule = {
  name: 'index-swapped',
  stands: 'row and column, or two axes of the grid, are changed for each other',
  applies: () => true,
  sites: (target) => {
    const axes = axisSwap(target);
    return [...(axes ? [axes] : threadForGroup(target)), ...subscriptSwaps(target.code), ...sumSwaps(target)];
  },
};

/** Every use of the group's place, x for y and y for x, where a kernel uses both. */
function axisSwap({ code }: Target): Site | undefined {
  const { unit } = code;
  const [x, y] = axisNames(code);
  const uses = [
    ...places(code, x).map((span) => ({ span, to: y })),
    ...places(code, y).map((span) => ({ span, to: x })),
  ];
  if (!uses.some(({ to }) => to === x) || !uses.some(({ to }) => to === y)) return undefined;
  return { replacements: uses.map(({ span, to }): Replacement => replaced(unit, span, to)) };
}

function axisNames(code: Code): readonly [string, string] {
  const words = PLACES[code.dialect];
  if (words) return [words.x, words.y];
  const group = parameterWith(code, 'threadgroup_position_in_grid') ?? 'group';
  return [`${group}.x`, `${group}.y`];
}

/** A Metal kernel's parameter of an attribute. */
function parameterWith({ unit, entries }: Code, attribute: string): string | undefined {
  const at = entries.flatMap(({ parameters }) => indices(parameters)).find((i) => textAt(unit, i) === attribute);
  return at === undefined ? undefined : textAt(unit, at - 3);
}

/** Every place at which some text stands, token for token: `blockIdx.x`, `get_group_id(0)`; a parameter's in its own function. */
function places({ unit, dialect, functions, entries }: Code, text: string): Span[] {
  const words = text.match(/\w+|[^\w\s]/g) ?? [];
  return (dialect === 'metal' ? entries : functions).flatMap(({ body }) =>
    indices(body)
      .filter((i) => words.every((word, k) => textAt(unit, i + k) === word))
      .map((first) => ({ first, last: first + words.length - 1 })),
  );
}

/** A thread's index in place of its group's, where the grid has one axis. */
function threadForGroup(target: Target): Site[] {
  const { code, dialect } = target;
  const { unit } = code;
  const group = PLACES[dialect]?.x ?? parameterWith(code, 'threadgroup_position_in_grid');
  const thread = PLACES[dialect]?.thread ?? parameterWith(code, 'thread_index_in_threadgroup') ?? 'lane';
  if (group === undefined) return [];
  return places(code, group).map((span) => site(unit, span, thread));
}

/** `tile[a][b]` as `tile[b][a]`. */
function subscriptSwaps(code: Code): Site[] {
  const { unit } = code;
  return bodyTokens(code).flatMap((i) => {
    if (textAt(unit, i) !== '[' || textAt(unit, i - 1) === ']' || textAt(unit, i + 1) === '[') return [];
    const close = unit.pairs[i] ?? i;
    if (textAt(unit, close + 1) !== '[' || isDeclared(unit, i)) return [];
    const end = unit.pairs[close + 1] ?? close;
    const [a, b] = [
      { first: i + 1, last: close - 1 },
      { first: close + 2, last: end - 1 },
    ];
    if (textAt(unit, end + 1) === '[' || sameTokens(unit, a, b)) return [];
    return [site(unit, { first: i, last: end }, `[${textOf(unit, b)}][${textOf(unit, a)}]`)];
  });
}

/** Whether the name before the bracket at i is declared here: `float s[STEPS][8]`. */
const isDeclared = (unit: Unit, i: number): boolean => isName(unit, i - 2) && textAt(unit, i - 2) !== 'return';

/** `row * n + column` as `column * n + row`. */
function sumSwaps(target: Target): Site[] {
  const { unit } = target.code;
  return rowProducts(target.code, dimsOf(target)).flatMap(({ whole, place }) => {
    const added = whole.last + 2;
    if (textAt(unit, whole.last + 1) !== '+' || !isName(unit, added) || textAt(unit, added + 1) !== ']') return [];
    const own = { first: added, last: added };
    return [{ replacements: [replaced(unit, place, textOf(unit, own)), replaced(unit, own, textOf(unit, place))] }];
  });
}

/** Scales and biases of a group of weights. */
const groupDropped: SourceRule = {
  name: 'group-dropped',
  stands: 'the first group’s scale or bias serves all, or the bias is left out',
  applies: ({ contract }) => groupedInputs(contract.inputs).length > 0,
  sites: ({ kernel, code }) => {
    const { unit } = code;
    const names = groupedInputs(kernel.contract.inputs);
    return bodyTokens(code).flatMap((i) => {
      if (!names.includes(textAt(unit, i)) || textAt(unit, i + 1) !== '[') return [];
      const subscript = { first: i + 1, last: unit.pairs[i + 1] ?? i };
      return [site(unit, subscript, '[0]'), ...biasDropped(code, i)];
    });
  },
};

const groupedInputs = (inputs: Readonly<Record<string, { readonly group?: number | undefined }>>): string[] =>
  Object.entries(inputs).flatMap(([name, { group }]) => (group === undefined ? [] : [name]));

/** `fma(bias[…], v, sum)` as `sum`. */
function biasDropped(code: Code, i: number): Site[] {
  const { unit } = code;
  if (textAt(unit, i) !== 'bias') return [];
  const around = calls(code, (name) => /^fmaf?$/.test(name)).find(({ open, close }) => open < i && i < close);
  const sum = around?.args[2];
  return around && sum ? [site(unit, { first: around.name, last: around.close }, textOf(unit, sum))] : [];
}

export const INDICES: readonly SourceRule[] = [rowStale, rowStride, indexSwapped, groupDropped];
