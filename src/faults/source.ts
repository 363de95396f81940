/** A kernel's source with the project's own headers written into it, so that a fault can be planted in either. */
import { dirname } from 'node:path';
import type { Dialect } from '../families/formula/functions.ts';
import { HEADERS } from '../device/store.ts';

const INCLUDE = /^[ \t]*#[ \t]*include[ \t]+"([^"\n]+)"[^\n]*$/gm;

/**
 * The text of a source, each quoted include replaced by the header it names, once; line markers keep every line's own file
 * and number. A header that is not among the texts is left to the compiler.
 */
export function wholeSource(texts: ReadonlyMap<string, string>, path: string, dialect: Dialect): string {
  const text = texts.get(path);
  if (text === undefined) throw new Error(`kernels/${path} is not there`);
  const written = new Set<string>();
  const own = dirname(path);
  const expand = (from: string, body: string): string =>
    body.replace(INCLUDE, (line: string, name: string, at: number) => {
      const header = [`${own}/${name}`, `shared/${HEADERS[dialect]}/${name}`].find((place) => texts.has(place));
      if (header === undefined) return line;
      const next = `# ${lineAt(body, at) + 1} "kernels/${from}"`;
      if (written.has(header)) return next;
      written.add(header);
      const inside = (texts.get(header) ?? '').replace(/^#pragma once.*$/m, '');
      return `# 1 "kernels/${header}"\n${expand(header, inside)}\n${next}`;
    });
  return `# 1 "kernels/${path}"\n${expand(path, text)}`;
}

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;
