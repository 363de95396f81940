/**
 * Several turns of a loop of one block at once, where that many are left. Lanes that each read a run of neighbouring values, one a
 * turn, then read whole runs, which lie in a row; and of a loop that goes round a few times at most, as over a lane's part of a
 * tile, the compiler makes vectors without asking how many turns there are.
 */
import { BINARY, BYTES, debugOf, ELEMENT, READ } from './forms.ts';
import { incoming } from './liveness.ts';
import { type Instruction, instructionOf, isPhi, typeOf } from './module.ts';
import { FREE, type LaneBlock, Shapes, type Surroundings } from './shapes.ts';

/** Past this, a block of several turns is longer than it is worth. */
const MOST_INSTRUCTIONS = 400;
const MOST_TURNS = 8;
/** A tile's most turns. */
const MOST_TILE = 16;

/** Metadata, of a number past the compiler's own, of a loop that goes round too few times to become vectors. */
const PLAIN_LOOP = 999980;
export const PLAIN = `!${PLAIN_LOOP} = distinct !{!${PLAIN_LOOP}, !${PLAIN_LOOP + 1}}\n!${PLAIN_LOOP + 1} = !{!"llvm.loop.vectorize.enable", i1 false}`;

/** How a block goes round. */
interface Loop {
  readonly block: LaneBlock;
  readonly phis: readonly Instruction[];
  readonly body: readonly Instruction[];
  /** The counter, its type, its growth a turn, and its bound. */
  readonly counter: string;
  readonly type: string;
  readonly step: number;
  readonly bound: string;
  /** While the counter stands so to the bound, it has not passed it; undefined where the loop ends only at the bound. */
  readonly before: string | undefined;
  readonly exit: string;
}

/** The blocks of several lanes at once, with another of several turns beside each loop that reads runs. */
export function withRuns(blocks: readonly LaneBlock[], around: Surroundings): readonly LaneBlock[] {
  const isReading = ({ body }: Loop): boolean => body.every(({ result }) => result !== '');
  if (!blocks.some((block) => loopOf(block))) return blocks;
  const shapes = new Shapes(blocks, around);
  const texts = textsOf(blocks);
  return eachLoop(blocks, (made, loop) => {
    const growths = growthsOf(loop, around.named);
    const turns = isReading(loop) ? turnsOf(loop, growths, shapes) : 1;
    if (turns === 1 || turns * loop.body.length > MOST_INSTRUCTIONS) return made;
    return unrolled(made, loop, growths, { turns, isWhole: mostTurns(loop, texts) === turns });
  });
}

/** The blocks of one lane, with another loop of a fixed number of turns beside each that goes round that often at most. */
export function withTiles(blocks: readonly LaneBlock[]): readonly LaneBlock[] {
  const texts = textsOf(blocks);
  return eachLoop(blocks, (made, loop) => {
    const turns = mostTurns(loop, texts);
    return turns > 1 ? tiled(made, loop, turns) : made;
  });
}

/** Changes the blocks for each loop, as it is after the changes for those before it. */
function eachLoop(
  blocks: readonly LaneBlock[],
  change: (made: readonly LaneBlock[], loop: Loop) => readonly LaneBlock[],
): readonly LaneBlock[] {
  return blocks.reduce((made, { label }) => {
    const block = made.find((one) => one.label === label);
    const loop = block && loopOf(block);
    return loop ? change(made, loop) : made;
  }, blocks);
}

const textsOf = (blocks: readonly LaneBlock[]): ReadonlyMap<string, string> =>
  new Map(blocks.flatMap(({ instructions }) => instructions.map(({ text, result }) => [result, text] as const)));

/** What may be done several times at once: values, and plain memory. */
const SIMPLE =
  /^(?:\S+ = (?!atomicrmw|cmpxchg|load (?:volatile|atomic)|.*\bcall (?!.*@llvm\.))|store (?!volatile|atomic))/;

