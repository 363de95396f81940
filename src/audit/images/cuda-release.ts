/** The nvcc release and the arch option that a cubin's tool notes name. */
import type { Elf } from './elf.ts';
import { notesOf, sectionNamed } from './elf.ts';
import { readerOf, textToNul, u32 } from './bytes.ts';

export interface ToolNote {
  /** `13.0` */
  readonly release?: string;
  /** `a` or `f` of `-arch sm_90a`; empty for none. */
  readonly suffix: '' | 'a' | 'f';
}

/** What the note of ptxas says: a linked image has the linker's note before it. Undefined before CUDA 12.8 or so. */
export function toolNoteOf(elf: Elf): ToolNote | undefined {
  const section = sectionNamed(elf, '.note.nv.tkinfo');
  if (section === undefined) return undefined;
  for (const note of notesOf(elf, section)) {
    if (note.type !== TOOL_NOTE) continue;
    const tool = readTool(note.content);
    if (tool.name === 'ptxas') return tool;
  }
  return undefined;
}

/** `13.0` of 130, the form attributes and old headers keep a release in. */
export function releaseOfNumber(number: number): string {
  return `${Math.floor(number / 10)}.${number % 10}`;
}

// --- details ---

const TOOL_NOTE = 2000;
const STRINGS_AT = 24;

function readTool(content: Uint8Array): ToolNote & { readonly name: string } {
  const reader = readerOf(content);
  const stringOf = (word: number): string => textToNul(reader, STRINGS_AT + u32(reader, 4 * word));
  const release = /release (\d+\.\d+)/.exec(stringOf(3))?.[1];
  const suffix = /-arch[ =]sm_\d+([af])\b/.exec(stringOf(5))?.[1];
  return {
    name: stringOf(2),
    suffix: suffix === 'a' || suffix === 'f' ? suffix : '',
    ...(release === undefined ? {} : { release }),
  };
}
