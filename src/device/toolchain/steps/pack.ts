/**
 * Neighbouring values that are made alike are made together, as vectors: fields of words that become floats, and functions
 * that have a vector form. The compiler's own vectorizer begins at stores, and finds none where values only feed a sum in
 * its order.
 */
import { EACH } from './layout.ts';
import { FIRST_PACKED } from './names.ts';
import { type Block, type Instruction, instructionOf, operandsOf } from './module.ts';

const WIDTHS = [8, 4] as const;
const WORD_BITS = 0xffffffff;

/** A value ((word << left) >> right) & mask. */
interface Field {
  readonly word: string;
  readonly left: number;
  readonly right: number;
  readonly mask: number;
}

type Namer = () => string;

/** An instruction that can be made with others of its key. */
interface Candidate {
  readonly one: Instruction;
  readonly at: number;
  readonly key: string;
  readonly operand: string;
}

/** Packs every block; the names of results stay. */
export function packBlocks(blocks: readonly Block[]): void {
  let serial = FIRST_PACKED;
  const name = (): string => `%v${serial++}`;
  for (const block of blocks) {
    const done = new Set<string>();
    for (let group = nextGroup(block, done); group; group = nextGroup(block, done)) {
      for (const { one } of group) done.add(one.result);
      packGroup(block, group, name);
    }
  }
}

function candidateOf(one: Instruction, at: number): Candidate | undefined {
  const [, opcode, operand] = /^%\S+ = (uitofp|sitofp|bitcast) (?:nneg )?i32 (%v\d+) to float\b/.exec(one.text) ?? [];
  if (opcode !== undefined) return { one, at, key: opcode, operand: operand ?? '' };
  const [, name, argument] = EACH.exec(one.text) ?? [];
  return name === undefined ? undefined : { one, at, key: name, operand: argument ?? '' };
}

/** As many candidates of one key as a vector takes, all of which can be made where the first of them is. */
function nextGroup(block: Block, done: ReadonlySet<string>): Candidate[] | undefined {
  const byKey = new Map<string, Candidate[]>();
  block.instructions.forEach((one, at) => {
    const candidate = done.has(one.result) ? undefined : candidateOf(one, at);
    if (candidate) byKey.set(candidate.key, [...(byKey.get(candidate.key) ?? []), candidate]);
  });
  const definitions = new Map(block.instructions.map((one, at) => [one.result, at] as const));
  for (const [key, candidates] of byKey) {
    for (const width of widthsOf(key)) {
      for (let from = 0; from + width <= candidates.length; from++) {
        const group = candidates.slice(from, from + width);
        if (isWorthwhile(block, group) && group.every((one) => movable(block, definitions, one, group) !== undefined))
          return group;
      }
    }
  }
  return undefined;
}

/** Functions have one vector form, of 4. */
const widthsOf = (key: string): readonly number[] => (/^(?:uitofp|sitofp|bitcast)$/.test(key) ? WIDTHS : [4]);

/** A plain move of a word to a float is one instruction as it is. */
function isWorthwhile(block: Block, group: readonly Candidate[]): boolean {
  if (group[0]?.key !== 'bitcast') return true;
  return group.every(({ operand }) => {
    const { left, right, mask } = fieldOf(block, operand);
    return left + right > 0 || mask !== WORD_BITS;
  });
}

/** The instructions that a candidate needs between the group's first place and its own; undefined where one must stay. */
function movable(
  block: Block,
  definitions: ReadonlyMap<string, number>,
  candidate: Candidate,
  group: readonly Candidate[],
): number[] | undefined {
  const first = group[0]?.at ?? 0;
  const results = new Set(group.map(({ one }) => one.result));
  const needed = new Set<number>();
  const queue = [candidate.operand];
  for (let value = queue.pop(); value !== undefined; value = queue.pop()) {
    const at = definitions.get(value);
    if (at === undefined || at < first || needed.has(at)) continue;
    const one = block.instructions[at];
    if (!one || results.has(value) || !canMove(block, one, first, at)) return undefined;
    needed.add(at);
    queue.push(...operandsOf(one));
  }
  return [...needed];
}

const MOVABLE =
  /^%\S+ = (?:getelementptr|zext|sext|trunc|and|or|xor|shl|lshr|ashr|add|sub|mul|fadd|fsub|fmul|fneg|bitcast|extractelement) /;
const PLAIN_LOAD = /^%\S+ = load (?!volatile|atomic)/;
const CHANGES_MEMORY = /^store |\bcall |atomicrmw|cmpxchg|fence|load (?:volatile|atomic)/;

function canMove({ instructions }: Block, { text }: Instruction, to: number, at: number): boolean {
  if (MOVABLE.test(text)) return true;
  if (!PLAIN_LOAD.test(text)) return false;
  return !instructions
    .slice(to, at)
    .some(
      (one) =>
        CHANGES_MEMORY.test(one.text) &&
        !EACH.test(one.text) &&
        !/@llvm\.(?:fma|sqrt|fabs|exp|umin|umax)/.test(one.text),
    );
}

