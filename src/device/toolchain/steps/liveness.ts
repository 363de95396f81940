/** Which values a block needs from before it. */
import type { Block } from './module.ts';
import { isPhi, operandsOf, successorsOf } from './module.ts';

/** What reaches a block through a phi counts as needed at the end of the block that it comes from. */
export function liveIn(blocks: readonly Block[], edges: ReadonlyMap<string, string>): Map<string, Set<string>> {
  const live = new Map(blocks.map(({ label }) => [label, new Set<string>()]));
  const successors = blocks.map((block) => [
    ...successorsOf(block),
    ...(edges.has(block.label) ? [edges.get(block.label) ?? ''] : []),
  ]);
  const arriving = phiOperands(blocks);
  for (let changed = true; changed;) {
    changed = false;
    for (let i = blocks.length; i-- > 0;) {
      const block = blocks[i];
      if (!block) continue;
      const needed = new Set(arriving.get(block.label));
      for (const next of successors[i] ?? []) for (const value of live.get(next) ?? []) needed.add(value);
      backwards(block, needed);
      const before = live.get(block.label);
      if (before?.size === needed.size) continue;
      live.set(block.label, needed);
      changed = true;
    }
  }
  return live;
}

function backwards(block: Block, needed: Set<string>): void {
  for (const instruction of block.instructions.toReversed()) {
    needed.delete(instruction.result);
    if (!isPhi(instruction)) for (const value of operandsOf(instruction)) needed.add(value);
  }
}

/** `[ %v3, %v7 ]`: the value %v3 is read at the end of the block v7. */
export function* incoming(text: string): Generator<{ value: string; label: string }> {
  for (const match of text.matchAll(/\[ ([^[\]]*?), %([\w.]+) \]/g))
    yield { value: match[1] ?? '', label: match[2] ?? '' };
}

function phiOperands(blocks: readonly Block[]): Map<string, Set<string>> {
  const arriving = new Map<string, Set<string>>();
  for (const { instructions } of blocks) {
    for (const { text } of instructions.filter(isPhi)) {
      for (const { value, label } of incoming(text)) {
        if (!/^%v\d+$/.test(value)) continue;
        if (!arriving.has(label)) arriving.set(label, new Set());
        arriving.get(label)?.add(value);
      }
    }
  }
  return arriving;
}
