/**
 * Lanes as the elements of vectors: those of a step run eight at once, where all of them go the same way. What is the same
 * for all of them stays one value; of what grows by one step from lane to lane (indices, addresses) the first lane's is
 * kept; the rest become vectors. Before it waits such a step writes nothing, so that it may be given up anywhere, where
 * lanes part or an instruction has no such form, and its lanes start anew, one after the other.
 */
import * as f from './forms.ts';
import { TOGETHER } from './layout.ts';
import { LaneMemory } from './lane-memory.ts';
import { incoming } from './liveness.ts';
import type { Instruction } from './module.ts';
import { isPhi, typeOf } from './module.ts';
import { ENTERED, type Line, Output, vector } from './output.ts';
import { FREE, type LaneBlock, Shapes, type Surroundings } from './shapes.ts';
import { NotStepped } from './types.ts';

/** The text of a step's blocks for eight lanes, and what it needs declared. */
export interface LaneText {
  readonly blocks: readonly string[];
  readonly declarations: ReadonlySet<string>;
  /** Variables by name: their type. */
  readonly variables: ReadonlyMap<string, string>;
  /** The last part of each block that is reached, by label. */
  readonly ends: ReadonlyMap<string, string>;
  /** Whether it goes round in it before it waits, and comes to where it waits. */
  readonly isWorthwhile: boolean;
}

/** The first block comes before all others; `bail` is where it is given up. */
export class Lanes {
  private readonly shapes: Shapes;
  private readonly out: Output;
  private readonly memory: LaneMemory;

  constructor(
    private readonly blocks: readonly LaneBlock[],
    private readonly around: Surroundings,
    bail: string,
  ) {
    this.shapes = new Shapes(blocks, around);
    this.out = new Output(this.shapes, bail);
    this.memory = new LaneMemory(this.shapes, this.out);
  }

  /** The lines of all blocks that can be reached. */
  write(): LaneText {
    const written = new Map(this.blocks.map((block) => [block.label, this.blockText(block)]));
    const edges = new Map([...written].map(([label, lines]) => [label, targetsOf(lines)]));
    const reached = reachedFrom([this.blocks[0]?.label ?? ''], edges);
    const splats = new Map([...this.out.wanted].map(([name, type]) => [name, this.out.spread(name, type)]));
    const blocks: string[] = [];
    for (const [label, lines] of written) {
      if (!reached.has(label)) continue;
      const from = [...reached].filter((one) => edges.get(one)?.includes(label));
      blocks.push(...this.placed(label, lines, splats, label === this.blocks[0]?.label ? undefined : from));
    }
    const ends = new Map(
      [...reached].flatMap((label) =>
        edges.get(label)?.includes(MET) ? [[label, this.out.ends.get(label) ?? label]] : [],
      ),
    );
    return {
      blocks,
      declarations: this.out.declarations,
      variables: this.memory.variables(),
      ends,
      isWorthwhile: turnsBefore(reached, edges),
    };
  }

  /** A block's text, with the vectors that are wanted of its values. */
  private placed(
    label: string,
    lines: readonly Line[],
    splats: ReadonlyMap<string, readonly string[]>,
    from: readonly string[] | undefined,
  ): string[] {
    const texts = [`${label}:`];
    const pending: string[] = [];
    for (const { text, defines } of lines) {
      const phi = / = phi /.test(text);
      if (!phi) texts.push(...pending.splice(0));
      if (text === ENTERED) for (const name of this.around.outside) texts.push(...(splats.get(name) ?? []));
      else texts.push(phi && from ? this.phiText(text, from) : text);
      if (defines !== undefined) pending.push(...(splats.get(defines) ?? []));
    }
    return texts.map((text) => (text.endsWith(':') ? text : `  ${text}`));
  }

  private phiText(text: string, from: readonly string[]): string {
    const kept = [...text.matchAll(/\[ (.*?), %([\w.]+) \]/g)]
      .filter(([, , label = '']) => from.includes(label))
      .map(([, value, label = '']) => `[ ${value}, %${this.out.ends.get(label) ?? label} ]`);
    return `${text.slice(0, text.indexOf('[ '))}${kept.join(', ')}${f.debugOf(text)}`;
  }

