/** Asks a kernel which two of three terms of a sum meet first, by planted magnitudes, many questions a launch. */
import { decodeAll } from '../numerics/codec.ts';
import { bytesOf } from '../numerics/dtype.ts';
import { random } from '../numerics/random.ts';
import type { Triple } from '../numerics/sum-tree.ts';
import type { MaskPlan } from '../families/fills/masks/plan.ts';
import type { Inputs } from '../families/inputs.ts';
import type { Shape } from '../families/tensor.ts';
import { shapeText } from '../families/tensor.ts';
import type { Stage } from './stage.ts';
import type { Subject } from './subject.ts';

export type Ask = (questions: readonly Triple[]) => boolean[];

/** Thrown by an answer that is neither of the two that an output may give. */
export class UnreadError extends Error {}

/** Triples by which the two answers of an output are learnt: of a triple's three orders one is the tree's. */
const LESSONS = 6;
/** An answer lies this near to one of the two, as a share of their distance. */
export const NEAR = 0.25;

/** How a plan's questions are answered, or undefined where its output does not tell yes from no. */
export function asker(plan: MaskPlan, shape: Shape, subject: Subject, stage: Stage): Ask | undefined {
  const values = reader<Triple>(plan, shape, subject, stage, plan.plant);
  const source = random(shapeText(shape));
  const lessons = Array.from({ length: LESSONS }, () => drawTriple(plan, (least, most) => source.int(least, most)));
  const shown = values(lessons.flatMap(ordersOf));
  const pairs = lessons.map((_, i) => oddOne(shown.slice(3 * i, 3 * i + 3)));
  const [pair] = pairs;
  if (!pair) return undefined;
  const answer = (value: number): boolean => {
    const distance = NEAR * Math.abs(pair.yes - pair.no);
    if (Math.abs(value - pair.yes) <= distance) return true;
    if (Math.abs(value - pair.no) <= distance) return false;
    throw new UnreadError();
  };
  const isRead = pairs.every((other) => other && isNear(other.yes, pair.yes, pair) && isNear(other.no, pair.no, pair));
  if (!isRead) return undefined;
  return (questions) => answered(plan, questions, (asked) => values(asked).map(answer));
}

interface Pair {
  readonly yes: number;
  readonly no: number;
}

const isNear = (a: number, b: number, { yes, no }: Pair): boolean => Math.abs(a - b) <= NEAR * Math.abs(yes - no);

export const ordersOf = ({ a, b, c }: Triple): Triple[] => [
  { a, b, c },
  { a, b: c, c: b },
  { a: b, b: c, c: a },
];

/** Of three values the one that differs: the answer of the order that is the tree's. */
function oddOne([x = 0, y = 0, z = 0]: readonly number[]): Pair | undefined {
  if (![x, y, z].every(Number.isFinite)) return undefined;
  const pairs: (Pair & { readonly spread: number })[] = [
    { yes: x, no: y, spread: Math.abs(y - z) },
    { yes: y, no: x, spread: Math.abs(x - z) },
    { yes: z, no: x, spread: Math.abs(x - y) },
  ];
  return pairs.find(({ yes, no, spread }) => spread <= NEAR * Math.abs(yes - no) && yes !== no);
}

export function drawTriple({ terms, asks }: MaskPlan, int: (least: number, most: number) => number): Triple {
  for (;;) {
    const triple = { a: int(0, terms - 1), b: int(0, terms - 1), c: int(0, terms - 1) };
    const isApart = triple.a !== triple.b && triple.b !== triple.c && triple.a !== triple.c;
    if (isApart && ordersOf(triple).every((order) => asks?.(order) ?? true)) return triple;
  }
}

/** A question that cannot be asked is answered by its other two orders: just one of the three is the tree's. */
function answered(plan: MaskPlan, questions: readonly Triple[], ask: Ask): boolean[] {
  const asked = questions.map((question) =>
    (plan.asks?.(question) ?? true) ? [question] : ordersOf(question).slice(1),
  );
  const answers = ask(asked.flat());
  let at = 0;
  return asked.map((orders) => {
    const own = answers.slice(at, at + orders.length);
    at += orders.length;
    return orders.length === 1 ? own[0] === true : own.every((answer) => !answer);
  });
}

/** What the output that tells holds for each question, a launch at a time. */
export function reader<Question extends Triple>(
  plan: MaskPlan,
  shape: Shape,
  subject: Subject,
  stage: Stage,
  plant: (questions: readonly Question[]) => Inputs,
): (questions: readonly Question[]) => number[] {
  const route = subject.route(shape);
  const tensor = subject.contract.outputs[plan.output];
  if (!tensor) throw new Error(`no output ${plan.output}`);
  const size = bytesOf(tensor.dtype);
  return (questions) => {
    const out: number[] = [];
    for (let from = 0; from < questions.length; from += plan.perLaunch) {
      const part = questions.slice(from, from + plan.perLaunch);
      stage.replace(plant(part));
      const bytes = stage.run(route)[plan.output] ?? new Uint8Array(0);
      for (const [i, question] of part.entries()) {
        const from = plan.witness(question, i) * size;
        out.push(decodeAll(tensor.dtype, bytes.subarray(from, from + size), 1)[0] ?? Number.NaN);
      }
    }
    return out;
  };
}
