/** How values differ from lane to lane. */
import { BINARY, BYTES, CAST, ELEMENT, isName, READ, SINGLE, WRITE } from './forms.ts';
import { INDEX, TOGETHER } from './layout.ts';
import { incoming } from './liveness.ts';
import type { Instruction } from './module.ts';
import { isPhi } from './module.ts';

/** By a fixed step, 0 where it is the same for all; undefined where it does so freely. */
export type Shape = number | undefined;
export const FREE = undefined;

/** The number of the lane that the others follow. */
const FIRST = '%i';

export interface LaneBlock {
  readonly label: string;
  readonly instructions: readonly Instruction[];
}

/** What blocks may take from outside of them. */
export interface Surroundings {
  /** Names that are the same for all lanes. */
  readonly outside: ReadonlySet<string>;
  /** What only one lane at a time may use. */
  readonly locals: ReadonlySet<string>;
  readonly named: ReadonlyMap<string, string>;
  /** Where kept values come from. */
  readonly originals: ReadonlyMap<string, Instruction>;
}

function literal(operand: string): number | undefined {
  const value = /^-?\d+$/.test(operand) ? Number(operand) : Number.NaN;
  return Number.isSafeInteger(value) ? value : undefined;
}

/** Over all lanes a step stays far from where a word wraps around. */
const isSmall = (shape: Shape): boolean => shape !== FREE && Math.abs(shape) * TOGETHER < 2 ** 31;
const isIndex = (type: string): boolean => type === 'i32' || type === 'i64' || type === 'ptr';

/** The shapes of all values and variables of some blocks, of which the lanes that run go the same way. */
export class Shapes {
  private readonly shapes = new Map<string, Shape>();
  private readonly known = new Set<string>();
  private readonly definitions = new Map<string, string>();

  constructor(
    private readonly blocks: readonly LaneBlock[],
    private readonly around: Surroundings,
  ) {
    for (const { instructions } of blocks)
      for (const { text, result } of instructions) if (result !== '') this.definitions.set(result, text);
    this.findShapes();
  }

  private findShapes(): void {
    const all = this.blocks.flatMap(({ instructions }) => instructions);
    for (let changed = true; changed;) {
      changed = false;
      for (const one of all) changed = this.learn(one) || changed;
    }
  }

  /** Whether that tells more than was known. */
  private learn(one: Instruction): boolean {
    const [name, found] = this.shapeOf(one) ?? [];
    if (name === undefined) return false;
    const shape = isSmall(found) ? found : FREE;
    const before = this.known.has(name);
    const joined = before && this.shapes.get(name) !== shape ? FREE : shape;
    if (before && joined === this.shapes.get(name)) return false;
    this.known.add(name);
    this.shapes.set(name, joined);
    return true;
  }

  of(operand: string): Shape {
    if (!isName(operand) || this.around.outside.has(operand)) return 0;
    return this.shapes.get(operand);
  }

  private isKnown(operand: string): boolean {
    return !isName(operand) || this.around.outside.has(operand) || this.known.has(operand);
  }

  /** What an instruction defines, or a store its variable, and its shape; undefined while an operand has none. */
  private shapeOf({ text, result }: Instruction): [string, Shape] | undefined {
    const write = WRITE.exec(text);
    if (write) {
      const [, , value = '', pointer = ''] = write;
      return pointer.startsWith('%var.') && this.isKnown(value) ? [pointer, this.of(value)] : undefined;
    }
    if (result === '') return undefined;
    if (result === FIRST) return [result, 1];
    if (isPhi({ text, result })) return this.phiShape(text, result);
    const operands = this.operandsOf(text);
    if (!operands.every((operand) => this.isKnown(operand))) return undefined;
    return [result, this.plainShape(text, operands)];
  }

  operandsOf(text: string): string[] {
    const at = text.indexOf(' = ');
    return (text.slice(at + 3).match(/%[\w.]+/g) ?? []).filter(
      (name) => this.definitions.has(name) || name.startsWith('%var.'),
    );
  }

