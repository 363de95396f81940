/**
 * Inline assembly of CUDA and HIP sources: each instruction becomes a call of `tf_ptx_<opcode>` with its operands in
 * the instruction's order. A block with an instruction that the dialect header does not define becomes one call that
 * faults by the instruction's name when it is reached, since running a part of a block means nothing.
 */

import { splitArguments } from './syntax.ts';
import { lineOf, pairOf, replaceSpan, spell, textAt, tokenAt, type Unit } from './unit.ts';
import { stringValue } from './tokens.ts';

const ASM = new Set(['asm', '__asm__', '__asm']);
const OPERAND = /^(?:%(\d+|\[\w+\])|(-?(?:0x[0-9a-fA-F]+|\d+)))$/;

/** The opcodes that a dialect header defines: `ldmatrix_sync_aligned_...` for `tf_ptx_ldmatrix_sync_aligned_...`. */
export function definedOpcodes(text: string): Set<string> {
  return new Set([...text.matchAll(/\btf_ptx_(\w+)\s*\(/g)].map((match) => match[1] ?? ''));
}

/** Lowers every `asm` statement of the unit. */
export function lowerAssembly(unit: Unit, opcodes: ReadonlySet<string>): void {
  for (let i = 0; i < unit.tokens.length; i++) {
    if (!ASM.has(textAt(unit, i)) || tokenAt(unit, i).kind !== 'name') continue;
    const open = openParenthesis(unit, i);
    if (open < 0) continue;
    const close = pairOf(unit, open);
    replaceSpan(unit, { first: i, last: close }, callsOf(unit, open, close, opcodes));
    i = close;
  }
}

function openParenthesis(unit: Unit, i: number): number {
  let open = i + 1;
  while (['volatile', '__volatile__', '__volatile', 'inline', '__inline__'].includes(textAt(unit, open))) open++;
  return textAt(unit, open) === '(' ? open : -1;
}

function callsOf(unit: Unit, open: number, close: number, opcodes: ReadonlySet<string>): string {
  const line = lineOf(unit, open);
  const operands = operandsOf(unit, open, close);
  const calls: string[] = [];
  const lines = instructionsOf(templateOf(unit, open, close));
  const instructions = lines.filter(({ opcode }) => !opcode.startsWith('.'));
  const hasDirectives = instructions.length < lines.length; // `.reg`: values that no operand of the block names
  for (const { opcode, fields } of instructions) {
    const name = opcode.replace(/\W+/g, '_');
    const values = fields.map((field) => valueOf(field, operands));
    if (hasDirectives || !opcodes.has(name) || values.includes(undefined)) {
      return `tf_unsupported("inline asm ${opcode}", ${line})`;
    }
    calls.push(`tf_ptx_${name}(${[...values, line].join(', ')})`);
  }
  if (calls.length === 0) return '((void)0)'; // an empty template only holds the compiler's optimiser back
  return calls.length === 1 ? String(calls[0]) : `(${calls.join(', ')})`;
}

function templateOf(unit: Unit, open: number, close: number): string {
  let end = open + 1;
  while (end < close && tokenAt(unit, end).kind === 'string') end++;
  return stringValue(unit.tokens.slice(open + 1, end));
}

interface Instruction {
  readonly opcode: string;
  readonly fields: readonly string[];
}

/**
 * `op {%0, %1}, [%2], 16` has the fields %0, %1, %2 and 16; the braces around instructions only scope registers. PTX ends
 * an instruction with `;`, AMD's assembly with its line.
 */
function instructionsOf(template: string): Instruction[] {
  const bare = template.replace(/\/\/.*$/gm, '');
  const lines = bare.split(bare.includes(';') ? ';' : '\n').map((line) => line.replace(/^[\s{}]+/, '').trim());
  return lines.filter(Boolean).map((line) => {
    const [, opcode = line, rest = ''] = /^(\S+)\s*([\s\S]*)$/.exec(line) ?? [];
    const fields = rest.replace(/[{}[\]]/g, (bracket, at: number) => unbracket(rest, bracket, at)).split(',');
    return { opcode, fields: rest.trim() === '' ? [] : fields.map((field) => field.trim()) };
  });
}

/** Drops the brackets of vectors and addresses, but not those of a symbolic operand, `%[name]`. */
function unbracket(text: string, bracket: string, at: number): string {
  if (bracket === '[') return text[at - 1] === '%' ? bracket : '';
  if (bracket === ']') return /%\[\w+$/.test(text.slice(0, at)) ? bracket : '';
  return '';
}

function valueOf(field: string, operands: ReadonlyMap<string, string>): string | undefined {
  const match = OPERAND.exec(field);
  return match?.[1] === undefined ? match?.[2] : operands.get(match[1]);
}

/** The C expressions of the outputs and inputs, by number and by `[name]`. */
function operandsOf(unit: Unit, open: number, close: number): Map<string, string> {
  const operands = new Map<string, string>();
  const [, outputs = -1, inputs = -1, clobbers = close] = sectionsOf(unit, open, close);
  let count = 0;
  for (const [from, to] of [
    [outputs, inputs < 0 ? close : inputs],
    [inputs, clobbers],
  ] as const) {
    if (from < 0) continue;
    for (const { first, last } of splitArguments(unit, from, to)) {
      const expression = expressionOf(unit, first, last);
      operands.set(String(count++), expression);
      if (textAt(unit, first) === '[') operands.set(`[${textAt(unit, first + 1)}]`, expression);
    }
  }
  return operands;
}

/** `"=r"(x)` or `[name] "=r"(x)`: the expression between the parentheses. */
function expressionOf(unit: Unit, first: number, last: number): string {
  let open = first;
  while (open < last && textAt(unit, open) !== '(') open++;
  return spell(unit, { first: open + 1, last: pairOf(unit, open) - 1 });
}

/** Where the template and its sections start: the parenthesis, then each colon; `::` is two colons at one token. */
function sectionsOf(unit: Unit, open: number, close: number): number[] {
  const starts = [open];
  for (let i = open + 1; i < close; i++) {
    const text = textAt(unit, i);
    if (text === '(' || text === '[') i = pairOf(unit, i);
    else if (text === ':') starts.push(i);
    else if (text === '::') starts.push(i, i);
  }
  return starts;
}