function loopOf(block: LaneBlock): Loop | undefined {
  const last = block.instructions.at(-1)?.text ?? '';
  const [, by = '', yes = '', no = ''] = /^br i1 (\S+), label %([\w.]+), label %([\w.]+)/.exec(last) ?? [];
  if ((yes === block.label) === (no === block.label)) return undefined;
  const phis = block.instructions.filter(isPhi);
  const body = block.instructions.slice(phis.length, -1);
  if (body.some(({ text }) => !SIMPLE.test(text))) return undefined;
  const text = (name: string): string => block.instructions.find(({ result }) => result === name)?.text ?? '';
  const [, , predicate = '', type = '', next = '', bound = ''] =
    /^(\S+) = icmp (?:samesign )?(\w+) (i32|i64) (\S+), (\S+?)(?=,|$)/.exec(text(by)) ?? [];
  const [, , opcode = '', , counter = '', step = ''] = BINARY.exec(text(next)) ?? [];
  const goesOn = yes === block.label ? predicate : OPPOSITE[predicate];
  const isCounted = phis.some(
    (one) =>
      one.result === counter &&
      [...incoming(one.text)].some(({ value, label }) => value === next && label === block.label),
  );
  if (
    !isCounted ||
    !opcode.startsWith('add') ||
    !(Number(step) > 0) ||
    text(bound) !== '' ||
    !/^(?:[us]lt|ne)$/.test(goesOn ?? '')
  )
    return undefined;
  return {
    ...{ block, phis, body, counter, type, bound, step: Number(step) },
    before: goesOn === 'ne' ? undefined : goesOn,
    exit: yes === block.label ? no : yes,
  };
}

const OPPOSITE: Readonly<Record<string, string>> = { eq: 'ne', uge: 'ult', sge: 'slt' };

/** By how much values grow a turn: the counter, and what follows from it by steps of one size. */
function growthsOf({ counter, step, body }: Loop, named: Surroundings['named']): Map<string, number> {
  const growths = new Map([[counter, step]]);
  const own = new Set(body.map(({ result }) => result));
  const of = (operand: string): number | undefined => growths.get(operand) ?? (own.has(operand) ? undefined : 0);
  for (const { text, result } of body) {
    const [, , opcode = '', , a = '', b = ''] = BINARY.exec(text) ?? [];
    const [left, right] = [of(a), of(b)];
    if (opcode.startsWith('add') && left !== undefined && right !== undefined) growths.set(result, left + right);
    const [, , , type = '', base = '', wide = '', index = ''] = ELEMENT.exec(text) ?? [];
    if (wide !== 'i64') continue; // a narrow index may wrap around where it is widened
    const size = BYTES[named.get(type)?.replace(/^\{ (\w+) \}$/, '$1') ?? type];
    const [from, by] = [of(base), of(index)];
    if (size !== undefined && from !== undefined && by !== undefined) growths.set(result, from + by * size);
  }
  return growths;
}

/** As many turns as a lane reads neighbouring values before the next one's begin; 1 where lanes do not read so. */
function turnsOf({ body }: Loop, growths: ReadonlyMap<string, number>, shapes: Shapes): number {
  let turns = 1;
  for (const { text } of body) {
    const [, , type = '', pointer = ''] = READ.exec(text) ?? [];
    const [size, apart] = [BYTES[type], shapes.of(pointer)];
    if (size === undefined || apart === FREE || growths.get(pointer) !== size || apart % size !== 0) continue;
    if (apart / size <= MOST_TURNS) turns = Math.max(turns, apart / size);
  }
  return turns;
}

/** The turns after which the counter is at its bound for certain: the least of something and what the counter began with and a number. */
function mostTurns({ block, phis, counter, bound, step }: Loop, texts: ReadonlyMap<string, string>): number {
  const narrow = (value: string): string =>
    / = zext (?:nneg )?i32 (\S+) to i64/.exec(texts.get(value) ?? '')?.[1] ?? value;
  const phi = phis.find(({ result }) => result === counter)?.text ?? '';
  const starts = [...incoming(phi)].filter(({ label }) => label !== block.label);
  const [start] = starts;
  if (starts.length !== 1 || start === undefined) return 1;
  const [, a = '', b = ''] =
    / = .*@llvm\.umin\.i(?:32|64)\(i\d+ (\S+), i\d+ (\S+)\)/.exec(texts.get(narrow(bound)) ?? '') ?? [];
  for (const one of [a, b]) {
    const [, , opcode = '', , from = '', by = ''] = BINARY.exec(texts.get(one) ?? '') ?? [];
    const turns = Number(by) / step;
    if (opcode.startsWith('add') && from === narrow(start.value) && turns <= MOST_TILE && Number.isInteger(turns))
      return turns;
  }
  return 1;
}

