/** The text of a step function: a loop over its threads for each place that they may come from. */
import { variableOf } from './demote.ts';
import type { Frame, Slot } from './frame.ts';
import { slotAddress } from './frame.ts';
import { PLACE_BYTES, THREAD, TOGETHER } from './layout.ts';
import { Lanes, type LaneText } from './lanes.ts';
import { incoming } from './liveness.ts';
import { type Block, type Definition, instructionOf, isPhi, nameOf, successorsOf } from './module.ts';
import * as n from './names.ts';
import { type Form, indented, laneText, metText } from './loop.ts';
import { MEET, type Place } from './places.ts';
import type { Locals, StepOptions, Uniform } from './step.ts';
import { withRuns, withTiles } from './turns.ts';
import { NotStepped } from './types.ts';
import type { Values } from './values.ts';

export interface StepParts {
  readonly definition: Definition;
  /** Its blocks without vectors. */
  readonly single: readonly Block[];
  /** An address in a frame may come out of memory. */
  readonly framesAlias: boolean;
  readonly options: StepOptions;
  readonly places: readonly Place[];
  readonly frame: Frame;
  readonly locals: Locals;
  readonly values: Values;
  readonly uniform: Uniform;
  /** What a place's threads need when they go on, by the label of the block where they do. */
  readonly kept: ReadonlyMap<string, readonly string[]>;
  readonly types: ReadonlyMap<string, string>;
  /** Kept values that are not made again. */
  readonly slots: ReadonlyMap<string, Slot>;
}

export function stepFunction(parts: StepParts): string {
  const { definition, places, frame, locals, uniform } = parts;
  for (const blocks of [definition.blocks, parts.single]) for (const place of places) keep(parts, blocks, place);
  for (const block of [...definition.blocks, ...parts.single]) {
    const last = block.instructions.at(-1);
    if (last && last.text.startsWith('ret void')) last.text = MEET;
  }
  const start = { id: 1, label: definition.blocks[0]?.label ?? '' };
  const entries = [start, ...places.map(({ id, resume }) => ({ id, label: resume }))];
  const loops = entries.map(({ id, label }) => loopsOf(parts, id, label));
  const name = nameOf(definition.head);
  const table = `@${quoted(name, '.places')}`;
  return [
    `${table} = internal global [${places.length + 2} x { i32, i32, i64 }] zeroinitializer`,
    `define ${headOf(definition.head, name, parts)} {`,
    'begin:',
    '  switch i32 %at, label %enter [ i32 -1, label %size i32 -2, label %table ]',
    'size:',
    `  ret i64 ${frame.bytes}`,
    'table:',
    ...indented(places.flatMap((place) => placeText(parts, table, place))),
    `  %table.address = ptrtoint ptr ${table} to i64`,
    '  ret i64 %table.address',
    'enter:',
    ...indented([...ENTER, ...uniform.text, ...locals.shared, ...loops.flatMap(({ variables }) => variables)]),
    `  switch i32 %at, label %never [${entries.map(({ id }, i) => ` i32 ${id}, label %${loops[i]?.label}`).join('')} ]`,
    'never:',
    '  unreachable',
    ...loops.flatMap(({ text }) => text),
    '}',
  ].join('\n');
}

const ENTER = [
  `%group.at = getelementptr inbounds i8, ptr %threads, i64 ${THREAD.group}`,
  `${n.GROUP_VALUE} = load ptr, ptr %group.at`,
  `%warp.at = getelementptr inbounds i8, ptr %threads, i64 ${THREAD.warp}`,
  `${n.WARP_VALUE} = load ptr, ptr %warp.at`,
  `%schedule.at = getelementptr inbounds i8, ptr %threads, i64 ${THREAD.schedule}`,
  `${n.SCHEDULE_VALUE} = load ptr, ptr %schedule.at`,
  '%capacity.wide = zext i32 %capacity to i64',
  '%count.wide = zext i32 %count to i64',
  '%first.wide = zext i32 %first to i64',
];