function packGroup(block: Block, group: readonly Candidate[], name: Namer): void {
  const definitions = new Map(block.instructions.map((one, at) => [one.result, at] as const));
  const first = group[0]?.at ?? 0;
  const moved = new Set(group.flatMap((one) => movable(block, definitions, one, group) ?? []));
  const packed = new Set(group.map(({ at }) => at));
  const texts = group[0] && widthsOf(group[0].key).length > 1 ? fieldsText(block, group, name) : callText(group, name);
  const before = [...moved].toSorted((a, b) => a - b).map((at) => block.instructions[at] ?? instructionOf(''));
  const isLeft = (_: Instruction, at: number): boolean => !moved.has(at) && !packed.has(at);
  const head = block.instructions.slice(0, first);
  const tail = block.instructions.slice(first).filter((one, i) => isLeft(one, first + i));
  block.instructions = [...head, ...before, ...texts.map(instructionOf), ...tail];
}

function fieldOf(block: Block, value: string): Field {
  const text = (name: string): string => block.instructions.find(({ result }) => result === name)?.text ?? '';
  let word = value;
  let [left, right, mask] = [0, 0, WORD_BITS];
  const [, masked, bits] = / = and i32 (%v\d+), (-?\d+)/.exec(text(word)) ?? [];
  if (masked !== undefined) [word, mask] = [masked, Number(bits) >>> 0];
  const [, down, by] = / = lshr (?:exact )?i32 (%v\d+), (\d+)/.exec(text(word)) ?? [];
  if (down !== undefined) [word, right] = [down, Number(by)];
  const [, up, over] = / = shl (?:nuw |nsw )*i32 (%v\d+), (\d+)/.exec(text(word)) ?? [];
  if (up !== undefined && down === undefined) [word, left] = [up, Number(over)];
  return { word, left, right, mask };
}

function fieldsText(block: Block, group: readonly Candidate[], name: Namer): string[] {
  const width = group.length;
  const [ints, floats] = [`<${width} x i32>`, `<${width} x float>`];
  const fields = group.map(({ operand }) => fieldOf(block, operand));
  const words = [...new Set(fields.map(({ word }) => word))];
  const lanes = fields.map(({ word }) => words.indexOf(word));
  const texts = buildVector(words, 'i32', name);
  let vector = instructionOf(texts.at(-1) ?? '').result;
  const step = (text: string): void => {
    const next = name();
    texts.push(`${next} = ${text}`);
    vector = next;
  };
  const constant = (of: (field: Field) => number): string =>
    `<${fields.map((field) => `i32 ${of(field) | 0}`).join(', ')}>`;
  const isSplit = lanes.some((lane, i) => lane !== i) || words.length !== width;
  if (isSplit)
    step(
      `shufflevector <${words.length} x i32> ${vector}, <${words.length} x i32> poison, <${width} x i32> <${lanes.map((lane) => `i32 ${lane}`).join(', ')}>`,
    );
  if (fields.some(({ left }) => left > 0)) step(`shl ${ints} ${vector}, ${constant(({ left }) => left)}`);
  if (fields.some(({ right }) => right > 0)) step(`lshr ${ints} ${vector}, ${constant(({ right }) => right)}`);
  if (fields.some(({ mask }) => mask !== WORD_BITS)) step(`and ${ints} ${vector}, ${constant(({ mask }) => mask)}`);
  step(`${group[0]?.key} ${ints} ${vector} to ${floats}`);
  return [...texts, ...extracts(group, floats, vector)];
}

function callText(group: readonly Candidate[], name: Namer): string[] {
  const floats = `<${group.length} x float>`;
  const debug = /, !dbg !\d+/.exec(group[0]?.one.text ?? '')?.[0] ?? '';
  const values = group.map(({ operand }) => operand);
  const texts = buildVector(values, 'float', name);
  const [of, all] = [instructionOf(texts.at(-1) ?? '').result, name()];
  return [
    ...texts,
    `${all} = call ${floats} @${group[0]?.key}_x4(${floats} ${of})${debug}`,
    ...extracts(group, floats, all),
  ];
}

/** The vector of some values; the last instruction gives it. */
function buildVector(values: readonly string[], type: string, name: Namer): string[] {
  let from = 'poison';
  return values.map((value, i) => {
    const to = name();
    const text = `${to} = insertelement <${values.length} x ${type}> ${from}, ${type} ${value}, i64 ${i}`;
    from = to;
    return text;
  });
}

const extracts = (group: readonly Candidate[], type: string, vector: string): string[] =>
  group.map(({ one }, i) => `${one.result} = extractelement ${type} ${vector}, i64 ${i}`);