/** Beside a loop one of as many turns as it has of a whole tile. */
function tiled(blocks: readonly LaneBlock[], loop: Loop, turns: number): readonly LaneBlock[] {
  const { block, phis, body, exit } = loop;
  const { label } = block;
  const [one, many, turn] = [`${label}.one`, `${label}.many`, `%${label}.turn`];
  const last = new Map([...phis, ...body].map(({ result }) => [result, `${result}.tile`]));
  const merged = new Map(phis.map(({ result }) => [result, `${result}.in`]));
  const within = ({ text, result }: Instruction, from: string): string => {
    const next = [...incoming(text)].find((pair) => pair.label === label)?.value ?? '';
    return `${result} = phi ${typeOf(instructionOf(text))} [ ${result}.in, %${label} ], [ ${next}, %${from} ]`;
  };
  const into = phis.map((phi) => {
    const pairs = [...incoming(phi.text)].filter((pair) => pair.label !== label);
    return `${phi.result}.in = phi ${typeOf(phi)} ${pairs.map(({ value, label: from }) => `[ ${value}, %${from} ]`).join(', ')}`;
  });
  const end = block.instructions.at(-1)?.text ?? '';
  const made = [
    {
      label,
      texts: [...into, ...guardText(loop, { turns, isWhole: true }, one, many).map((text) => renamed(text, merged))],
    },
    {
      label: many,
      texts: [
        ...phis.map((phi) => renamed(within(phi, many), last)),
        `${turn} = phi i32 [ 0, %${label} ], [ ${turn}.next, %${many} ]`,
        ...body.map(({ text }) => renamed(text, last)),
        `${turn}.next = add nuw nsw i32 ${turn}, 1`,
        `${turn}.left = icmp ult i32 ${turn}.next, ${turns}`,
        `br i1 ${turn}.left, label %${many}, label %${exit}${debugOf(end)}`,
      ],
    },
    {
      label: one,
      texts: [
        ...phis.map((phi) => within(phi, one)),
        ...body.map(({ text }) => text),
        end.replace(`label %${label}`, `label %${one}`).replace(/, !llvm.loop !\d+/, '') +
          `, !llvm.loop !${PLAIN_LOOP}`,
      ],
    },
  ].map(({ label: name, texts }) => ({ label: name, instructions: texts.map(instructionOf) }));
  const after = leaving(blocks, loop, (text) => comingFrom(text, label, one, many, last));
  return after?.flatMap((other) => (other.label === label ? made : [other])) ?? blocks;
}

function unrolled(
  blocks: readonly LaneBlock[],
  loop: Loop,
  growths: ReadonlyMap<string, number>,
  ahead: Ahead,
): readonly LaneBlock[] {
  const { label, instructions } = loop.block;
  const [one, many] = [`${label}.one`, `${label}.many`];
  const { texts, last } = turnsText(loop, growths, ahead.turns);
  const end = instructions.at(-1) ?? instructionOf('');
  const leave = ahead.isWhole ? `br label %${loop.exit}${debugOf(end.text)}` : renamed(end.text, last);
  const back = (text: string): string => comingFrom(text, label, one, many, last);
  const phis = loop.phis.map(({ text }) => instructionOf(back(text)));
  const made: LaneBlock[] = [
    { label, instructions: [...phis, ...guardText(loop, ahead, one, many).map(instructionOf)] },
    { label: many, instructions: [...texts, leave].map(instructionOf) },
    { label: one, instructions: [...loop.body, end] },
  ];
  const after = leaving(blocks, loop, back);
  return after?.flatMap((block) => (block.label === label ? made : [block])) ?? blocks;
}

