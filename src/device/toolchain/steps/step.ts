/**
 * A kernel as steps: the function that runs one thread from its start to its end becomes one that runs a number of threads,
 * one after the other, from one place where they wait to the next. What a thread needs beyond such a place goes to its
 * frame; what is the same for all threads is made once a call.
 *
 * In:  void whole(TfThread* thread, void** arguments)
 * Out: a TfStep of ffi/host/image.h, which says what it takes and gives
 */
import { demote } from './demote.ts';
import { Frame, lastingLocals, type Slot, slotAddress } from './frame.ts';
import { CURRENT, LOCAL, LOCAL_NOW, MET, SUSPEND, THREAD } from './layout.ts';
import { liveIn } from './liveness.ts';
import { type Block, type Definition, type Instruction, operandsOf, typeOf } from './module.ts';
import * as n from './names.ts';
import { packBlocks } from './pack.ts';
import { cutAtPlaces, renameValues } from './places.ts';
import { stepFunction } from './function.ts';
import { NotStepped } from './types.ts';
import { Values } from './values.ts';

export interface StepOptions {
  readonly named: ReadonlyMap<string, string>;
  /** The number of the attributes that the new function has. */
  readonly attributes: string;
  /** An argument's address leads to a value that no one changes; false where it may lead into a buffer. */
  readonly argumentsAreValues: boolean;
  /** No lanes run at once: their accesses are told of one by one. */
  readonly oneByOne: boolean;
  /** Lanes of a warp. */
  readonly warp: number;
  /** What is known of the address of each variable in local memory, as attributes of the call that gives it. */
  readonly locals: ReadonlyMap<string, string>;
  /** The instruction that stores the thread that runs. */
  readonly store: string;
  /** Takes what the new function needs declared. */
  readonly declarations: Set<string>;
}

/** Past this, a frame costs more than a stack where every access is a call, around which it is in memory. */
const MOST_BYTES = 64;

/** The new text of a definition; throws NotStepped where the function waits in a way that the pass does not take. */
export function stepText(definition: Definition, options: StepOptions): string {
  const { blocks } = definition;
  refuseCalls(blocks);
  useRoots(blocks, options);
  const places = cutAtPlaces(blocks);
  const single = blocks.map(({ label, instructions }) => ({ label, instructions: [...instructions] }));
  packBlocks(blocks);
  const frame = new Frame(options.named);
  const locals = takeLocals(blocks, frame, places.length > 0);
  const values = new Values(blocks, options.argumentsAreValues, locals.names);
  const uniform = takeUniform(blocks, values, options);
  const live = liveIn(blocks, new Map(places.map(({ block, resume }) => [block.label, resume])));
  const fixed = new Set([...n.UNIFORM_ROOTS, ...n.LANE_ROOTS, ...locals.names, ...uniform.names]);
  const kept = new Map<string, readonly string[]>();
  for (const { resume } of places)
    kept.set(
      resume,
      [...(live.get(resume) ?? [])].filter((value) => !fixed.has(value)),
    );
  const types = new Map([...kept.values()].flat().map((value) => [value, typeOf(defined(values, value))]));
  const slots = new Map<string, Slot>();
  for (const [value, type] of types) {
    if (values.isCheap(value)) continue;
    slots.set(value, frame.take(type));
  }
  if (options.oneByOne && frame.bytes > MOST_BYTES) throw new NotStepped(`frames of ${frame.bytes} bytes`);
  const framesAlias = comesBack(blocks, slots.keys(), values, locals);
  drop(single, ({ text, result }) => uniform.names.has(result) || / = alloca /.test(text));
  demote(blocks, types);
  demote(single, types);
  const found = { definition, single, framesAlias, options, places, frame, locals, values };
  return stepFunction({ ...found, uniform, kept, types, slots });
}

/**
 * Whether an address of a local array may come out of memory: then what lies in frames is not reached by their name alone.
 * One that does not outlast a wait lies elsewhere in every call.
 */
function comesBack(blocks: readonly Block[], kept: Iterable<string>, values: Values, locals: Locals): boolean {
  const held = [...kept];
  const passing = values.following(locals.passing);
  if (held.some((value) => passing.has(value))) throw new NotStepped('the address of a passing local array is kept');
  const all = values.following(locals.names);
  const stored = blocks.flatMap(({ instructions }) => instructions).flatMap(storedBy);
  return [...held, ...stored].some((value) => all.has(value));
}

function storedBy(one: Instruction): string[] {
  const operands = one.text.startsWith('store ') ? operandsOf(one) : [];
  return operands.slice(0, -1);
}

function defined(values: Values, value: string): Instruction {
  const one = values.definitions.get(value);
  if (!one) throw new NotStepped(`${value} is nowhere defined`);
  return one;
}

