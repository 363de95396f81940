/**
 * Accesses in the loops of a check image. Where those of a loop step through memory by a fixed distance, a call before the loop
 * settles all turns of one at once. It reports nothing: what is not plainly in order is judged in the loop, access by access, as
 * elsewhere. Where the loop writes nothing, its reads may be of any memory. Where it writes, they must be of what the launch
 * never writes, and only once that is so for all of them are the writes of all turns noted, which no read can tell.
 */

import { DEFINITION, type Loop, loopsOf } from './blocks.ts';
import { turnsOf } from './counts.ts';
import { countersOf, Strides } from './strides.ts';

const CHECK = /^ *call void @tf_check_(load|store)\(i64 ([^,]+), (i64 \d+, i64 \d+, ptr .*? i64 \d+\))\)(.*)$/;
const BESIDE = /^ *(?:#dbg_|(?:tail )?call void @llvm\.(?:dbg|experimental\.noalias)\.|br |store (?!atomic|volatile))/;
const CALL = /^(?:tail |notail |musttail )?call .*?@([\w.$]+)\(/;
const HARMLESS_CALL =
  /^(?:llvm\.(?:abs|ceil|copysign|ct(?:lz|pop|tz)|fabs|floor|fma|fmuladd|fsh[lr]|max|min|nearbyint|rint|round|[su]m(?:in|ax)|sqrt|trunc|vector\.reduce)|tf_each_)/;
const HARMFUL = /^(?:load (?:atomic|volatile)|atomicrmw|cmpxchg|alloca|invoke|callbr|va_arg)\b/;

interface Access {
  readonly line: number;
  readonly kind: 'load' | 'store';
  readonly address: string;
  readonly rest: string;
  readonly debug: string;
}

/** The text with the accesses of its loops settled before them where they can be. */
export function withSettledLoops(text: string): string {
  if (!text.includes('@tf_check_')) return text;
  const lines = text.split('\n');
  let made = 0;
  const fresh = (): string => `%tf.loop.${made++}`;
  for (let i = 0; i < lines.length; i++) {
    if (!lines[i]?.startsWith('define ')) continue;
    const end = lines.indexOf('}', i);
    for (const loop of loopsOf(lines, i + 1, end)) settle(lines, loop, fresh);
    i = end;
  }
  return `${lines.join('\n')}\n${declarationsOf(text)}`;
}

/** An access whose address steps: in the first turn and in the next. */
interface Stepping {
  readonly access: Access;
  readonly pair: readonly [first: string, next: string];
}

function settle(lines: string[], loop: Loop, fresh: () => string): void {
  const accesses = accessesIn(lines, loop);
  if (!accesses || accesses.length === 0) return;
  const counters = countersOf(loop);
  const count = turnsOf(loop, counters, fresh);
  if (!count) return;
  const strides = new Strides(loop, counters, fresh);
  const stepping = accesses.flatMap((access): Stepping[] => {
    const pair = strides.of(access.address);
    return pair ? [{ access, pair }] : [];
  });
  const writes = accesses.some(({ kind }) => kind === 'store');
  const all = stepping.length === accesses.length;
  const runs = inOrder(stepping).filter(({ access }) => access.kind === 'load' || all);
  if (runs.length === 0) return;
  const calls: string[] = [];
  let settled = '1';
  for (const { access, pair } of runs) {
    const { kind, address, rest, debug } = access;
    const name = fresh();
    const values = `i64 ${settled}, i64 ${pair.join(', i64 ')}, i64 ${count.turns}, ${rest}, i64 ${writes ? 0 : 1}`;
    calls.push(`  ${name} = call i64 @tf_check_${kind}_run(${values})${debug}`);
    lines[access.line] = `  call void @tf_check_${kind}_unless(i64 ${name}, i64 ${address}, ${rest})${debug}`;
    if (writes && all) settled = name; // what is written waits for all that is read
  }
  lines[loop.entry] = [...count.lines, ...strides.made, ...calls, lines[loop.entry]].join('\n');
}

const inOrder = (all: readonly Stepping[]): Stepping[] => [
  ...all.filter(({ access }) => access.kind === 'load'),
  ...all.filter(({ access }) => access.kind === 'store'),
];

/** The accesses of a loop; undefined where it does what an access could tell of, or could leave it. */
function accessesIn(lines: readonly string[], loop: Loop): Access[] | undefined {
  const accesses: Access[] = [];
  for (const line of loop.lines) {
    const text = lines[line] ?? '';
    const [, kind, address = '', rest = '', debug = ''] = CHECK.exec(text) ?? [];
    if (kind === 'load' || kind === 'store') accesses.push({ line, kind, address, rest, debug });
    else if (!BESIDE.test(text) && !isHarmless(DEFINITION.exec(text)?.[2])) return undefined;
  }
  return accesses;
}

function isHarmless(definition: string | undefined): boolean {
  if (definition === undefined || HARMFUL.test(definition)) return false;
  const called = CALL.exec(definition)?.[1];
  return called === undefined ? !/\bcall /.test(definition) : HARMLESS_CALL.test(called);
}

const TAKES = 'i64, i64, i64, ptr';
const FUNCTIONS: Readonly<Record<string, string>> = {
  tf_check_turns: 'i64 @tf_check_turns(i64, i64, i64, i64)',
  ...Object.fromEntries(
    ['load', 'store'].flatMap((kind) => [
      [`tf_check_${kind}_run`, `i64 @tf_check_${kind}_run(i64, i64, i64, i64, i64, i64, ptr, i64)`],
      [`tf_check_${kind}_unless`, `void @tf_check_${kind}_unless(i64, ${TAKES})`],
    ]),
  ),
};

/** Of the functions that the text may call and does not have. */
function declarationsOf(text: string): string {
  const absent = Object.entries(FUNCTIONS).filter(([name]) => !new RegExp(`^define .*@${name}\\(`, 'm').test(text));
  return absent.map(([, type]) => `declare hidden ${type}\n`).join('');
}