/** What a thread that waits puts into its frame, and takes out when it goes on. */
function keep({ kept, types, slots, values }: StepParts, blocks: readonly Block[], { id, block, resume }: Place): void {
  const saves: string[] = [];
  const restores: string[] = [];
  const made = new Set<string>();
  for (const value of kept.get(resume) ?? []) {
    const [type, slot, name] = [types.get(value), slots.get(value), value.slice(1)];
    if (!slot) {
      restores.push(...values.againText(value, '.again', made));
      restores.push(`store ${type} ${value}.again, ptr ${variableOf(value)}`);
      continue;
    }
    const [into, from] = [`%into.${id}.${name}`, `%from.${name}`];
    saves.push(`%kept.${id}.${name} = load ${type}, ptr ${variableOf(value)}`, ...slotAddress(into, slot));
    saves.push(`store ${type} %kept.${id}.${name}, ptr ${into}, align ${slot.align}`);
    restores.push(...slotAddress(from, slot), `%back.${name} = load ${type}, ptr ${from}, align ${slot.align}`);
    restores.push(`store ${type} %back.${name}, ptr ${variableOf(value)}`);
  }
  const waiting = blocks.find(({ label }) => label === block.label);
  waiting?.instructions.splice(-1, 0, ...saves.map(instructionOf));
  const resumed = blocks.find(({ label }) => label === resume);
  resumed?.instructions.unshift(...restores.map(instructionOf));
}

interface Loops {
  readonly text: readonly string[];
  readonly variables: readonly string[];
  /** Where a call that comes from the place goes. */
  readonly label: string;
}

/** The loop over the threads that come from a place, and before it one for a whole warp, where that is worth it. */
function loopsOf(parts: StepParts, id: number, entry: string): Loops {
  const blocks = reachable(parts.definition.blocks, entry);
  const body = { blocks, entry, mayStop: mayFault(blocks) };
  const plain = { suffix: String(id), from: 'enter' };
  const one = (): Loops => ({ ...loopText(parts, body, plain), label: `lane.${id}` });
  const { oneByOne, warp } = parts.options;
  if (oneByOne) return one();
  if (!isShort(body)) return together(parts, body, id) ?? one();
  const [choice, suffix] = [`choose${id}`, `${id}w`];
  const whole = loopText(parts, body, { suffix, from: choice, isWarp: true });
  const other = loopText(parts, body, { ...plain, from: choice });
  const choose = [
    `${choice}:`,
    ...indented([
      `%${choice}.count = icmp eq i32 %count, ${warp}`,
      `%${choice}.came = icmp eq i64 %came, ${everyLane(warp)}`,
      `%${choice}.first = icmp eq i32 %lane.first, 0`,
      `%${choice}.both = and i1 %${choice}.count, %${choice}.came`,
      `%${choice}.all = and i1 %${choice}.both, %${choice}.first`,
      `br i1 %${choice}.all, label %lane.${suffix}, label %lane.${id}`,
    ]),
  ];
  return {
    text: [...choose, ...whole.text, ...other.text],
    variables: [...whole.variables, ...other.variables],
    label: choice,
  };
}

/** The loop over lanes that run as the elements of vectors, and the one that takes over where they part. */
function together(parts: StepParts, { blocks, entry, mayStop }: Body, id: number): Loops | undefined {
  const [choice, suffix] = [`choose${id}`, `${id}v`];
  const form = { suffix, from: choice };
  const single = reachable(parts.single, entry);
  if (!single.some(({ instructions }) => instructions.some(isPhi))) return undefined; // nothing goes round
  const made = lanesOf(
    parts,
    single,
    laneText(parts.locals, entry, mayStop ? parts.options.store : undefined, form, true),
  );
  if (!made.isWorthwhile) return undefined;
  for (const one of made.declarations) parts.options.declarations.add(one);
  const all = arrivalsOf(single, parts.places);
  const arrivals = all.flatMap((one) =>
    made.ends.has(one.label) ? [{ ...one, label: made.ends.get(one.label) ?? '' }] : [],
  );
  const several = new Set(all.map((one) => one.id)).size > 1;
  const name = nameIn(parts, form);
  const over = `%lane.${id}`;
  const lines = [
    ...made.blocks,
    'bail:',
    `  br label ${over}`,
    ...metText(arrivals, { ...form, several, count: TOGETHER }),
  ];
  const named = lines.map((line) => line.replace(/%[\w.]+/g, (one) => (one === over ? one : name(one))));
  const other = loopText(parts, { blocks, entry, mayStop }, { suffix: String(id), from: choice, bail: suffix });
  return {
    text: [...chooseText(choice, suffix, id), ...labelled(named, suffix), ...other.text],
    variables: [...[...made.variables].map(([one, type]) => `${name(one)} = alloca ${type}`), ...other.variables],
    label: choice,
  };
}

const chooseText = (choice: string, suffix: string, id: number): string[] => [
  `${choice}:`,
  ...indented([
    `%${choice}.rest = and i32 %count, ${TOGETHER - 1}`,
    `%${choice}.whole = icmp eq i32 %${choice}.rest, 0`,
    `br i1 %${choice}.whole, label %lane.${suffix}, label %lane.${id}`,
  ]),
];

const labelled = (lines: readonly string[], suffix: string): string[] =>
  lines.map((line) => line.replace(/^([\w.]+):$/, `$1.${suffix}:`));

