/** The text of a step function: a loop over its threads for each place that they may come from. */
import { variableOf } from './demote.ts';
import type { Frame, Slot } from './frame.ts';
import { slotAddress } from './frame.ts';
import { PLACE_BYTES, THREAD, THREAD_BYTES } from './layout.ts';
import { incoming } from './liveness.ts';
import { type Block, type Definition, isPhi, nameOf, successorsOf } from './module.ts';
import * as n from './names.ts';
import { MEET, type Place } from './places.ts';
import type { Locals, StepOptions, Uniform } from './step.ts';
import { NotStepped } from './types.ts';
import type { Values } from './values.ts';

const UNROLL_METADATA = 999990;
/** A loop that is unrolled whole. */
export const UNROLL = `!${UNROLL_METADATA} = distinct !{!${UNROLL_METADATA}, !${UNROLL_METADATA + 1}}\n!${UNROLL_METADATA + 1} = !{!"llvm.loop.unroll.full"}`;

/** Attributes of the store that only writes where it points. */
export const KEEP_GROUP = 99991;
export const KEEP_ATTRIBUTES = `attributes #${KEEP_GROUP} = { nounwind willreturn memory(argmem: write) }`;

export interface StepParts {
  readonly definition: Definition;
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
  for (const place of places) keep(parts, place);
  for (const block of definition.blocks) {
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
    `define ${headOf(definition.head, name, parts.options.attributes)} {`,
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

const indented = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);

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
function keep({ definition, kept, types, slots, values }: StepParts, { id, block, resume }: Place): void {
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
  block.instructions.splice(-1, 0, ...saves.map((text) => ({ text, result: '' })));
  const resumed = definition.blocks.find(({ label }) => label === resume);
  resumed?.instructions.unshift(...restores.map((text) => ({ text, result: '' })));
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
  if (!isShort(body)) return { ...loopText(parts, body, plain), label: `lane.${id}` };
  const [choice, suffix] = [`choose${id}`, `${id}w`];
  const whole = loopText(parts, body, { suffix, from: choice, isWarp: true });
  const other = loopText(parts, body, { ...plain, from: choice });
  const choose = [
    `${choice}:`,
    ...indented([
      `%${choice}.count = icmp eq i32 %count, ${WARP_LANES}`,
      `%${choice}.came = icmp eq i64 %came, ${WARP_MASK}`,
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

const WARP_LANES = 32;
const WARP_MASK = 2 ** WARP_LANES - 1;
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

interface Form {
  readonly suffix: string;
  /** The label that it is entered from. */
  readonly from: string;
  /** For all lanes of a warp of 32, each of which came. */
  readonly isWarp?: boolean;
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
  const name = nameIn(parts, form);
  const body = blocks.flatMap(({ label, instructions }) => [
    `${label}:`,
    ...indented(instructions.map((one) => (isPhi(one) ? phiWithin(one.text, here) : one.text))),
  ]);
  const known = (line: string): string =>
    form.isWarp
      ? line
          .replace(/%came\b/g, String(WARP_MASK))
          .replace(/%count\.wide\b/g, String(WARP_LANES))
          .replace(/%lane\.first\b/g, '0')
      : line;
  const text = [...laneText(locals, entry, mayStop, form.from), ...body, ...metText(arrivals, form)].map((line) =>
    known(line).replace(/%[\w.]+/g, name),
  );
  const labelled = text.map((line) => line.replace(/^([\w.]+):$/, `$1.${form.suffix}:`));
  const used = new Set(labelled.join('\n').match(/%var\.v\d+\.\w+/g));
  const variables = [...used].map(
    (variable) => `${variable} = alloca ${parts.types.get(`%${variable.split('.')[1]}`)}`,
  );
  return { text: labelled, variables };
}

/** Names of a loop end in its place; parameters, what is made once, and the module's types keep theirs. */
function nameIn({ options, uniform, locals }: StepParts, { suffix, from }: Form): (name: string) => string {
  const own = new Set(locals.lasting.map((line) => line.split(' ')[0] ?? ''));
  const global = new Set([
    ...n.PARAMETERS.map((parameter) => parameter.split(' ').at(-1) ?? ''),
    ...[...ENTER, ...uniform.text, ...locals.shared].map((line) => line.split(' ')[0] ?? ''),
    `%${from}`,
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
  const isOwn = (text: string): boolean =>
    /, ptr %(?:var|into|from|slot|mask)\.[\w.]+(?:, align \d+)?$/.test(text) || /, ptr %v91\d{4}\b/.test(text);
  const addresses = new Set<string>();
  for (const { instructions } of blocks)
    for (const { text } of instructions) {
      const [, result, base] = /^(%\S+) = getelementptr .*?, ptr (%\S+?),/.exec(text) ?? [];
      if (result !== undefined && base !== undefined && /^%v91\d{4}$/.test(base)) addresses.add(result);
    }
  const reads = (text: string): boolean => addresses.has(/, ptr (%v\d+)/.exec(text)?.[1] ?? '');
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

/**
 * Always in memory while the thread runs, as a volatile store is; but that would keep the compiler from taking what is the same
 * for all threads out of their loop.
 */
const KEEP_RUNNING = [
  `%thread.number = ptrtoint ptr ${n.THREAD_VALUE} to i64`,
  `call void asm sideeffect "${process.arch === 'x64' ? 'movq $1, $0' : 'str $1, $0'}", "=*m,r"(ptr nocapture elementtype(ptr) %running, i64 %thread.number) #${KEEP_GROUP}`,
];

function laneText(locals: Locals, entry: string, mayStop: boolean, from: string): string[] {
  return [
    'lane:',
    ...indented([
      `%i = phi i64 [ 0, %${from} ], [ %i.next, %met ]`,
      `%apart = phi i32 [ 0, %${from} ], [ %apart.next, %met ]`,
      `%met.all = phi i32 [ -1, %${from} ], [ %met.one, %met ]`,
      '%index.wide = add nuw nsw i64 %first.wide, %i',
      '%i.short = trunc i64 %i to i32',
      `${n.LANE_VALUE} = add nuw nsw i32 %lane.first, %i.short`,
      `%thread.offset = mul nuw nsw i64 %i, ${THREAD_BYTES}`,
      `${n.THREAD_VALUE} = getelementptr inbounds i8, ptr %threads, i64 %thread.offset`,
      ...(mayStop ? KEEP_RUNNING : []),
      ...locals.lasting,
      `br label %${entry}`,
    ]),
  ];
}

/** A call's threads go on together where only one place can come next. */
function metText(arrivals: readonly { id: number; label: string }[], { isWarp }: Form): string[] {
  const several = new Set(arrivals.map(({ id }) => id)).size > 1;
  return [
    'met:',
    ...indented([
      `%met.one = phi i32 ${arrivals.map(({ id, label }) => `[ ${id}, %${label} ]`).join(', ')}`,
      ...(several
        ? [
            `%met.at = getelementptr inbounds i8, ptr ${n.THREAD_VALUE}, i64 ${THREAD.at}`,
            'store i32 %met.one, ptr %met.at',
            '%is.first = icmp eq i64 %i, 0',
            '%met.before = select i1 %is.first, i32 %met.one, i32 %met.all',
            '%differs = xor i32 %met.before, %met.one',
            '%apart.next = or i32 %apart, %differs',
          ]
        : ['%apart.next = or i32 %apart, 0']),
      '%i.next = add nuw nsw i64 %i, 1',
      '%more = icmp ult i64 %i.next, %count.wide',
      `br i1 %more, label %lane, label %last${isWarp ? `, !llvm.loop !${UNROLL_METADATA}` : ''}`,
    ]),
    'last:',
    ...indented([
      '%together = icmp eq i32 %apart.next, 0',
      '%met.signed = sext i32 %met.one to i64',
      '%result = select i1 %together, i64 %met.signed, i64 -1',
      'ret i64 %result',
    ]),
  ];
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
function headOf(head: string, name: string, attributes: string): string {
  const [, linkage = ''] =
    /^define ((?:(?:internal|private|linkonce_odr|weak_odr|linkonce|weak|hidden|dso_local|protected)\s+)*)/.exec(
      head,
    ) ?? [];
  const after = head.slice(head.lastIndexOf(')', head.indexOf(' #')));
  const comdat = /\bcomdat(?:\([^)]*\))?/.exec(after)?.[0] ?? '';
  const debug = /!dbg !\d+/.exec(head)?.[0] ?? '';
  return [linkage.trim(), `i64 @${name}(${n.PARAMETERS.join(', ')})`, attributes, comdat, debug]
    .filter(Boolean)
    .join(' ');
}
