/** The step form of every kernel of a module in LLVM's assembly. */
import { definitionsOf, nameOf, namedTypes } from './module.ts';
import { WHOLE } from './layout.ts';
import type { Processor } from '../target.ts';
import { KEEP_ATTRIBUTES, STORE, UNROLL } from './loop.ts';
import { stepText } from './step.ts';
import { PLAIN } from './turns.ts';
import { NotStepped } from './types.ts';

/** Groups of attributes, of numbers past all that the compiler gives to a module's own. */
const GROUP = 99990;
/** The first of those of functions that are inlined after the pass. */
const EACH_GROUP = 99995;

export interface ModuleOptions {
  readonly argumentsAreValues: boolean;
  readonly processor: Processor;
  readonly oneByOne: boolean;
  /** Lanes of a warp. */
  readonly warp: number;
}

/** The module with its kernels as steps; null, with the reason, where one of them does not take that form. */
export function stepModule(
  text: string,
  { argumentsAreValues, processor, oneByOne, warp }: ModuleOptions,
): { readonly text: string } | { readonly why: string } {
  const lines = text.split('\n');
  const named = namedTypes(lines);
  const locals = localVariables(lines);
  const declarations = new Set<string>();
  const definitions = definitionsOf(lines, WHOLE);
  try {
    if (definitions.length === 0) return { why: 'no kernel' };
    for (const definition of definitions.toReversed()) {
      lines.splice(
        definition.first,
        definition.end - definition.first,
        stepText(definition, {
          named,
          attributes: `#${GROUP}`,
          argumentsAreValues,
          oneByOne,
          warp,
          store: STORE[processor],
          locals,
          declarations,
        }),
      );
    }
  } catch (error) {
    if (error instanceof NotStepped) return { why: error.message };
    throw error;
  }
  const left = removeMeeting(lines);
  if (left !== undefined) return { why: `${left} meets and was not inlined` };
  inlineEach(lines);
  declare(lines, declarations);
  const attributes = attributesOf(lines, definitions[0]?.head ?? '');
  return {
    text: `${lines.join('\n')}\nattributes #${GROUP} = ${attributes}\n${KEEP_ATTRIBUTES}\n${UNROLL}\n${PLAIN}\n`,
  };
}

/** Declares what is not yet known of the compiler's own functions. */
function declare(lines: string[], declarations: ReadonlySet<string>): void {
  for (const one of declarations) {
    const name = nameOf(one);
    if (!lines.some((line) => line.startsWith('declare ') && nameOf(line) === name)) lines.push(one);
  }
}

/** A kernel's attributes less what was found out about its old form. */
function attributesOf(lines: readonly string[], head: string): string {
  const [, group = ''] = / (#\d+)[^#]*$/.exec(head) ?? [];
  const text = lines.find((line) => line.startsWith(`attributes ${group} = `)) ?? 'attributes = { nounwind }';
  return text
    .slice(text.indexOf('{'))
    .replace(/\bmemory\([^)]*\)\s*/g, '')
    .replace(/\b(?:norecurse|willreturn|mustprogress|nofree|nosync|noreturn|convergent|cold)\b\s*/g, '');
}

/** Removes functions that meet, all of whose calls were inlined; the name of one that is still in use, if any is. */
function removeMeeting(lines: string[]): string | undefined {
  for (const definition of definitionsOf(lines, '').toReversed()) {
    const text = lines.slice(definition.first, definition.end).join('\n');
    if (!/@tf_(?:suspend|current|local_of)\(/.test(text)) continue;
    const name = `@${nameOf(definition.head)}`;
    lines.splice(definition.first, definition.end - definition.first);
    const isUsed = lines.some(
      (line) =>
        !line.startsWith('!') && line.includes(name) && !/[\w.$-]/.test(line[line.indexOf(name) + name.length] ?? ''),
    );
    if (isUsed) return name;
    lines.push(`declare void ${name}()`); // for what describes it
  }
  return undefined;
}

/** Sizes and alignments of variables in local memory, from their descriptors. */
function localVariables(lines: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const line of lines) {
    const [, name = '', bytes, align] =
      /^(@\S+) = .*%struct\.TfLocalVariable \{ i32 (\d+), i32 (\d+),/.exec(line) ?? [];
    if (name !== '') found.set(name, `dereferenceable(${bytes}) align ${align}`);
  }
  return found;
}

/** Functions of which four calls may have become one have done their waiting: they are inlined now. */
function inlineEach(lines: string[]): void {
  const groups = new Map<string, string>();
  lines.forEach((line, i) => {
    const [, group = ''] = /^define .*@tf_each_\w+\(.* #(\d+)/.exec(line) ?? [];
    if (group === '') return;
    const own = groups.get(group) ?? String(EACH_GROUP + groups.size);
    groups.set(group, own);
    lines[i] = line.replace(` #${group}`, ` #${own}`);
  });
  for (const [group, own] of groups) {
    const text = lines.find((line) => line.startsWith(`attributes #${group} = `)) ?? '';
    lines.push(text.replace(`#${group} `, `#${own} `).replace(/\bnoinline\b/, 'alwaysinline'));
  }
}