  private blockText(block: LaneBlock): Line[] {
    this.memory.group(block);
    this.out.begin(block.label);
    try {
      for (const one of block.instructions) this.emit(one);
      return this.out.lines;
    } catch (error) {
      if (!(error instanceof NotStepped)) throw error;
      this.out.begin(block.label);
      return [{ text: `br label %${this.out.bail}` }];
    }
  }

  private emit(one: Instruction): void {
    const { text, result } = one;
    if (text === ENTERED || text.includes(`elementtype(ptr) ${RUNNING}`)) return this.out.put(text);
    if ((text.match(/%[\w.]+/g) ?? []).some((name) => this.around.locals.has(name))) throw new NotStepped(text);
    if (f.IGNORED.test(text)) return;
    if (isPhi(one)) return this.emitPhi(one);
    if (this.memory.emit(text)) return;
    if (text.startsWith('br ')) return this.emitBranch(text);
    if (result === '') throw new NotStepped(text);
    if (this.shapes.of(result) === FREE) return this.out.put(this.vectorText(text), result);
    this.emitScalar(text, result);
  }

  /** What is the same for all lanes, or the first lane's. */
  private emitScalar(text: string, result: string): void {
    if (
      this.shapes.of(result) === 0 &&
      this.shapes.operandsOf(text).every((operand) => this.shapes.of(operand) === 0)
    ) {
      if (!f.HARMLESS.test(text) && !f.FUNCTION.test(text)) throw new NotStepped(text);
      return this.out.put(text, result);
    }
    // What the source says of each lane's value does not hold for the first lane's alone where others differ.
    this.out.put(text.replace(/ (?:nuw|nsw|nusw|exact|disjoint|nneg|inbounds)(?= )/g, ''), result);
    const [, , opcode = '', type = '', a = '', b = ''] = f.BINARY.exec(text) ?? [];
    if (/^(?:lshr|and)/.test(opcode)) return this.checkField(result, opcode.split(' ')[0] ?? '', type, a, b);
    const [, , cast = '', from = '', value = ''] = f.CAST.exec(text) ?? [];
    if (/^[zs]ext/.test(cast) && !cast.includes('nneg')) return this.checkGrowth(cast, from, value);
    const [, , , , , wide = '', index = ''] = f.ELEMENT.exec(text) ?? [];
    if (wide === 'i32' && this.shapes.of(index) !== 0) this.checkGrowth('sext', wide, index);
  }

  private vectorText(text: string): string {
    const made = this.operationText(text) ?? this.addressText(text) ?? this.callText(text);
    if (made === undefined) throw new NotStepped(text);
    return made + f.debugOf(text);
  }

  private operationText(text: string): string | undefined {
    const vec = (operand: string, type: string): string => this.out.vec(operand, type);
    const [, binary, opcode, type = '', a = '', b = ''] = f.BINARY.exec(text) ?? f.COMPARE.exec(text) ?? [];
    if (binary !== undefined) return `${binary}.v = ${opcode} ${vector(type)} ${vec(a, type)}, ${vec(b, type)}`;
    const [, cast, how, from = '', value = '', to = ''] = f.CAST.exec(text) ?? [];
    if (cast !== undefined) return `${cast}.v = ${how} ${vector(from)} ${vec(value, from)} to ${vector(to)}`;
    const [, single, does, of = '', it = ''] = f.SINGLE.exec(text) ?? [];
    if (single !== undefined) return `${single}.v = ${does} ${vector(of)} ${vec(it, of)}`;
    const [, select, by = '', kind = '', yes = '', no = ''] = f.SELECT.exec(text) ?? [];
    if (select === undefined) return undefined;
    const many = vector(kind);
    return `${select}.v = select ${vector('i1')} ${vec(by, 'i1')}, ${many} ${vec(yes, kind)}, ${many} ${vec(no, kind)}`;
  }

  private addressText(text: string): string | undefined {
    const [, result, opcode, type, base = '', wide = '', index = ''] = f.ELEMENT.exec(text) ?? [];
    if (result === undefined) return undefined;
    const from = this.shapes.of(base) === 0 ? `ptr ${base}` : `${vector('ptr')} ${this.out.vec(base, 'ptr')}`;
    return `${result}.v = ${opcode} ${type}, ${from}, ${vector(wide)} ${this.out.vec(index, wide)}`;
  }

