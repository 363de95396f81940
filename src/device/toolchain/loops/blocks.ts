/**
 * The loops of a function in LLVM's text: chains of blocks that are left at their end, or to where the launch stops. What is
 * done in one is done in every turn.
 */

export const NAME = String.raw`%(?:[\w.$-]+|"[^"]*")`;
const LABEL = /^([\w.$-]+|"[^"]*"):\s*(?:; preds = (.*))?$/;
export const DEFINITION = new RegExp(String.raw`^ *(${NAME}) = (.*)$`);
const JUMP = new RegExp(String.raw`^ *br label (${NAME})`);
const BRANCH = new RegExp(String.raw`^ *br i1 (\S+), label (${NAME}), label (${NAME})`);
const MOST_BLOCKS = 64;

interface Block {
  /** `%12`, or '' of a function's first block that has no label in the text. */
  readonly label: string;
  /** Lines, the last one's among them. */
  readonly lines: readonly number[];
  readonly before: readonly string[];
}

export interface Loop {
  /** The lines in which its turns are. */
  readonly lines: readonly number[];
  /** The line before which something can be done once. */
  readonly entry: number;
  /** The labels from which it is entered and gone on with. */
  readonly from: string;
  readonly last: string;
  /** What it is left or gone on by, and whether it goes on where that is true. */
  readonly condition: string;
  readonly goesOn: boolean;
  /** What is defined in it, less the name. */
  readonly definitions: ReadonlyMap<string, string>;
}

/** The loops of the function in `lines`, of which `first` is the one after its head and `end` the one that closes it. */
export function loopsOf(lines: readonly string[], first: number, end: number): Loop[] {
  const blocks = blocksOf(lines, first, end);
  const found = new Map(blocks.map((block) => [block.label, block]));
  return blocks.flatMap((head) => loopAt(head, found, lines) ?? []);
}

function blocksOf(lines: readonly string[], first: number, end: number): Block[] {
  const blocks: { label: string; lines: number[]; before: string[] }[] = [];
  for (let i = first; i < end; i++) {
    const line = lines[i] ?? '';
    const label = LABEL.exec(line);
    if (label) blocks.push({ label: `%${label[1]}`, lines: [], before: label[2]?.split(', ') ?? [] });
    else if (/^ +[^ ;]/.test(line)) {
      if (blocks.length === 0) blocks.push({ label: '', lines: [], before: [] });
      blocks.at(-1)?.lines.push(i);
    }
  }
  return blocks;
}

function loopAt(head: Block, blocks: ReadonlyMap<string, Block>, lines: readonly string[]): Loop | undefined {
  const chain = chainFrom(head, blocks, lines);
  const latch = chain?.at(-1);
  const [, condition = '', yes = ''] = BRANCH.exec(lastOf(latch, lines)) ?? [];
  if (!chain || !latch || condition === '' || head.before.length !== 2) return undefined;
  const from = head.before.find((label) => label !== latch.label) ?? '';
  const entry = (blocks.get(from) ?? blocks.get(''))?.lines.at(-1);
  if (entry === undefined || JUMP.exec(lines[entry] ?? '')?.[1] !== head.label) return undefined;
  const inside = chain.flatMap((block) => block.lines);
  const definitions = definitionsIn(inside, lines);
  const leaves = chain.slice(0, -1).map((block) => BRANCH.exec(lastOf(block, lines))?.[1] ?? '');
  if (leaves.some((value) => definitions.has(value))) return undefined; // not the same in every turn
  return { lines: inside, entry, from, last: latch.label, condition, goesOn: yes === head.label, definitions };
}

const lastOf = (block: Block | undefined, lines: readonly string[]): string => lines[block?.lines.at(-1) ?? -1] ?? '';

/** The blocks from one that follow each other and no other, up to that which goes back to it. */
function chainFrom(head: Block, blocks: ReadonlyMap<string, Block>, lines: readonly string[]): Block[] | undefined {
  const chain: Block[] = [];
  const stops = (label = ''): boolean => lastOf(blocks.get(label), lines).trim().startsWith('unreachable');
  for (let block: Block | undefined = head; block && chain.length < MOST_BLOCKS;) {
    chain.push(block);
    const last = lastOf(block, lines);
    const [, , yes = '', no = ''] = BRANCH.exec(last) ?? [];
    if (yes === head.label || no === head.label) return chain;
    const next: string = JUMP.exec(last)?.[1] ?? (stops(no) ? yes : stops(yes) ? no : '');
    block = blocks.get(next);
    if (block?.before.length !== 1) return undefined;
  }
  return undefined;
}

function definitionsIn(inside: readonly number[], lines: readonly string[]): Map<string, string> {
  const definitions = new Map<string, string>();
  for (const line of inside) {
    const [, name, text] = DEFINITION.exec(lines[line] ?? '') ?? [];
    if (name !== undefined && text !== undefined) definitions.set(name, text);
  }
  return definitions;
}
