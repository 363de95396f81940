/** Types as LLVM's assembly writes them: where one ends, and the bytes it takes on the 64-bit targets that are used here. */

/** What the pass does not take: the kernel is then compiled as fibers. */
export class NotStepped extends Error {}

export interface Layout {
  readonly bytes: number;
  readonly align: number;
}

const CLOSERS: Readonly<Record<string, string>> = { '<': '>', '[': ']', '{': '}', '(': ')' };
const WORD = /^(?:ptr addrspace\(\d+\)|%"[^"]*"|[%\w.$-]+)/;

/** The end of the type that starts at `at`. */
export function typeEnd(text: string, at: number): number {
  const open = text[at] ?? '';
  if (CLOSERS[open] === undefined) {
    const word = WORD.exec(text.slice(at, at + 300));
    if (!word) throw new NotStepped(`no type in '${text.slice(at, at + 40)}'`);
    return at + word[0].length;
  }
  for (let i = at, depth = 0; i < text.length; i++) {
    const mark = text[i] ?? '';
    if (mark === '"') i = text.indexOf('"', i + 1);
    else if ('<[{('.includes(mark)) depth++;
    else if ('>]})'.includes(mark) && --depth === 0) return i + 1;
  }
  throw new NotStepped(`no end of the type in '${text.slice(at, at + 40)}'`);
}

/** The type at the start of a text. */
export const typeAt = (text: string): string => text.slice(0, typeEnd(text, 0));

/** The members of `{ a, b }`, `<{ a, b }>`, as text. */
export function membersOf(type: string): string[] {
  const inner = type.replace(/^<?\{\s*/, '').replace(/\s*\}>?$/, '');
  const members: string[] = [];
  for (let at = 0; at < inner.length;) {
    const end = typeEnd(inner, at);
    members.push(inner.slice(at, end));
    at = end + (/^\s*,\s*/.exec(inner.slice(end))?.[0].length ?? inner.length);
  }
  return members;
}

const SCALARS: Readonly<Record<string, number>> = { ptr: 8, float: 4, double: 8, half: 2, bfloat: 2 };

const roundUp = (value: number, to: number): number => Math.ceil(value / to) * to;
const powerOfTwo = (value: number): number => 2 ** Math.ceil(Math.log2(Math.max(1, value)));

/** Size and alignment; `named` holds the module's own types. */
export function layoutOf(type: string, named: ReadonlyMap<string, string>): Layout {
  const bits = /^i(\d+)$/.exec(type);
  if (bits) return scalar(powerOfTwo(Math.ceil(Number(bits[1]) / 8)));
  const known = SCALARS[type] ?? (type.startsWith('ptr ') ? 8 : undefined);
  if (known !== undefined) return scalar(known);
  const alias = named.get(type);
  if (alias !== undefined) return layoutOf(alias, named);
  const many = /^([<[])(\d+) x (.*)[>\]]$/s.exec(type);
  if (many) return repeated(many[1] === '<', Number(many[2]), layoutOf(many[3] ?? '', named), many[3] === 'i1');
  if (/^<?\{/.test(type)) return structure(type, named);
  throw new NotStepped(`no layout of the type '${type}'`);
}

const scalar = (bytes: number): Layout => ({ bytes, align: Math.min(bytes, 16) });

function repeated(isVector: boolean, count: number, { bytes, align }: Layout, isMask: boolean): Layout {
  if (!isVector) return { bytes: count * bytes, align };
  const whole = powerOfTwo(isMask ? Math.ceil(count / 8) : count * bytes);
  return { bytes: whole, align: whole };
}

function structure(type: string, named: ReadonlyMap<string, string>): Layout {
  const isPacked = type.startsWith('<');
  let bytes = 0;
  let align = 1;
  for (const member of membersOf(type)) {
    const one = layoutOf(member, named);
    bytes = (isPacked ? bytes : roundUp(bytes, one.align)) + one.bytes;
    if (!isPacked) align = Math.max(align, one.align);
  }
  return { bytes: roundUp(bytes, align), align };
}
