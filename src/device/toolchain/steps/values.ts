/** Values that can be made at another place than their own: what is fixed while a group runs, and what follows from it. */
import { FIXED } from './layout.ts';
import type { Block, Instruction } from './module.ts';
import { operandsOf, VALUE } from './module.ts';
import * as n from './names.ts';

const PURE =
  /^%\S+ = (?:getelementptr|zext|sext|trunc|and|or|xor|shl|lshr|ashr|add|sub|mul|icmp|select|bitcast|freeze|uitofp|sitofp|fmul|fadd|fsub|inttoptr|ptrtoint|(?:tail )?call \w+ @llvm\.(?:umin|umax|smin|smax)\.\w+\() ?/;

/** Results that no operand's address is part of. */
const OPAQUE = / = (?:load|call|tail call|icmp) /;

/** More than this is kept, not made again. */
const DEAREST = 10;

export class Values {
  readonly definitions: ReadonlyMap<string, Instruction>;
  private readonly costs = new Map<string, number>();
  private readonly uniform = new Map<string, boolean>();

  constructor(
    blocks: readonly Block[],
    private readonly argumentsAreValues: boolean,
    /** Addresses of local arrays, which every call has again. */
    private readonly locals: ReadonlySet<string> = new Set(),
  ) {
    const all = blocks.flatMap(({ instructions }) => instructions);
    this.definitions = new Map(all.filter(({ result }) => result !== '').map((one) => [one.result, one]));
  }

  /** Whether a value is the same for all threads of a group's warp, and can be made before they run. */
  isUniform(value: string): boolean {
    if (n.UNIFORM_ROOTS.has(value)) return true;
    const known = this.uniform.get(value);
    if (known !== undefined) return known;
    this.uniform.set(value, false); // a cycle
    const one = this.definitions.get(value);
    const is = one !== undefined && this.isMovable(one) && operandsOf(one).every((operand) => this.isUniform(operand));
    this.uniform.set(value, is);
    return is;
  }

  /** What follows from some values other than by what memory holds, with these. */
  following(from: ReadonlySet<string>): ReadonlySet<string> {
    const found = new Set(from);
    for (let before = 0; before < found.size;) {
      before = found.size;
      for (const [value, one] of this.definitions)
        if (!found.has(value) && operandsOf(one).some((operand) => found.has(operand)) && !OPAQUE.test(one.text))
          found.add(value);
    }
    return found;
  }

  /** Whether a value costs less to make again than to keep. */
  isCheap(value: string): boolean {
    return this.cost(value) <= DEAREST;
  }

  /** Whether every call has a value without making it. */
  private isAtHand(value: string): boolean {
    return n.LANE_ROOTS.has(value) || this.locals.has(value) || this.isUniform(value);
  }

  private cost(value: string): number {
    if (this.isAtHand(value)) return 0;
    const known = this.costs.get(value);
    if (known !== undefined) return known;
    this.costs.set(value, Infinity); // a cycle
    const one = this.definitions.get(value);
    const cost =
      one && this.isMovable(one) ? operandsOf(one).reduce((sum, operand) => sum + this.cost(operand), 1) : Infinity;
    this.costs.set(value, cost);
    return cost;
  }

  /** What a thread met is of the call that goes on from there: beyond the next place it has to be kept. */
  private isMovable(one: Instruction): boolean {
    if (/%(?:values|came|meeting|buffer)\b/.test(one.text)) return false;
    return PURE.test(one.text) || this.isFixedLoad(one) || one.text.includes('@tf_local_of(');
  }

  /** A load of what no one changes while the group runs. */
  private isFixedLoad({ text }: Instruction): boolean {
    const [, type = '', pointer = ''] = /^%\S+ = load (?!volatile|atomic)(.*?), ptr (%v\d+)\b/.exec(text) ?? [];
    if (pointer === '') return false;
    const { base, offset } = this.address(pointer);
    const within = (spans: readonly (readonly [number, number])[]): boolean =>
      spans.some(([from, to]) => offset >= from && offset < to);
    if (base === n.ARGUMENTS_VALUE) return true;
    if (base === n.THREAD_VALUE) return within(FIXED.thread);
    if (base === n.GROUP_VALUE) return within(FIXED.group);
    if (base === n.WARP_VALUE) return within(FIXED.warp);
    return offset === 0 && (this.argumentsAreValues || type === 'ptr') && this.isArgument(base);
  }

  /** Whether a value is the address of an argument. */
  private isArgument(value: string): boolean {
    const [, pointer = ''] = /^%\S+ = load ptr, ptr (%v\d+)\b/.exec(this.definitions.get(value)?.text ?? '') ?? [];
    return pointer !== '' && this.address(pointer).base === n.ARGUMENTS_VALUE;
  }

  address(pointer: string): { base: string; offset: number } {
    const text = this.definitions.get(pointer)?.text ?? '';
    const [, base, offset] = /getelementptr (?:inbounds |nuw |nusw )*i8, ptr (%v\d+), i64 (-?\d+)/.exec(text) ?? [];
    return base === undefined ? { base: pointer, offset: 0 } : { base, offset: Number(offset) };
  }

  /** The instructions that make a uniform value, those it needs first; `done` are not made again. */
  uniformText(value: string, done: Set<string>): string[] {
    const one = this.definitions.get(value);
    if (!one || done.has(value)) return [];
    done.add(value);
    return [...operandsOf(one).flatMap((operand) => this.uniformText(operand, done)), one.text];
  }

  /** The instructions that make a cheap value again, under names that end in `suffix`. */
  againText(value: string, suffix: string, done: Set<string>): string[] {
    const one = this.definitions.get(value);
    if (!one || done.has(value) || this.isUniform(value)) return [];
    done.add(value);
    const before = operandsOf(one).flatMap((operand) => this.againText(operand, suffix, done));
    return [...before, one.text.replace(VALUE, (name) => (this.isAtHand(name) ? name : `${name}${suffix}`))];
  }
}
