/** A thread's frame: what it needs beyond a place where it waits. Each slot is an array over the threads. */
import type { Block } from './module.ts';
import { successorsOf } from './module.ts';
import { MEET } from './places.ts';
import { layoutOf, NotStepped } from './types.ts';

/** A frame that is larger than this would be most of a fiber's stack. */
const FRAME_MOST = 16384;
const FRAME_ALIGN = 64;

export interface Slot {
  readonly offset: number;
  readonly bytes: number;
  readonly align: number;
}

export class Frame {
  private used = 0;
  constructor(private readonly named: ReadonlyMap<string, string>) {}

  /** A slot for each thread, of a type; its size is a multiple of its alignment. */
  take(type: string, least = 1): Slot {
    const layout = layoutOf(type, this.named);
    const align = Math.min(FRAME_ALIGN, Math.max(layout.align, least));
    const bytes = Math.ceil(layout.bytes / align) * align;
    const offset = Math.ceil(this.used / align) * align;
    this.used = offset + bytes;
    if (this.used > FRAME_MOST) throw new NotStepped('a frame is too large');
    return { offset, bytes, align };
  }

  /** Bytes a thread. */
  get bytes(): number {
    return Math.ceil(this.used / FRAME_ALIGN) * FRAME_ALIGN;
  }
}

/** The instructions that point `name` at the running thread's own part of a slot. */
export function slotAddress(name: string, { offset, bytes }: Slot): string[] {
  return [
    `${name}.array = mul nuw nsw i64 %capacity.wide, ${offset}`,
    `${name}.own = mul nuw nsw i64 %index.wide, ${bytes}`,
    `${name}.offset = add nuw nsw i64 ${name}.array, ${name}.own`,
    `${name} = getelementptr inbounds i8, ptr %frames, i64 ${name}.offset`,
  ];
}

/** Local arrays: those whose contents must outlast a wait, by the compiler's marks of their lifetimes. */
export function lastingLocals(blocks: readonly Block[]): Set<string> {
  const lasting = new Set<string>();
  for (const { instructions } of blocks) {
    for (const { text, result } of instructions) {
      if (/ = alloca /.test(text) && outlasts(blocks, result)) lasting.add(result);
    }
  }
  return lasting;
}

function outlasts(blocks: readonly Block[], local: string): boolean {
  const mark = (text: string): boolean | undefined =>
    text.includes('@llvm.lifetime.') && new RegExp(`${local}\\b`).test(text) ? text.includes('.start.') : undefined;
  const isMarked = blocks.some(({ instructions }) => instructions.some(({ text }) => mark(text) === true));
  if (!isMarked) return true;
  const atStart = new Map<string, boolean>();
  const queue = [{ label: blocks[0]?.label ?? '', isLive: false }];
  const byLabel = new Map(blocks.map((block) => [block.label, block]));
  for (let next = queue.pop(); next; next = queue.pop()) {
    const before = atStart.get(next.label);
    if (before !== undefined && (before || !next.isLive)) continue;
    atStart.set(next.label, next.isLive);
    const block = byLabel.get(next.label);
    if (!block) continue;
    let { isLive } = next;
    for (const { text } of block.instructions) isLive = mark(text) ?? isLive;
    const waits = block.instructions.at(-1)?.text === MEET;
    if (waits && isLive) return true;
    const after = waits ? resumeOf(blocks, block) : successorsOf(block);
    for (const label of after) queue.push({ label, isLive });
  }
  return false;
}

/** The part of a cut block that goes on stands behind it. */
function resumeOf(blocks: readonly Block[], block: Block): string[] {
  const next = blocks[blocks.indexOf(block) + 1];
  return next && next.label.startsWith('resume.') ? [next.label] : [];
}