const KNOWN_CALLS = new RegExp(
  `^(?:llvm\\.|tf_each_|(?:${[SUSPEND, CURRENT, LOCAL, ...Object.keys(MET), 'memcpy', 'memset', 'memmove'].join('|')})$|__ubsan_|__asan_|tf_check_)`,
);

/** A function that is called and not inlined may itself wait, or ask which thread it is. */
function refuseCalls(blocks: readonly Block[]): void {
  for (const { instructions } of blocks) {
    for (const { text } of instructions) {
      const called = /\b(?:call|invoke) .*?@("[^"]*"|[\w.$-]+)\(/s.exec(text)?.[1];
      if (called !== undefined && !KNOWN_CALLS.test(called)) throw new NotStepped(`a call of ${called}`);
      if (/\bcallbr\b|\binvoke\b|\bmusttail\b|\bindirectbr\b|\bva_arg\b/.test(text)) throw new NotStepped(text);
    }
  }
}

/** The thread, its lane, its warp, group and schedule are at hand. */
function useRoots(blocks: readonly Block[], options: StepOptions): void {
  const own = new Map<string, string>();
  drop(blocks, ({ text, result }) => text.includes(`@${CURRENT}(`) && own.set(result, n.THREAD_VALUE) !== undefined);
  renameValues(blocks, own);
  const values = new Values(blocks, options.argumentsAreValues);
  const roots = new Map<number, string>([
    [THREAD.group, n.GROUP_VALUE],
    [THREAD.warp, n.WARP_VALUE],
    [THREAD.schedule, n.SCHEDULE_VALUE],
    [THREAD.lane, n.LANE_VALUE],
  ]);
  const fields = new Map<string, string>();
  drop(blocks, ({ text, result }) => {
    const [, pointer = ''] = /^%\S+ = load (?:ptr|i32), ptr (%v\d+)\b/.exec(text) ?? [];
    if (pointer === '') return false;
    const { base, offset } = values.address(pointer);
    const root = base === n.THREAD_VALUE ? roots.get(offset) : undefined;
    if (root === undefined) return false;
    fields.set(result, root);
    return true;
  });
  renameValues(blocks, fields);
}

function drop(blocks: readonly Block[], is: (one: Instruction) => boolean): void {
  for (const block of blocks) block.instructions = block.instructions.filter((one) => !is(one));
}

export interface Locals {
  readonly names: ReadonlySet<string>;
  /** Those that do not outlast a wait. */
  readonly passing: ReadonlySet<string>;
  /** Those of one lane after the other. */
  readonly shared: readonly string[];
  /** The text that points those that outlast a wait into the frame. */
  readonly lasting: readonly string[];
}

/** Local arrays: a lane has its own only where their contents outlast a wait. */
function takeLocals(blocks: readonly Block[], frame: Frame, hasPlaces: boolean): Locals {
  const outlasting = hasPlaces ? lastingLocals(blocks) : new Set<string>();
  const names = new Set<string>();
  const shared: string[] = [];
  const lasting: string[] = [];
  drop(blocks, ({ text, result }) => {
    if (!/^%\S+ = alloca /.test(text)) return false;
    names.add(result);
    const [, type = '', align = '1'] = /alloca (.*?)(?:, align (\d+))?(?:, !.*)?$/.exec(text) ?? [];
    if (outlasting.has(result)) lasting.push(...slotAddress(result, frame.take(type, Number(align))));
    else shared.push(text);
    return true;
  });
  const marked = new RegExp(`@llvm\\.lifetime\\..*(?:${[...outlasting].join('|') || '%none'})\\b`);
  drop(blocks, ({ text }) => marked.test(text));
  const passing = new Set([...names].filter((name) => !outlasting.has(name)));
  return { names, passing, shared, lasting };
}

export interface Uniform {
  readonly names: ReadonlySet<string>;
  readonly text: readonly string[];
}

/** Takes what is the same for all threads out of the blocks. */
function takeUniform(blocks: readonly Block[], values: Values, { locals }: StepOptions): Uniform {
  const names = new Set<string>();
  const text: string[] = [];
  for (const value of values.definitions.keys()) {
    if (values.isUniform(value)) text.push(...values.uniformText(value, names));
  }
  drop(blocks, ({ result }) => names.has(result));
  return { names, text: text.map((one) => localText(one, locals)) };
}

function localText(text: string, locals: ReadonlyMap<string, string>): string {
  const [, head = '', variable = '', tail = ''] =
    new RegExp(`^(%\\S+) = .*@${LOCAL}\\(ptr [^@]*(@[\\w.$]+)\\)(.*)$`).exec(text) ?? [];
  if (head === '') return text;
  const debug = /, !dbg !\d+/.exec(tail)?.[0] ?? '';
  return `${head} = call ${locals.get(variable) ?? ''} ptr @${LOCAL_NOW}(ptr %threads, ptr ${variable})${debug}`;
}