function lanesOf({ locals, uniform, options, values }: StepParts, blocks: readonly Block[], lane: string[]): LaneText {
  const here = new Set(blocks.map(({ label }) => label));
  const first = { label: 'lane', instructions: lane.slice(1).map((line) => instructionOf(line.trim())) };
  const body = blocks.map(({ label, instructions }) => ({
    label,
    instructions: instructions.map((one) => (isPhi(one) ? { ...one, text: phiWithin(one.text, here) } : one)),
  }));
  const parameters = n.PARAMETERS.map((parameter) => parameter.split(' ').at(-1) ?? '');
  const made = [...ENTER, ...uniform.text].map((line) => line.split(' ')[0] ?? '');
  const { named } = options;
  const around = {
    outside: new Set([...parameters, ...made]),
    locals: locals.names,
    named,
    originals: values.definitions,
  };
  return new Lanes(withRuns([first, ...body], around), around, 'bail').write();
}

/** A mask of a warp's lanes, all of them, as LLVM writes 64 bits. */
const everyLane = (warp: number): string => (warp === 64 ? '-1' : String(2 ** warp - 1));
/** Unrolled for all lanes, this many instructions a lane are no more than other steps have. */
const SHORT = 60;

interface Body {
  readonly blocks: readonly Block[];
  readonly entry: string;
  readonly mayStop: boolean;
}

/** Whether a step only takes what lanes brought and leaves a value: then lanes are known by number, and make vectors. */
function isShort({ blocks, mayStop }: Body): boolean {
  const texts = blocks.flatMap(({ instructions }) => instructions.map(({ text }) => text));
  const reads = texts.some((text) => text.includes('%came'));
  return reads && !mayStop && texts.length <= SHORT && !texts.some((text) => / = phi /.test(text) && blocks.length > 4);
}

function loopText(
  parts: StepParts,
  { blocks, entry, mayStop }: Body,
  form: Form,
): { text: string[]; variables: string[] } {
  const { places, locals } = parts;
  const here = new Set(blocks.map(({ label }) => label));
  const arrivals = arrivalsOf(blocks, places);
  if (arrivals.length === 0) throw new NotStepped('a kernel that never ends');
  const several = new Set(arrivals.map((one) => one.id)).size > 1;
  const name = nameIn(parts, form);
  const within = blocks.map(({ label, instructions }) => ({
    label,
    instructions: instructions.map((one) => (isPhi(one) ? { ...one, text: phiWithin(one.text, here) } : one)),
  }));
  const whole = parts.options.oneByOne ? within : withTiles(within);
  const body = whole.flatMap(({ label, instructions }) => [
    `${label}:`,
    ...indented(instructions.map(({ text }) => text)),
  ]);
  const known = (line: string): string =>
    form.isWarp
      ? line
          .replace(/%came\b/g, everyLane(parts.options.warp))
          .replace(/%count\.wide\b/g, String(parts.options.warp))
          .replace(/%lane\.first\b/g, '0')
      : line;
  const text = [
    ...laneText(locals, entry, mayStop ? parts.options.store : undefined, form),
    ...body,
    ...metText(arrivals, { ...form, several, count: 1 }),
  ].map((line) => known(line).replace(/%[\w.]+/g, name));
  const lines = labelled(text, form.suffix);
  const used = new Set(lines.join('\n').match(/%var\.v\d+\.\w+/g));
  const variables = [...used].map(
    (variable) => `${variable} = alloca ${parts.types.get(`%${variable.split('.')[1]}`)}`,
  );
  return { text: lines, variables };
}

/** Names of a loop end in its place; parameters, what is made once, and the module's types keep theirs. */
function nameIn({ options, uniform, locals }: StepParts, { suffix, from, bail }: Form): (name: string) => string {
  const own = new Set(locals.lasting.map((line) => line.split(' ')[0] ?? ''));
  const global = new Set([
    ...n.PARAMETERS.map((parameter) => parameter.split(' ').at(-1) ?? ''),
    ...[...ENTER, ...uniform.text, ...locals.shared].map((line) => line.split(' ')[0] ?? ''),
    `%${from}`,
    ...(bail === undefined ? [] : ['bail', 'i', 'apart', 'met.all'].map((one) => `%${one}.${bail}`)),
  ]);
  return (name) => {
    return !own.has(name) && (global.has(name) || options.named.has(name)) ? name : `${name}.${suffix}`;
  };
}

