/** What several lanes read at once, and the little that they write: variables, frames, and what they bring to a meeting. */
import { BYTES, debugOf, READ, WRITE } from './forms.ts';
import { INDEX, THREAD_BYTES, TOGETHER } from './layout.ts';
import { isTransposed, transposed, wholeSpan } from './transpose.ts';
import * as n from './names.ts';
import { type Output, vector } from './output.ts';
import { FREE, type LaneBlock, type Shapes } from './shapes.ts';
import { NotStepped } from './types.ts';

const OWN_PLACE = /^%(?:var|into|slot|mask)\./;
const LAST = TOGETHER - 1;
/** A lane's part of a span that is read at once is at most this many values. */
const SPAN_MOST = 8;

interface Part {
  /** The vector of the whole span. */
  readonly span: string;
  readonly at: number;
  readonly of: number;
}

interface Read {
  readonly result: string;
  readonly type: string;
  readonly pointer: string;
  readonly align: string;
  readonly debug: string;
}

export class LaneMemory {
  private readonly types = new Map<string, string>();
  private readonly parts = new Map<string, Part>();
  private readonly read = new Set<string>();

  constructor(
    private readonly shapes: Shapes,
    private readonly out: Output,
  ) {}

  /** Variables by name, with their types. */
  variables(): Map<string, string> {
    return new Map([...this.types].map(([name, type]) => [name, this.shapes.of(name) === FREE ? vector(type) : type]));
  }

  /** Writes a load or a store; false where the text is neither. */
  emit(text: string): boolean {
    const [write, , value = '', pointer = '', align = '1'] = WRITE.exec(text) ?? [];
    if (write !== undefined) this.emitWrite(WRITE.exec(text)?.[1] ?? '', value, pointer, align);
    const [read, result = '', type = '', from = '', least = '1'] = READ.exec(text) ?? [];
    if (read !== undefined) this.emitRead({ result, type, pointer: from, align: least, debug: debugOf(text) }, text);
    return write !== undefined || read !== undefined;
  }

  private emitWrite(type: string, value: string, pointer: string, align: string): void {
    const bytes = BYTES[type];
    if (!OWN_PLACE.test(pointer) || (bytes === undefined && type !== 'i1')) throw new NotStepped('a store');
    const step = this.shapes.of(pointer);
    if (pointer.startsWith('%var.')) {
      this.types.set(pointer, type);
      return this.out.put(
        step === FREE
          ? `store ${vector(type)} ${this.out.vec(value, type)}, ptr ${pointer}`
          : `store ${type} ${value}, ptr ${pointer}`,
      );
    }
    if (step === FREE || bytes === undefined || step < bytes) throw new NotStepped('a store');
    const all = this.out.vec(value, type);
    if (step === bytes) return this.out.put(`store ${vector(type)} ${all}, ptr ${pointer}, align ${bytes}`);
    for (let i = 0; i < TOGETHER; i++) {
      const [one, at] = this.out.names(2);
      this.out.put(`${one} = extractelement ${vector(type)} ${all}, i64 ${i}`);
      this.out.put(`${at} = getelementptr i8, ptr ${pointer}, i64 ${i * step}`);
      this.out.put(`store ${type} ${one}, ptr ${at}, align ${align}`);
    }
  }

  private emitRead(read: Read, text: string): void {
    const { result, type, pointer, align, debug } = read;
    const shape = this.shapes.of(result);
    if (pointer.startsWith('%var.')) {
      this.types.set(pointer, type);
      return this.out.put(shape === FREE ? `${result}.v = load ${vector(type)}, ptr ${pointer}` : text, result);
    }
    if (this.shapes.threadField(pointer) !== undefined) return this.emitIndex(result, pointer);
    if (shape !== FREE) return this.out.put(text.replace(/, !(?!dbg)[\w.]+ !\d+/g, ''), result);
    if (BYTES[type] === undefined || type === 'ptr') throw new NotStepped(text);
    const part = this.parts.get(result);
    if (this.shapes.of(pointer) === BYTES[type])
      this.out.put(`${result}.v = load ${vector(type)}, ptr ${pointer}, align ${align}${debug}`, result);
    else if (part) this.emitPart(read, part);
    else this.emitEach(read);
  }