  private callText(text: string): string | undefined {
    const [, result, type = '', name, , list = ''] = f.FUNCTION.exec(text) ?? [];
    if (result === undefined) return undefined;
    const operands = list.split(', ').map((one) => one.split(' '));
    if (operands.some(([one]) => one !== type)) return undefined;
    const suffix = { float: 'f32', double: 'f64' }[type] ?? type;
    const symbol = `@llvm.${name}.v${TOGETHER}${suffix}`;
    this.out.declarations.add(`declare ${vector(type)} ${symbol}(${operands.map(() => vector(type)).join(', ')})`);
    const given = operands.map((one) => `${vector(type)} ${this.out.vec(one.at(-1) ?? '', type)}`);
    return `${result}.v = call ${vector(type)} ${symbol}(${given.join(', ')})`;
  }

  private emitPhi(one: Instruction): void {
    const { text, result } = one;
    if (this.shapes.of(result) !== FREE) return this.out.put(text, result);
    const type = typeOf(one);
    const pairs = [...incoming(text)].map(({ value, label }) => `[ ${this.out.vec(value, type)}, %${label} ]`);
    this.out.put(`${result}.v = phi ${vector(type)} ${pairs.join(', ')}${f.debugOf(text)}`, result);
  }

  private emitBranch(text: string): void {
    const plain = text.replace(/, !(?!dbg)\w[\w.]* !\d+/g, '');
    const [, by = '', yes = '', no = ''] = /^br i1 (\S+), label %([\w.]+), label %([\w.]+)/.exec(text) ?? [];
    if (by === '' || this.shapes.of(by) !== FREE) return this.out.put(plain);
    const [bits, all, none, agree] = this.out.names(4);
    this.out.put(`${bits} = bitcast ${vector('i1')} ${this.out.vec(by, 'i1')} to i${TOGETHER}`);
    this.out.put(`${all} = icmp eq i${TOGETHER} ${bits}, -1`);
    this.out.put(`${none} = icmp eq i${TOGETHER} ${bits}, 0`);
    this.out.put(`${agree} = or i1 ${all}, ${none}`);
    this.out.check(agree);
    this.out.put(`br i1 ${all}, label %${yes}, label %${no}`);
  }

  /** No lane's value wraps around where it is widened. */
  private checkGrowth(opcode: string, type: string, a: string): void {
    const [last, holds] = this.out.names(2);
    this.out.put(`${last} = add ${type} ${a}, ${LAST * (this.shapes.of(a) ?? 0)}`);
    this.out.put(`${holds} = icmp ${opcode.startsWith('z') ? 'uge' : 'sge'} ${type} ${last}, ${a}`);
    this.out.check(holds);
  }

  /** A field of all lanes' values grows as the values do, or not at all. */
  private checkField(result: string, opcode: string, type: string, a: string, b: string): void {
    const [step, grows] = [this.shapes.of(a) ?? 0, this.shapes.of(result) ?? 0];
    if (opcode === 'and' && grows === 0) return; // a multiple of the field
    const [last, own, want, same] = this.out.names(4);
    this.out.put(`${last} = add ${type} ${a}, ${LAST * step}`);
    this.out.put(`${own} = ${opcode} ${type} ${last}, ${b}`);
    this.out.put(`${want} = add ${type} ${result}, ${LAST * grows}`);
    this.out.put(`${same} = icmp eq ${type} ${own}, ${want}`);
    this.out.check(same);
  }
}

const LAST = TOGETHER - 1;
/** The parameter that holds the thread that runs. */
const RUNNING = '%running';

const targetsOf = (lines: readonly Line[]): string[] =>
  lines.flatMap(({ text }) => [...text.matchAll(/label %([\w.]+)/g)].map((match) => match[1] ?? ''));

type Edges = ReadonlyMap<string, readonly string[]>;

function reachedFrom(starts: readonly string[], edges: Edges): Set<string> {
  const reached = new Set<string>();
  const queue = [...starts];
  for (let label = queue.pop(); label !== undefined; label = queue.pop()) {
    if (reached.has(label)) continue;
    reached.add(label);
    queue.push(...(edges.get(label) ?? []));
  }
  return reached;
}

/** Whether it goes round among these blocks before it waits. */
function turnsBefore(blocks: ReadonlySet<string>, edges: Edges): boolean {
  return [...blocks].some((label) => {
    const after = reachedFrom(edges.get(label) ?? [], edges);
    return after.has(label) && after.has(MET);
  });
}

/** The label where threads wait. */
const MET = 'met';
