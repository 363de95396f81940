/**
 * Inputs that show in which order a kernel adds. Of a sum's terms a few hold magnitudes planted so that the sum tells which two
 * of three meet first; all others are 0, whose addition rounds nothing. Two ways, by what the terms may be:
 *
 * signed: a = +M, b = -M and c = 1, M so large that 1 beside it is lost. c survives where a and b meet without it.
 * unsigned: c = M, and a = b = a little less than half an ulp of M. Each alone is lost beside M; where a and b meet first, they
 * move it by an ulp. Squares fill the rest of fp32's range, so that this ulp is the one that overflows, which shows in an output
 * of any type; exponentials, which are at most 1, show it in the last bits of an fp32 output alone.
 *
 * What the inputs do is read from the formula itself: a plan stands only where float64 gives the terms that it wants.
 */
import type { Triple } from '../../../numerics/sum-tree.ts';
import type { Planted } from './plan.ts';
import { signed } from './plan.ts';

/** How the terms of a sum are planted. */
export interface Method {
  /** Terms that a row must have. */
  readonly least: number;
  /** What every other element of the carrier holds. */
  readonly rest: number;
  readonly plant: (question: Triple) => readonly Planted[];
  /** Whether the terms that float64 gives for a planted question are those of the method. */
  readonly holds: (terms: Float64Array, question: Triple) => boolean;
  /** Where an output that holds an element for each term tells. */
  readonly tells: (question: Triple) => number;
}

export const SIGNED: Method = {
  least: 4,
  rest: 0,
  plant: signed,
  holds: (terms, { a, b, c }) => {
    const [mask = 0, anti = 0, unit = 0] = [terms[a], terms[b], terms[c]];
    return mask === -anti && unit !== 0 && Math.abs(mask) >= 2 ** 26 * Math.abs(unit) && areZero(terms, [a, b, c]);
  },
  tells: (question) => elsewhere(question, 1)[0] ?? 0,
};

/** An ulp of fp32's largest numbers, and numbers of 8 bits whose squares sum to 2^24 - 1: one more of these ulps overflows. */
const TOP_ULP = 2 ** 104;
const BIG = 4080;
const FILLERS = [360, 34, 7, 3, 1] as const;
/** Its square is 0.494: two of them are nearly one. */
const HALF = 90 / 128;

/** Squares of a carrier whose values are `scale` times smaller than their roots' part of the range. */
const squares = (scale: number): Method =>
  squaresOf(scale, FILLERS.length + 3, (question) => [
    { term: question.c, value: BIG },
    { term: question.a, value: HALF },
    { term: question.b, value: HALF },
    ...elsewhere(question, FILLERS.length).map((term, i) => ({ term, value: FILLERS[i] ?? 0 })),
  ]);

const squaresOf = (scale: number, least: number, values: (question: Triple) => Planted[]): Method => ({
  least,
  rest: 0,
  plant: (question) => values(question).map(({ term, value }) => ({ term, value: value * scale })),
  holds: (terms, question) => {
    const planted = values(question);
    const isAsPlanted = planted.every(({ term, value }) => terms[term] === value * value * TOP_ULP);
    return (
      isAsPlanted &&
      areZero(
        terms,
        planted.map(({ term }) => term),
      )
    );
  },
  tells: ({ c }) => c,
});

/**
 * Values whose sum is exactly 0 in any order, for squares about a mean: 128 fillers and M sum to 0, and their squares to 2^24 - 2,
 * since squares of integers that sum to 0 have an even sum. The odd ulp is that of a value whose square, 0.752, rounds up wherever
 * it meets M, alone or with one half of 0.4, and to 2 with both; 16 parts of it with the other sign weigh too little to matter.
 */
const BALANCED_HALF = 162 / 256;
const ROUNDS_UP = 222 / 256;
const PARTS = 16;
/** How often a filler lies so far from -32. */
const OFFSETS: readonly (readonly [number, number])[] = [
  [4, 21],
  [-4, 24],
  [1, 28],
  [3, 1],
  [-3, 1],
  [0, 53],
];
const BALANCE: readonly number[] = [
  ...OFFSETS.flatMap(([offset, count]) => Array.from({ length: count }, () => offset - 32)),
  ROUNDS_UP,
  ...Array.from({ length: PARTS }, () => -ROUNDS_UP / PARTS),
];

const BALANCED = squaresOf(2 ** 52, BALANCE.length + 3, (question) => [
  { term: question.c, value: BIG },
  { term: question.a, value: BALANCED_HALF },
  { term: question.b, value: -BALANCED_HALF },
  ...elsewhere(question, BALANCE.length).map((term, i) => ({ term, value: BALANCE[i] ?? 0 })),
]);

/** exp(-16.75) is 0.45 of an ulp of 1, and exp of the rest is 0. */
const EXPONENTIALS: Method = {
  least: 3,
  rest: -9984,
  plant: ({ a, b, c }) => [
    { term: a, value: -16.75 },
    { term: b, value: -16.75 },
    { term: c, value: 0 },
  ],
  holds: (terms, { a, b, c }) => {
    const [first = 0, second = 0] = [terms[a], terms[b]];
    const isHalf = (value: number): boolean => value > 2 ** -25 && value < 2 ** -24;
    return terms[c] === 1 && isHalf(first) && isHalf(second) && areZero(terms, [a, b, c]);
  },
  tells: ({ c }) => c,
};

/** Every method, the simplest first. */
export const METHODS: readonly Method[] = [SIGNED, squares(2 ** 52), squares(1), EXPONENTIALS, BALANCED];

/** The first terms that a question does not name. */
function elsewhere({ a, b, c }: Triple, count: number): number[] {
  const out: number[] = [];
  for (let term = 0; out.length < count; term++) if (term !== a && term !== b && term !== c) out.push(term);
  return out;
}

function areZero(terms: Float64Array, but: readonly number[]): boolean {
  return terms.every((value, i) => value === 0 || but.includes(i));
}