  private emitEach({ result, type, pointer, align, debug }: Read): void {
    const step = this.shapes.of(pointer);
    let from = 'poison';
    for (let i = 0; i < TOGETHER; i++) {
      const [at, one, next] = this.out.names(3);
      if (step === FREE) this.out.put(`${at} = extractelement ${vector('ptr')} ${pointer}.v, i64 ${i}`);
      else this.out.put(`${at} = getelementptr i8, ptr ${pointer}, i64 ${i * step}`);
      this.out.put(`${one} = load ${type}, ptr ${at}, align ${align}${debug}`);
      const to = i === LAST ? `${result}.v` : (next ?? '');
      this.out.put(`${to} = insertelement ${vector(type)} ${from}, ${type} ${one}, i64 ${i}`);
      from = to;
    }
  }

  /** Finds loads of a block that together take all of a span, each lane its own part of it. */
  group({ instructions }: LaneBlock): void {
    const spans = new Map<
      string,
      { readonly type: string; readonly count: number; readonly parts: Map<number, string> }
    >();
    for (const { text } of instructions) {
      const [, result = '', type = '', pointer = ''] = READ.exec(text) ?? [];
      const [step, size] = [result === '' ? FREE : this.shapes.of(pointer), BYTES[type]];
      if (step === FREE || size === undefined || step <= size || step % size !== 0 || step / size > SPAN_MOST) continue;
      const [, base = pointer, offset = '0'] =
        /getelementptr (?:inbounds |nuw |nusw )*i8, ptr (%\S+), i64 (\d+)/.exec(this.shapes.textOf(pointer)) ?? [];
      const key = `${base} ${type} ${step}`;
      const span = spans.get(key) ?? { type, count: step / size, parts: new Map<number, string>() };
      spans.set(key, span);
      span.parts.set(Number(offset) / size, result);
    }
    for (const { count, parts } of spans.values()) {
      if (parts.size !== count || ![...parts.keys()].every((at) => Number.isInteger(at) && at < count)) continue;
      const span = this.out.name();
      for (const [at, result] of parts) this.parts.set(result, { span, at, of: count });
    }
  }

  private emitPart({ result, type, pointer, align, debug }: Read, { span, at, of }: Part): void {
    const size = BYTES[type] ?? 1;
    if (!this.read.has(span)) {
      this.read.add(span);
      const start = this.out.name();
      this.out.put(`${start} = getelementptr i8, ptr ${pointer}, i64 ${-at * size}`);
      const from = { start, type, of, align: Math.min(Number(align), size), debug };
      for (const line of transposed(from, span, () => this.out.name()) ?? wholeSpan(from, span)) this.out.put(line);
    }
    if (isTransposed(type, of))
      return this.out.put(`${result}.v = bitcast ${vector(type)} ${span}.${at} to ${vector(type)}`, result);
    const all = `<${TOGETHER * of} x ${type}>`;
    const places = Array.from({ length: TOGETHER }, (_, i) => `i32 ${i * of + at}`).join(', ');
    this.out.put(`${result}.v = shufflevector ${all} ${span}, ${all} poison, <${TOGETHER} x i32> <${places}>`);
  }

  /** The lanes' places in the group lie in a row, or it is given up. */
  private emitIndex(result: string, pointer: string): void {
    this.out.put(`${result} = load i32, ptr ${pointer}, align 4`, result);
    if (this.shapes.threadField(pointer) === INDEX.linear) return;
    const [first, last, a, b, end, holds] = this.out.names(6);
    this.out.put(`${first} = getelementptr i8, ptr ${n.THREAD_VALUE}, i64 ${INDEX.x}`);
    this.out.put(`${last} = getelementptr i8, ptr ${n.THREAD_VALUE}, i64 ${INDEX.x + LAST * THREAD_BYTES}`);
    this.out.put(`${a} = load i32, ptr ${first}, align 4`);
    this.out.put(`${b} = load i32, ptr ${last}, align 4`);
    this.out.put(`${end} = add i32 ${a}, ${LAST}`);
    this.out.put(`${holds} = icmp eq i32 ${b}, ${end}`);
    this.out.check(holds);
  }
}