/** What several turns do, one after the other, and what each value is in the last of them. */
function turnsText(
  { block, phis, body }: Loop,
  growths: ReadonlyMap<string, number>,
  turns: number,
): {
  readonly texts: string[];
  readonly last: ReadonlyMap<string, string>;
} {
  const texts: string[] = [];
  let names: ReadonlyMap<string, string> = new Map();
  for (let turn = 0; turn < turns; turn++) {
    const before = names;
    const now = new Map<string, string>(body.map(({ result }) => [result, `${result}.turn${turn}`]));
    for (const { text, result } of phis) {
      const next = [...incoming(text)].find(({ label }) => label === block.label)?.value ?? '';
      now.set(result, turn === 0 ? result : (before.get(next) ?? next));
    }
    names = now;
    for (const { text, result } of body) {
      const grows = turn > 0 && ELEMENT.test(text) ? growths.get(result) : undefined;
      const onwards = `${names.get(result)} = getelementptr i8, ptr ${result}.turn0, i64 ${turn * (grows ?? 0)}`;
      texts.push(grows === undefined ? renamed(text, names) : onwards + debugOf(text));
    }
  }
  return { texts, last: names };
}

const renamed = (text: string, names: ReadonlyMap<string, string>): string =>
  text.replace(/%[\w.]+/g, (name) => names.get(name) ?? name);

/** Turns that are taken at once; `isWhole`: only where no more are left. */
interface Ahead {
  readonly turns: number;
  readonly isWhole: boolean;
}

/** Goes to several turns where the counter is that far from its bound. */
function guardText(
  { block, counter, type, bound, step, before }: Loop,
  { turns, isWhole }: Ahead,
  one: string,
  many: string,
): string[] {
  const [left, enough, inside, goes] = ['left', 'enough', 'inside', 'goes'].map((name) => `%${block.label}.${name}`);
  return [
    `${left} = sub ${type} ${bound}, ${counter}`,
    `${enough} = icmp ${isWhole ? 'eq' : 'uge'} ${type} ${left}, ${turns * step}`,
    ...(before === undefined
      ? [`${goes} = freeze i1 ${enough}`]
      : [`${inside} = icmp ${before} ${type} ${counter}, ${bound}`, `${goes} = and i1 ${enough}, ${inside}`]),
    `br i1 ${goes}, label %${many}, label %${one}`,
  ];
}

/** A phi's text, of which what came from one block comes from two. */
function comingFrom(text: string, from: string, one: string, many: string, last: ReadonlyMap<string, string>): string {
  const pairs = [...incoming(text)].flatMap(({ value, label }) =>
    label === from
      ? [`[ ${value}, %${one} ]`, `[ ${last.get(value) ?? value}, %${many} ]`]
      : [`[ ${value}, %${label} ]`],
  );
  return `${text.slice(0, text.indexOf('['))}${pairs.join(', ')}${debugOf(text)}`;
}

const goesTo = (text: string, label: string): boolean =>
  [...text.matchAll(/label %([\w.]+)/g)].some((match) => match[1] === label);

/** The blocks with what they take from the loop, from either of its parts; undefined where that has no form. */
function leaving(
  blocks: readonly LaneBlock[],
  { block, exit }: Loop,
  back: (text: string) => string,
): readonly LaneBlock[] | undefined {
  const own = new Map(block.instructions.filter(({ result }) => result !== '').map((one) => [one.result, one]));
  const taken = new Map<string, string>();
  const others = blocks.filter(({ label }) => label !== block.label);
  for (const { instructions } of others)
    for (const one of instructions) {
      const rest = isPhi(one) ? [...incoming(one.text)].filter(({ label }) => label !== block.label) : undefined;
      const used = rest?.map(({ value }) => value) ?? one.text.match(/%[\w.]+/g) ?? [];
      for (const name of used) if (own.has(name)) taken.set(name, `${name}.left`);
    }
  const entries = others.filter(({ instructions }) => goesTo(instructions.at(-1)?.text ?? '', exit)).length;
  if (
    taken.size > 0 &&
    (entries > 0 || others.some(({ label, instructions }) => label === exit && instructions.some(isPhi)))
  )
    return undefined;
  const made = [...taken].map(([name, left]) =>
    back(`${left} = phi ${typeOf(own.get(name) ?? instructionOf(''))} [ ${name}, %${block.label} ]`),
  );
  return blocks.map((one) => {
    if (one.label === block.label) return one;
    const texts = one.instructions.map((it) =>
      renamed(isPhi(it) && one.label === exit ? back(it.text) : it.text, taken),
    );
    return { label: one.label, instructions: [...(one.label === exit ? made : []), ...texts].map(instructionOf) };
  });
}
