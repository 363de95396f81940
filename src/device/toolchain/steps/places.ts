/** Where a kernel's threads wait: its blocks are cut there. */
import { KIND_MASKED, KINDS_WITH_VALUE, MET, SUSPEND, THREAD } from './layout.ts';
import type { Block, Instruction } from './module.ts';
import { instructionOf, isPhi, VALUE } from './module.ts';
import * as n from './names.ts';
import { NotStepped } from './types.ts';

export interface Place {
  /** 2 for the first: 0 is the end and 1 the start. */
  readonly id: number;
  /** The block that ends here, and the label of the one that goes on. */
  readonly block: Block;
  readonly resume: string;
  readonly kind: string;
  readonly operation: string;
  readonly site: string;
}

/** The text of a block's end that waits. */
export const MEET = 'br label %met';

/** Cuts blocks at every wait, and puts in what a waiting thread leaves and finds. */
export function cutAtPlaces(blocks: Block[]): Place[] {
  const places: Place[] = [];
  const found = new Map<string, string>();
  for (let i = 0; i < blocks.length; i++) {
    const block = blocks[i];
    const at = block?.instructions.findIndex(({ text }) => text.includes(`@${SUSPEND}(`)) ?? -1;
    if (!block || at < 0) continue;
    const call = block.instructions[at] ?? instructionOf('');
    const id = places.length + 2;
    const resume = `resume.${id}`;
    const [kind = '', operation = '', mask = '', value = '', site = ''] = suspendArguments(call.text);
    const rest = block.instructions.slice(at + 1);
    block.instructions = [...block.instructions.slice(0, at), ...left(id, kind, mask, value), instructionOf(MEET)];
    blocks.splice(i + 1, 0, { label: resume, instructions: [...tokenValues(call.result, found), ...rest] });
    renameIncoming(blocks, block.label, resume);
    places.push({ id, block, resume, kind, operation, site });
  }
  useTokens(blocks, found);
  return places;
}

function suspendArguments(text: string): string[] {
  const list = /@tf_suspend\(((?:[^()]|\([^()]*(?:\([^()]*\)[^()]*)*\))*)\)/.exec(text)?.[1] ?? '';
  const parts = list.split(/, (?=i\d+ )/).map((one) => one.replace(/^i\d+ (?:noundef )?/, ''));
  if (!/^\d+$/.test(parts[0] ?? '') || !/^\d+$/.test(parts[1] ?? '')) throw new NotStepped('a wait of several kinds');
  return parts;
}

/** The value that a thread brings, where all can read it, and its mask. */
function left(id: number, kind: string, mask: string, value: string): Instruction[] {
  const texts: string[] = [];
  if (KINDS_WITH_VALUE.includes(kind)) {
    texts.push(`%slot.${id} = getelementptr inbounds i64, ptr %deposit, i32 ${n.LANE_VALUE}`);
    texts.push(`store i64 ${value}, ptr %slot.${id}, align 8`);
  }
  if (kind === KIND_MASKED) {
    texts.push(`%mask.${id} = getelementptr inbounds i8, ptr ${n.THREAD_VALUE}, i64 ${THREAD.mask}`);
    texts.push(`store i64 ${mask}, ptr %mask.${id}, align 8`);
  }
  return texts.map(instructionOf);
}

/** What a token stands for: the call's own parameters, as values that may be kept like any other. */
function tokenValues(token: string, found: Map<string, string>): Instruction[] {
  const texts: Readonly<Record<keyof typeof MET, string>> = {
    tf_met_values: 'getelementptr inbounds i8, ptr %values, i64 0',
    tf_met_came: 'or i64 %came, 0',
    tf_met_meeting: 'getelementptr inbounds i8, ptr %meeting, i64 0',
    tf_met_buffer: 'or i32 %buffer, 0',
  };
  return (Object.keys(MET) as (keyof typeof MET)[]).map((name) => {
    const value = `%v${n.FIRST_TOKEN + found.size}`;
    found.set(`${name}(${token})`, value);
    return instructionOf(`${value} = ${texts[name]}`);
  });
}

function useTokens(blocks: readonly Block[], found: ReadonlyMap<string, string>): void {
  const alias = new Map<string, string>();
  for (const block of blocks) {
    block.instructions = block.instructions.filter(({ text, result }) => {
      const [, name, token] = /@(tf_met_\w+)\(i64 (?:noundef )?(%v\d+)\)/.exec(text) ?? [];
      if (name === undefined) return true;
      const value = found.get(`${name}(${token})`);
      if (value === undefined) throw new NotStepped('a token of several waits');
      alias.set(result, value);
      return false;
    });
  }
  renameValues(blocks, alias);
}

/** Puts values in the place of others everywhere. */
export function renameValues(blocks: readonly Block[], alias: ReadonlyMap<string, string>): void {
  if (alias.size === 0) return;
  const target = (name: string): string => {
    const to = alias.get(name);
    return to === undefined ? name : target(to);
  };
  for (const block of blocks) {
    block.instructions = block.instructions.map(({ text }) => instructionOf(text.replace(VALUE, target)));
  }
}

/** The end of a block that was cut is in its second part. */
function renameIncoming(blocks: readonly Block[], from: string, to: string): void {
  const pattern = new RegExp(`, %${from.replace('.', '\\.')} \\]`, 'g');
  for (const block of blocks) {
    block.instructions = block.instructions.map((one) =>
      isPhi(one) ? { ...one, text: one.text.replace(pattern, `, %${to} ]`) } : one,
    );
  }
}
