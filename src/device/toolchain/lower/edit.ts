/**
 * Edits of a text by offset. A replacement keeps the newlines of what it replaces, so that every later line keeps its
 * number, and with it every message of the compiler.
 */

export interface Edits {
  replace(start: number, end: number, text: string): void;
  insert(at: number, text: string): void;
  remove(start: number, end: number): void;
  /** The text with every edit made; edits that overlap are a fault of the caller and throw. */
  apply(): string;
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export function editsOf(text: string): Edits {
  const edits: Edit[] = [];
  const replace = (start: number, end: number, replacement: string): void => {
    edits.push({ start, end, text: replacement + newlinesOf(text.slice(start, end)) });
  };
  return {
    replace,
    insert: (at, inserted) => replace(at, at, inserted),
    remove: (start, end) => replace(start, end, ''),
    apply: () => applyAll(text, edits),
  };
}

function newlinesOf(text: string): string {
  return text.replace(/[^\n]+/g, '');
}

function applyAll(text: string, edits: readonly Edit[]): string {
  const ordered = [...edits].sort((a, b) => a.start - b.start || a.end - b.end);
  const parts: string[] = [];
  let done = 0;
  for (const edit of ordered) {
    if (edit.start < done) throw new Error(`edits overlap at: ${text.slice(edit.start, edit.end + 40)}`);
    parts.push(text.slice(done, edit.start), edit.text);
    done = edit.end;
  }
  parts.push(text.slice(done));
  return parts.join('');
}
