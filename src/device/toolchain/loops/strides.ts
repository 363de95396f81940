/**
 * Addresses that step by the same distance from turn to turn of a loop: their values in the first turn and in the next, made
 * before the loop. What they are made of is made again without the promises (`inbounds`, `nuw`) that hold only inside it.
 */
import { type Loop, NAME } from './blocks.ts';

/** What counts a loop's turns: in the first one `start`, then more by `step`. */
export interface Counter {
  readonly type: string;
  readonly start: string;
  readonly step: number;
  /** That the sum never wraps around, without or with signs. */
  readonly unsigned: boolean;
  readonly signed: boolean;
}

const NAMES = new RegExp(NAME, 'g');
const PHI = /^phi (i64|i32|ptr) (.*?)(?:, !.*)?$/;
const STEP = new RegExp(String.raw`^add (nuw )?(nsw )?(?:i64|i32) (${NAME}), (-?\d+)\b`);
const STEP_OF_POINTER = new RegExp(
  String.raw`^getelementptr (?:inbounds |nuw |nusw )*i8, ptr (${NAME}), i64 (-?\d+)\b`,
);
const SUM = new RegExp(String.raw`^(?:add|sub|or disjoint)\b.* i64 (\S+), (\S+?)(?:,|$)`);
const PRODUCT = new RegExp(String.raw`^mul\b.* i64 (\S+), (\S+?)(?:,|$)`);
const SHIFT = new RegExp(String.raw`^shl\b.* i64 (\S+), \d+(?:,|$)`);
const WIDENED = new RegExp(String.raw`^(z|s)ext (?:nneg )?i32 (${NAME}) to i64`);
const ADDRESS = /^(?:ptrtoint ptr \S+ to i64|getelementptr [^<]*$)/;
const PROMISES = /\b(?:inbounds|nuw|nusw|nsw|nneg) /g;

/** The counters of a loop by their names. */
export function countersOf({ definitions, from, last }: Loop): Map<string, Counter> {
  const counters = new Map<string, Counter>();
  for (const [name, text] of definitions) {
    const [, type = '', incoming = ''] = PHI.exec(text) ?? [];
    const values = new Map(
      [...incoming.matchAll(/\[ (.*?), (\S+) \]/g)].map(([, value = '', label = '']) => [label, value]),
    );
    const start = values.get(from);
    const next = definitions.get(values.get(last) ?? '') ?? '';
    const [, unsigned, signed, of, step] = STEP.exec(next) ?? [];
    const [, pointer, bytes] = STEP_OF_POINTER.exec(next) ?? [];
    if (start === undefined || (of ?? pointer) !== name) continue;
    counters.set(name, {
      type,
      start,
      step: Number(step ?? bytes),
      unsigned: unsigned !== undefined,
      signed: signed !== undefined,
    });
  }
  return counters;
}

export class Strides {
  /** What is made before the loop. */
  readonly made: string[] = [];
  private readonly again: readonly Map<string, string>[] = [new Map(), new Map()];

  constructor(
    private readonly loop: Loop,
    private readonly counters: ReadonlyMap<string, Counter>,
    private readonly fresh: () => string,
  ) {}

  /** A value in the first turn and the next; undefined where it does not step by one distance. */
  of(value: string): readonly [first: string, next: string] | undefined {
    return this.isStepping(value) ? [this.make(value, 0), this.make(value, 1)] : undefined;
  }

  private isStepping(value: string): boolean {
    const text = this.loop.definitions.get(value);
    if (text === undefined || this.counters.has(value)) return true; // the same in every turn, or one that counts
    const product = PRODUCT.exec(text);
    if (product) return product.slice(1).some((one) => this.isFixed(one)) && this.areStepping(product.slice(1));
    const sum = SUM.exec(text) ?? SHIFT.exec(text);
    if (sum) return this.areStepping(sum.slice(1));
    const [, sign, narrow = ''] = WIDENED.exec(text) ?? [];
    if (sign !== undefined) return this.isFixed(narrow) || this.countsOn(narrow, sign);
    if (!ADDRESS.test(text)) return false;
    const values = text.match(NAMES) ?? [];
    return this.areStepping(values) && !values.some((one) => !this.isFixed(one) && text.includes(`i32 ${one}`));
  }

  private areStepping(values: readonly string[]): boolean {
    return values.every((value) => this.isStepping(value));
  }

  private isFixed(value: string): boolean {
    return !this.loop.definitions.has(value);
  }

  /** Whether a value of 32 bits is a counter that steps in 64 bits too. */
  private countsOn(value: string, sign: string): boolean {
    const counter = this.counters.get(value);
    return counter !== undefined && (sign === 'z' ? counter.unsigned : counter.signed);
  }

  private make(value: string, turn: 0 | 1): string {
    const counter = this.counters.get(value);
    if (counter && turn === 0) return counter.start;
    const text = this.loop.definitions.get(value);
    const known = this.again[turn]?.get(value);
    if (text === undefined || known !== undefined) return known ?? value;
    const made = counter ? nextOf(counter) : this.textAgain(text, turn);
    const name = this.fresh();
    this.made.push(`  ${name} = ${made}`);
    this.again[turn]?.set(value, name);
    return name;
  }

  private textAgain(text: string, turn: 0 | 1): string {
    const plain = text
      .replace(/(?:, ![\w.]+ !\d+)+$/, '')
      .replace(PROMISES, '')
      .replace(/^or disjoint/, 'add');
    return plain.replace(NAMES, (name) => this.make(name, turn));
  }
}

const nextOf = ({ type, start, step }: Counter): string =>
  type === 'ptr' ? `getelementptr i8, ptr ${start}, i64 ${step}` : `add ${type} ${start}, ${step}`;