/** The blocks that a thread may run before it waits. */
function reachable(blocks: readonly Block[], entry: string): Block[] {
  const byLabel = new Map(blocks.map((block) => [block.label, block]));
  const found = new Set<string>();
  const queue = [entry];
  for (let label = queue.pop(); label !== undefined; label = queue.pop()) {
    const block = byLabel.get(label);
    if (!block || found.has(label)) continue;
    found.add(label);
    queue.push(...successorsOf(block));
  }
  return blocks.filter(({ label }) => found.has(label));
}

function phiWithin(text: string, here: ReadonlySet<string>): string {
  const kept = [...incoming(text)]
    .filter(({ label }) => here.has(label))
    .map(({ value, label }) => `[ ${value}, %${label} ]`);
  const tail = /\](, !dbg !\d+)?(?:, ![^[\]]*)?$/.exec(text)?.[1] ?? '';
  return `${text.slice(0, text.indexOf('['))}${kept.join(', ')}${tail}`;
}

function arrivalsOf(blocks: readonly Block[], places: readonly Place[]): { id: number; label: string }[] {
  return blocks
    .filter(({ instructions }) => instructions.at(-1)?.text === MEET)
    .map(({ label }) => ({ label, id: places.find(({ block }) => block.label === label)?.id ?? 0 }));
}

/** Whether anything here may stop the launch, whose report then names the thread. */
function mayFault(blocks: readonly Block[]): boolean {
  const isOwn = (text: string): boolean => /, ptr %(?:var|into|from|slot|mask)\.[\w.]+(?:, align \d+)?$/.test(text);
  const addresses = new Set<string>();
  for (const { instructions } of blocks)
    for (const { text } of instructions) {
      const [, result, base] = /^(%\S+) = getelementptr .*?, ptr (%\S+?),/.exec(text) ?? [];
      if (result !== undefined && base !== undefined && n.isToken(base)) addresses.add(result);
    }
  const reads = (text: string): boolean => {
    const pointer = /, ptr (%v\d+)/.exec(text)?.[1] ?? '';
    return addresses.has(pointer) || n.isToken(pointer);
  };
  return blocks.some(({ instructions }) =>
    instructions.some(({ text }) => {
      if (/ = load |^store /.test(text)) return !isOwn(text) && !reads(text);
      if (/(?:call|atomicrmw|cmpxchg|[su]div|[su]rem) /.test(text) && !/^%\S+ = f/.test(text))
        return !/@llvm\.(?:umin|umax|smin|smax|fabs|experimental\.noalias|lifetime|maxnum|minnum|fma|sqrt)\b|@tf_each_/.test(
          text,
        );
      return false;
    }),
  );
}

/** Kind, operation and site of a place, written when the table is asked for: a site is a sum of addresses. */
function placeText({ values }: StepParts, table: string, place: Place): string[] {
  const { id, kind, operation, site } = place;
  const address = `%place.${id}`;
  const isConstant = !site.startsWith('%');
  if (!isConstant && !values.isUniform(site)) throw new NotStepped('a wait of several sites');
  const made = isConstant
    ? []
    : values.uniformText(site, new Set()).map((text) => text.replace(/%v\d+\b/g, `$&.place.${id}`));
  return [
    ...made,
    `${address} = getelementptr inbounds i8, ptr ${table}, i64 ${id * PLACE_BYTES}`,
    `store i32 ${kind}, ptr ${address}`,
    `${address}.operation = getelementptr inbounds i8, ptr ${address}, i64 4`,
    `store i32 ${operation}, ptr ${address}.operation`,
    `${address}.site = getelementptr inbounds i8, ptr ${address}, i64 8`,
    `store i64 ${isConstant ? site : `${site}.place.${id}`}, ptr ${address}.site`,
  ];
}

const quoted = (name: string, suffix: string): string =>
  name.startsWith('"') ? `"${name.slice(1, -1)}${suffix}"` : `${name}${suffix}`;

/** The new head; the attributes of the old function hold no longer. */
function headOf(head: string, name: string, { options: { attributes }, framesAlias }: StepParts): string {
  const parameters = n.PARAMETERS.map((one) => (framesAlias ? one.replace('noalias %frames', '%frames') : one));
  const [, linkage = ''] =
    /^define ((?:(?:internal|private|linkonce_odr|weak_odr|linkonce|weak|hidden|dso_local|protected)\s+)*)/.exec(
      head,
    ) ?? [];
  const after = head.slice(head.lastIndexOf(')', head.indexOf(' #')));
  const comdat = /\bcomdat(?:\([^)]*\))?/.exec(after)?.[0] ?? '';
  const debug = /!dbg !\d+/.exec(head)?.[0] ?? '';
  return [linkage.trim(), `i64 @${name}(${parameters.join(', ')})`, attributes, comdat, debug]
    .filter(Boolean)
    .join(' ');
}
