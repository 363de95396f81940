/**
 * Metal compiles a source itself when it is loaded: a program's image is its text, with its macros before it and the headers that it
 * includes in their places.
 */
import type { ImageResult } from '../images.ts';
import type { Program, ProgramCompiler } from './compiler.ts';

const INCLUDE = /^[ \t]*#[ \t]*include[ \t]*"([^"]+)".*$/gm;
const ONCE = /^[ \t]*#[ \t]*pragma[ \t]+once[ \t]*$/m;
const DEEPEST = 64;

export const METAL_SOURCE: ProgramCompiler = {
  compile({ path, source, headers, defines }: Program): ImageResult {
    const macros = Object.entries(defines).map(([name, value]) => `#define ${name} ${value}\n`);
    const whole = withHeaders(source, path, headers, new Set(), 0);
    if (whole === undefined) return { error: `${path}: its headers include each other ${DEEPEST} deep` };
    return { image: new TextEncoder().encode(`${macros.join('')}#line 1 "${path}"\n${whole}`) };
  },
};

/** A text with its headers in their places; one that is not known is left to the compiler. undefined: they go too deep. */
function withHeaders(
  body: string,
  path: string,
  headers: ReadonlyMap<string, string>,
  seen: Set<string>,
  depth: number,
): string | undefined {
  if (depth > DEEPEST) return undefined;
  let isWhole = true;
  const whole = body.replace(INCLUDE, (line: string, name: string, offset: number) => {
    const header = headers.get(name);
    if (header === undefined) return line;
    if (seen.has(name)) return '';
    if (ONCE.test(header)) seen.add(name);
    const inner = withHeaders(header.replace(ONCE, ''), name, headers, seen, depth + 1);
    isWhole &&= inner !== undefined;
    const next = body.slice(0, offset).split('\n').length + 1;
    return `#line 1 "${name}"\n${inner}\n#line ${next} "${path}"`;
  });
  return isWhole ? whole : undefined;
}
