/** A module of LLVM's assembly as lines: its named types, and a function as blocks of instructions. */
import { membersOf, NotStepped, typeAt, typeEnd } from './types.ts';

export interface Instruction {
  /** Without the indent; a switch is one text of several lines. */
  text: string;
  /** `%v12`, or '' where nothing is defined. */
  readonly result: string;
}

export interface Block {
  readonly label: string;
  instructions: Instruction[];
}

export interface Definition {
  /** The lines of the module that it takes, [first, end). */
  readonly first: number;
  readonly end: number;
  readonly head: string;
  readonly blocks: Block[];
}

/** Local values and labels are numbers in what clang writes: names here, `%v12` and `%b12`, so that text can be added. */
const LOCAL = /%(\d+)\b/g;
const withNames = (line: string): string =>
  line
    .replace(/label %(\d+)/g, 'label %b$1')
    .replace(/, %(\d+) \]/g, ', %b$1 ]')
    .replace(LOCAL, '%v$1');
export const VALUE = /%v\d+\b/g;

export function namedTypes(lines: readonly string[]): Map<string, string> {
  const named = new Map<string, string>();
  for (const line of lines) {
    const match = /^(%\S+|%"[^"]*") = type (.*)$/.exec(line);
    if (match) named.set(match[1] ?? '', match[2] ?? '');
  }
  return named;
}

/** Every function whose name holds `mark`. */
export function definitionsOf(lines: readonly string[], mark: string): Definition[] {
  const found: Definition[] = [];
  for (let i = 0; i < lines.length; i++) {
    const head = lines[i] ?? '';
    if (!head.startsWith('define ') || !nameOf(head).includes(mark)) continue;
    const end = lines.indexOf('}', i) + 1;
    found.push({ first: i, end, head, blocks: blocksOf(lines.slice(i + 1, end - 1), parameterCount(head)) });
    i = end - 1;
  }
  return found;
}

export const nameOf = (head: string): string => /@("[^"]*"|[\w.$-]+)\(/.exec(head)?.[1] ?? '';

/** Unnamed parameters, which take the first numbers. */
export function parameterCount(head: string): number {
  return [...parametersOf(head).matchAll(LOCAL)].length;
}

function parametersOf(head: string): string {
  const open = head.indexOf('(', head.indexOf(`@${nameOf(head)}`));
  return head.slice(open, typeEnd(head, open));
}

function blocksOf(lines: readonly string[], parameters: number): Block[] {
  const blocks: Block[] = [{ label: `b${parameters}`, instructions: [] }];
  for (let i = 0; i < lines.length; i++) {
    let line = (lines[i] ?? '').trim();
    const label = /^(\d+):/.exec(line);
    if (label) blocks.push({ label: `b${label[1]}`, instructions: [] });
    if (label || line === '' || /^(?:;|#dbg_|(?:tail )?call void @llvm\.dbg\.)/.test(line)) continue;
    if (/^switch .*\[$/.test(line)) {
      while (!/^\s*\]/.test(lines[++i] ?? ']')) line += `\n    ${(lines[i] ?? '').trim()}`;
      line += `\n  ${(lines[i] ?? '').trim()}`;
    }
    blocks.at(-1)?.instructions.push(instructionOf(withNames(line)));
  }
  return blocks;
}

export function instructionOf(text: string): Instruction {
  return { text, result: /^(%[\w.]+) = /.exec(text)?.[1] ?? '' };
}

/** The values that an instruction reads, labels among them. */
export function operandsOf({ text, result }: Instruction): string[] {
  const rest = result === '' ? text : text.slice(result.length);
  return rest.match(VALUE) ?? [];
}

export const isPhi = ({ text }: Instruction): boolean => /^%\S+ = phi /.test(text);

/** The labels that a block's last instruction goes to. */
export function successorsOf(block: Block): string[] {
  const last = block.instructions.at(-1)?.text ?? '';
  return [...last.matchAll(/label %([\w.]+)/g)].map((match) => match[1] ?? '');
}

const FLAGS =
  /^(?:(?:fast|nnan|ninf|nsz|arcp|contract|afn|reassoc|nuw|nsw|exact|nneg|disjoint|inbounds|nusw|samesign|volatile|tail|musttail|notail|fastcc|ccc|coldcc|atomic|weak|inreg|noundef|nonnull|noalias|zeroext|signext|(?:dereferenceable|dereferenceable_or_null|range|nofpclass)\([^)]*(?:\([^)]*\))?\)|align \d+)\s+)+/;

const withoutFlags = (text: string): string => text.replace(FLAGS, '');

/** The type of what an instruction defines. */
export function typeOf({ text, result }: Instruction): string {
  const [, opcode = '', raw = ''] = /^(\S+) (.*)$/s.exec(withoutFlags(text.slice(result.length + 3))) ?? [];
  const rest = withoutFlags(raw);
  const first = (): string => typeAt(rest);
  switch (opcode) {
    case 'icmp':
    case 'fcmp': {
      const compared = typeAt(withoutFlags(rest.replace(/^(?:samesign )?\w+ /, '')));
      return compared.startsWith('<') ? compared.replace(/ x .*>$/s, ' x i1>') : 'i1';
    }
    case 'select': {
      const then = rest.indexOf(', ', typeEnd(rest, 0)) + 2;
      return typeAt(rest.slice(then));
    }
    case 'getelementptr': {
      const pointer = typeAt(rest.slice(rest.indexOf(', ', typeEnd(rest, 0)) + 2));
      if (!pointer.startsWith('ptr')) throw new NotStepped(`a vector of addresses: ${text}`);
      return pointer;
    }
    case 'extractelement':
      return /^<\d+ x (.*)>$/s.exec(first())?.[1] ?? 'void';
    case 'shufflevector': {
      const counts = [...rest.matchAll(/<(\d+) x i32>/g)];
      return first().replace(/^<\d+/, `<${counts.at(-1)?.[1]}`);
    }
    case 'extractvalue': {
      const index = Number(/, (\d+)(?:, !|$)/.exec(rest)?.[1]);
      return membersOf(first())[index] ?? 'void';
    }
    case 'atomicrmw':
      return typeAt(rest.slice(rest.indexOf(', ') + 2));
    case 'cmpxchg':
      return `{ ${typeAt(rest.slice(rest.indexOf(', ') + 2))}, i1 }`;
    case 'alloca':
      return 'ptr';
    case 'trunc':
    case 'zext':
    case 'sext':
    case 'fptrunc':
    case 'fpext':
    case 'fptoui':
    case 'fptosi':
    case 'uitofp':
    case 'sitofp':
    case 'ptrtoint':
    case 'inttoptr':
    case 'bitcast':
    case 'addrspacecast':
      return typeAt(rest.slice(rest.lastIndexOf(' to ') + 4));
    default:
      return first();
  }
}
