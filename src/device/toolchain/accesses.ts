/**
 * The accesses of a check image. The sanitizer leaves a call before each in LLVM's text; here it becomes one of
 * ffi/host/dialect/simt/sanitizer.h, which is inlined, with a range of its own for the place. Neighbouring accesses of one size
 * that follow each other, as the copy of a struct is, become one: nothing that could tell their order lies between them, and
 * where the whole is not in order the runtime judges them one by one.
 */

import { CURRENT, MET, THREAD } from './steps/layout.ts';

/** TF_RANGES of ffi/host/image.h. The last is of all places for which there is no other, and is not looked at. */
const RANGES = 1024;
const RANGE_BYTES = 32;
/** Of a write, what the runtime remembers to see whether it changed anything. */
const MOST_BYTES = 64;
const TABLE = '@tf_ranges';

/** A sanitizer's call: `load` or `store`, the bytes, the address, the bytes again where the name says N, the rest of the line. */
const CALL =
  /^ *(?:tail )?call void @__asan_(load|store)(\d+|N)_noabort\(i64 (?:noundef )?(%[\w.]+|ptrtoint \(.*? to i64\))(?:, i64 (\d+))?\)(.*)$/;
const DEFINITION = /^ *(%[\w.]+) = (.*)$/;
const ADDRESS = /^ptrtoint ptr (%[\w.]+) to i64/;
const OFFSET = /^getelementptr (?:inbounds |nuw |nusw )*i8, ptr (%[\w.]+), i64 (-?\d+)[,\n]?/;
const INDEXED = /^getelementptr .*?, ptr (%[\w.]+),/;
/** What does nothing that another access could show: arithmetic, notes of the debugger. */
const PURE =
  /^ *(?:#dbg_|(?:tail )?call void @llvm\.dbg\.|%[\w.]+ = (?:[a-z]*(?:add|sub|mul|shl|shr|ext|trunc|cast)|and|or|xor|icmp|fcmp|select|freeze|fneg|getelementptr|ptrtoint|inttoptr|[fus]\w*to[fus]\w*|extractelement|insertelement|shufflevector) )/;
const LOAD = /^ *%[\w.]+ = load (?!atomic|volatile)/;
const STORE = /^ *store (?!atomic|volatile)/;

const CURRENT_THREAD = new RegExp(String.raw`\bcall .*@${CURRENT}\(`);
/** Where a thread has the runtime's structures. */
const ROOTS: ReadonlySet<number> = new Set([THREAD.group, THREAD.warp, THREAD.schedule]);
const OWN = new RegExp(String.raw`\bcall .*@(?:${[CURRENT, ...Object.keys(MET)].join('|')})\(`);

interface Access {
  readonly kind: 'load' | 'store';
  readonly base: string;
  readonly offset: number;
  readonly address: string;
  /** Of one; 0 where any alignment is right. */
  readonly each: number;
  readonly bytes: number;
  readonly rest: string;
}

/** The text with every call of the sanitizer as one of the image's own. */
export function withOwnAccesses(text: string): string {
  const lines = text.split('\n');
  const definitions = new Map<string, string>();
  const kept: string[] = [];
  let places = 0;
  /** The line of the access that the next one may join. */
  let open: { readonly line: number; access: Access } | undefined;
  for (const line of lines) {
    if (line.startsWith('define ')) definitions.clear();
    const access = accessIn(line, definitions);
    if (access && isOwn(access.base, definitions)) continue;
    if (access === undefined) {
      const defined = DEFINITION.exec(line);
      if (defined) definitions.set(defined[1] ?? '', defined[2] ?? '');
      if (open && !staysOpen(line, open.access.kind)) open = undefined;
      kept.push(line);
    } else if (open && follows(open.access, access)) {
      open.access = { ...open.access, bytes: open.access.bytes + access.bytes };
      kept[open.line] = callOf(open.access, places - 1);
    } else {
      open = { line: kept.length, access };
      kept.push(callOf(access, places++));
    }
  }
  return kept.join('\n') + declarationsOf(text);
}

function accessIn(line: string, definitions: ReadonlyMap<string, string>): Access | undefined {
  const call = CALL.exec(line);
  if (!call) return undefined;
  const [, kind = '', size = '', address = '', counted, rest = ''] = call;
  const bytes = Number(size === 'N' ? counted : size);
  if (Number.isNaN(bytes)) return undefined;
  const pointer = ADDRESS.exec(definitions.get(address) ?? '')?.[1] ?? address;
  const [base, offset] = baseOf(pointer, definitions);
  return { kind: kind as Access['kind'], base, offset, address, each: size === 'N' ? 0 : bytes, bytes, rest };
}

function baseOf(pointer: string, definitions: ReadonlyMap<string, string>): readonly [base: string, offset: number] {
  let base = pointer;
  let offset = 0;
  for (let step = OFFSET.exec(definitions.get(base) ?? ''); step; step = OFFSET.exec(definitions.get(base) ?? '')) {
    base = step[1] ?? '';
    offset += Number(step[2]);
  }
  return [base, offset];
}

/** The thread that a step has at hand, its group, warp and schedule, and what lanes brought to a meeting are the runtime's. */
function isOwn(base: string, definitions: ReadonlyMap<string, string>): boolean {
  let definition = definitions.get(base) ?? '';
  for (let from = INDEXED.exec(definition); from; from = INDEXED.exec(definition))
    definition = definitions.get(from[1] ?? '') ?? '';
  if (OWN.test(definition)) return true;
  const from = /^load ptr, ptr (%[\w.]+),/.exec(definition)?.[1];
  const [thread, offset] = from === undefined ? ['', 0] : baseOf(from, definitions);
  return ROOTS.has(offset) && CURRENT_THREAD.test(definitions.get(thread) ?? '');
}

const staysOpen = (line: string, kind: Access['kind']): boolean =>
  PURE.test(line) || (kind === 'load' ? LOAD : STORE).test(line);

const follows = (first: Access, next: Access): boolean =>
  first.kind === next.kind &&
  first.each === next.each &&
  first.rest === next.rest && // of one line
  first.each > 0 &&
  first.base === next.base &&
  first.offset + first.bytes === next.offset &&
  first.bytes + next.bytes <= MOST_BYTES;

function callOf({ kind, address, bytes, each, rest }: Access, place: number): string {
  const range = `getelementptr inbounds (i8, ptr ${TABLE}, i64 ${Math.min(place, RANGES - 1) * RANGE_BYTES})`;
  return `  call void @tf_check_${kind}(i64 ${address}, i64 ${bytes}, i64 ${each}, ptr ${range})${rest}`;
}

function declarationsOf(text: string): string {
  const table = text.includes(`\n${TABLE} = `)
    ? ''
    : `${TABLE} = external hidden global [${RANGES} x { i64, i64, ptr, i64 }]\n`;
  const functions = ['load', 'store']
    .filter((kind) => !text.includes(` void @tf_check_${kind}(`))
    .map((kind) => `declare hidden void @tf_check_${kind}(i64, i64, i64, ptr)\n`);
  return `\n${table}${functions.join('')}`;
}
