/**
 * The values of lanes that lie in a row, each lane's own neighbours, as a vector of the lanes' for each place in a run: what a
 * transposed matrix is, by steps that a processor has as instructions, since the compiler makes worse of the whole.
 */
import { BYTES } from './forms.ts';
import { TOGETHER } from './layout.ts';

/** Runs of `of` values a lane, in a row from `start`. */
export interface Runs {
  readonly start: string;
  readonly type: string;
  readonly of: number;
  readonly align: number;
  readonly debug: string;
}

/** A vector of 128 bits, which every processor has. */
const ROW_BYTES = 16;
const HALF = TOGETHER / 2;

/** Whether runs have such a form: each of them whole rows of words, or one row of halves. */
export function isTransposed(type: string, of: number): boolean {
  const bytes = BYTES[type];
  return (bytes === 4 && of % HALF === 0) || (bytes === 2 && of === TOGETHER);
}

/** The span as one vector. */
export const wholeSpan = ({ start, type, of, align, debug }: Runs, span: string): string[] => [
  `${span} = load <${TOGETHER * of} x ${type}>, ptr ${start}, align ${align}${debug}`,
];

/** The vector of each place as SPAN.0, SPAN.1 and on; undefined where runs have no such form. */
export function transposed(runs: Runs, span: string, name: () => string): string[] | undefined {
  if (!isTransposed(runs.type, runs.of)) return undefined;
  if (runs.of === TOGETHER && BYTES[runs.type] === 2) return ofHalves(runs, span, name);
  return Array.from({ length: runs.of / HALF }, (_, i) => ofWords(runs, i * HALF, span, name)).flat();
}

const shuffle = (to: string, type: string, [a, b]: readonly [string, string], places: readonly number[]): string =>
  `${to} = shufflevector ${type} ${a}, ${type} ${b}, <${places.length} x i32> <${places.map((place) => `i32 ${place}`).join(', ')}>`;

/** One row of each lane: as many values from the place `at` of its run on as a row has. */
function rowsText(
  { start, type, of, align, debug }: Runs,
  at: number,
  name: () => string,
): { rows: string[]; text: string[] } {
  const size = BYTES[type] ?? 1;
  const rows: string[] = [];
  const text = Array.from({ length: TOGETHER }, (_, lane) => {
    const [place, row] = [name(), name()];
    rows.push(row);
    return [
      `${place} = getelementptr i8, ptr ${start}, i64 ${(lane * of + at) * size}`,
      `${row} = load <${ROW_BYTES / size} x ${type}>, ptr ${place}, align ${align}${debug}`,
    ];
  });
  return { rows, text: text.flat() };
}

/** Eight rows of eight: the first half of the rows is woven with the second, three times. */
function ofHalves(runs: Runs, span: string, name: () => string): string[] {
  const type = `<${TOGETHER} x ${runs.type}>`;
  const woven = (from: number): number[] =>
    Array.from({ length: TOGETHER }, (_, i) => from + (i >> 1) + (i & 1) * TOGETHER);
  const { rows: first, text } = rowsText(runs, 0, name);
  let rows = first;
  for (let round = 0; round < 3; round++) {
    const [from, to] = [rows, Array.from({ length: TOGETHER }, (_, i) => (round === 2 ? `${span}.${i}` : name()))];
    to.forEach((result, i) => {
      const pair = [from[i >> 1] ?? '', from[(i >> 1) + HALF] ?? ''] as const;
      text.push(shuffle(result, type, pair, woven((i & 1) * HALF)));
    });
    rows = to;
  }
  return text;
}

/** Four words of each lane: rows of lanes that stand half of them apart become one vector, of which each half is transposed. */
function ofWords(runs: Runs, at: number, span: string, name: () => string): string[] {
  const { rows, text } = rowsText(runs, at, name);
  const [row, type] = [`<${HALF} x ${runs.type}>`, `<${TOGETHER} x ${runs.type}>`];
  const put = (to: string, of: string, pair: readonly [string, string], places: readonly number[]): string => {
    text.push(shuffle(to, of, pair, places));
    return to;
  };
  const whole = [0, 1, 2, 3].map((i) =>
    put(name(), row, [rows[i] ?? '', rows[i + HALF] ?? ''], [0, 1, 2, 3, 4, 5, 6, 7]),
  );
  const weave = (to: string, a: string | undefined, b: string | undefined, upper: boolean): string =>
    put(to, type, [a ?? '', b ?? ''], upper ? [2, 10, 3, 11, 6, 14, 7, 15] : [0, 8, 1, 9, 4, 12, 5, 13]);
  for (const upper of [false, true]) {
    const even = weave(name(), whole[0], whole[2], upper);
    const odd = weave(name(), whole[1], whole[3], upper);
    weave(`${span}.${at + (upper ? 2 : 0)}`, even, odd, false);
    weave(`${span}.${at + (upper ? 3 : 1)}`, even, odd, true);
  }
  return text;
}