  private phiShape(text: string, result: string): [string, Shape] | undefined {
    let shape: Shape | 'none' = 'none';
    for (const { value } of incoming(text)) {
      if (!this.isKnown(value)) continue;
      const one = this.of(value);
      if (shape === 'none') shape = one;
      else if (shape !== one) return [result, FREE];
    }
    return shape === 'none' ? undefined : [result, shape];
  }

  private plainShape(text: string, operands: readonly string[]): Shape {
    const read = READ.exec(text);
    if (read) {
      const [, , type = '', pointer = ''] = read;
      if (pointer.startsWith('%var.')) return this.of(pointer);
      const field = this.threadField(pointer);
      if (field === INDEX.x || field === INDEX.linear) return 1;
      if (field === INDEX.y || field === INDEX.z) return 0;
      return this.of(pointer) === 0 && BYTES[type] !== undefined ? 0 : FREE;
    }
    if (operands.every((operand) => this.of(operand) === 0)) return 0;
    const binary = BINARY.exec(text);
    if (binary) return this.binaryShape(binary[2] ?? '', binary[4] ?? '', binary[5] ?? '');
    const cast = CAST.exec(text);
    if (cast && /^(?:zext|sext|trunc|ptrtoint)/.test(cast[2] ?? '')) {
      const step = this.of(cast[4] ?? '');
      return isIndex(cast[3] ?? '') && isIndex(cast[5] ?? '') && (step ?? 0) >= 0 ? step : FREE;
    }
    const single = SINGLE.exec(text);
    if (single?.[2] === 'freeze') return this.of(single[4] ?? '');
    const element = ELEMENT.exec(text);
    if (element) {
      const [step, index, size] = [
        this.of(element[4] ?? ''),
        this.of(element[6] ?? ''),
        BYTES[this.layoutOf(element[3] ?? '')],
      ];
      return step === FREE || index === FREE || size === undefined ? FREE : step + index * size;
    }
    return FREE;
  }

  private layoutOf(type: string): string {
    return this.around.named.get(type)?.replace(/^\{ (\w+) \}$/, '$1') ?? type;
  }

  private binaryShape(opcode: string, a: string, b: string): Shape {
    const [left, right, count] = [this.of(a), this.of(b), literal(b)];
    if (left === FREE || right === FREE) return FREE;
    if (opcode.startsWith('add') || opcode === 'or disjoint') return left + right;
    if (opcode.startsWith('sub')) return left - right;
    if (count === undefined || left < 0) return FREE;
    if (opcode.startsWith('mul')) return left * count;
    if (opcode.startsWith('shl')) return left * 2 ** count;
    if (opcode.startsWith('lshr')) return left * TOGETHER <= 2 ** count ? 0 : FREE;
    if (opcode.startsWith('and') && count > 0 && Number.isInteger(Math.log2(count + 1))) {
      if (left % (count + 1) === 0) return 0;
      return left * TOGETHER <= count + 1 ? left : FREE;
    }
    return FREE;
  }

  /** The text that defines a value, which may have been kept in a variable. */
  textOf(value: string): string {
    const kept = / = load [^,]+, ptr %var\.(v\d+)$/.exec(this.definitions.get(value) ?? '')?.[1];
    const name = kept === undefined ? value : `%${kept}`;
    return this.definitions.get(name) ?? this.around.originals.get(name)?.text ?? '';
  }

  /** The offset of a thread's index that a value points at. */
  threadField(pointer: string): number | undefined {
    const [, offset] = /getelementptr (?:inbounds |nuw |nusw )*i8, ptr %v0, i64 (\d+)/.exec(this.textOf(pointer)) ?? [];
    const field = offset === undefined ? undefined : Number(offset);
    return field !== undefined && field >= INDEX.x && field <= INDEX.linear ? field : undefined;
  }
}
