/** How many turns a loop takes, as text before it: where what it goes on by compares a counter with what never changes. */
import { type Loop, NAME } from './blocks.ts';
import type { Counter } from './strides.ts';

const COMPARED = new RegExp(String.raw`^icmp (?:samesign )?(\w+) (i64|i32) (${NAME}), (\S+?)(?:,|$)`);
const NEXT = new RegExp(String.raw`^add .*?(?:i64|i32) (${NAME}), -?\d+\b`);
const OPPOSITE: Readonly<Record<string, string>> = { eq: 'ne', ugt: 'ule', uge: 'ult', sgt: 'sle', sge: 'slt' };
/** TF_TURNS_* of ffi/host/dialect/simt/sanitizer.h: a loop goes on while the counter is not, is below, is at most the bound. */
const KINDS: Readonly<Record<string, number>> = { ne: 0, ult: 1, slt: 1, ule: 2, sle: 2 };

/** The lines that make the count, and its name; undefined where it is not known. The count is 0 where only the run tells that. */
export function turnsOf(
  loop: Loop,
  counters: ReadonlyMap<string, Counter>,
  fresh: () => string,
): { readonly lines: readonly string[]; readonly turns: string } | undefined {
  const [, compared = '', type = '', value = '', bound = ''] =
    COMPARED.exec(loop.definitions.get(loop.condition) ?? '') ?? [];
  const predicate = loop.goesOn ? compared : (OPPOSITE[compared] ?? '');
  const kind = KINDS[predicate];
  const name = NEXT.exec(loop.definitions.get(value) ?? '')?.[1] ?? value;
  const counter = counters.get(name);
  if (kind === undefined || !counter || counter.type !== type || loop.definitions.has(bound)) return undefined;
  if (name !== value && !isNextOf(loop, name, value)) return undefined;
  const signed = predicate.startsWith('s');
  const wraps = !(signed ? counter.signed : counter.unsigned) && type === 'i32' && kind !== 0;
  if (wraps || (counter.step < 0 && kind !== 0) || counter.step === 0) return undefined;
  return textOf({ counter, bound, kind, signed, ahead: name === value ? 0 : counter.step }, fresh);
}

/** Whether `value` is the counter's in the next turn. */
const isNextOf = ({ definitions, last }: Loop, name: string, value: string): boolean =>
  definitions.get(name)?.includes(`[ ${value}, ${last} ]`) ?? false;

interface Compared {
  readonly counter: Counter;
  readonly bound: string;
  readonly kind: number;
  readonly signed: boolean;
  /** What is compared in the first turn, less the counter's start. */
  readonly ahead: number;
}

function textOf({ counter, bound, kind, signed, ahead }: Compared, fresh: () => string) {
  const lines: string[] = [];
  const put = (text: string): string => {
    const name = fresh();
    lines.push(`  ${name} = ${text}`);
    return name;
  };
  const wide = (value: string): string =>
    counter.type === 'i64' ? value : put(`${signed ? 'sext' : 'zext'} i32 ${value} to i64`);
  const first = put(`add i64 ${wide(counter.start)}, ${ahead}`);
  const last = wide(bound);
  const [from, to] = counter.step < 0 ? [last, first] : [first, last];
  const turns = put(`call i64 @tf_check_turns(i64 ${from}, i64 ${to}, i64 ${Math.abs(counter.step)}, i64 ${kind})`);
  return { lines, turns };
}
