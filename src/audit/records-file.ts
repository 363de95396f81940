/** A set of records as text: one JSON object a line, the first of which may name the set that this one inherits. */
import * as v from 'valibot';
import type { Dialect } from '../families/formula/functions.ts';
import type { Measured } from './measured.ts';
import type { RecordLine, RecordSet } from './records.ts';
import { byKey, factsOf, keyText } from './records.ts';

const size = v.pipe(v.number(), v.integer('a whole number'), v.minValue(0, 'a number of at least 0'));
const extent = v.tuple([size, size, size]);
const text = v.pipe(v.string(), v.minLength(1, 'a text that is not empty'));

const KEY = { kernel: text, chip: text, symbol: text, defines: v.exactOptional(text) };
const COMPILED = {
  source: v.pipe(v.string(), v.regex(/^[0-9a-f]{12,64}$/, 'a hash in hexadecimal')),
  later_pending: v.exactOptional(v.literal(true)),
};

const FACTS = {
  cuda: {
    registers: size,
    staticShared: size,
    stack: size,
    maxThreads: v.exactOptional(extent),
    requiredThreads: v.exactOptional(extent),
    registerCap: size,
    barriers: size,
    cluster: v.exactOptional(extent),
    explicitCluster: v.boolean(),
    maxClusterRank: v.exactOptional(size),
    spillStores: size,
    spillLoads: size,
  },
  hip: {
    features: v.array(text),
    vgprs: size,
    agprs: size,
    sgprs: size,
    staticLds: size,
    scratch: size,
    maxFlatWorkgroup: size,
    wave: size,
    wgpMode: v.exactOptional(v.boolean()),
    vgprSpills: size,
    sgprSpills: size,
    dynamicStack: v.boolean(),
    requiredWorkgroup: v.exactOptional(extent),
  },
  xpu: {
    simd: size,
    grf: size,
    slm: size,
    barriers: size,
    requiredWorkgroup: v.exactOptional(extent),
    requiredSubgroup: v.exactOptional(size),
    scratch: size,
    spills: size,
  },
  metal: {
    maxThreads: v.exactOptional(size),
    reserved: v.exactOptional(size),
    tensorOps: v.exactOptional(v.boolean()),
    staticThreadgroup: size,
  },
} as const;

const pendingSchema = v.strictObject({ ...KEY, pending: v.literal(true) });
const headerSchema = v.strictObject({
  inherits: v.pipe(v.string(), v.regex(/^[a-z]+-\d+(\.\d+)*$/, 'a set, such as nvcc-13.0')),
});
const measuredSchemas = {
  cuda: v.strictObject({ ...KEY, ...COMPILED, ...FACTS.cuda }),
  hip: v.strictObject({ ...KEY, ...COMPILED, ...FACTS.hip }),
  xpu: v.strictObject({ ...KEY, ...COMPILED, ...FACTS.xpu }),
  metal: v.strictObject({ ...KEY, ...COMPILED, ...FACTS.metal }),
} as const;

export interface ParsedRecords {
  /** Undefined where the file's name is no set's. */
  readonly set?: RecordSet;
  /** Each with its file and line. A line with a problem is left out of the set. */
  readonly problems: readonly string[];
}

/** Reads a file of `records/<dialect>/` by its name and text. */
export function parseRecords(dialect: Dialect, file: string, content: string): ParsedRecords {
  const [, compiler, release] = /^([a-z]+)-(\d+(?:\.\d+)*)\.jsonl$/.exec(file) ?? [];
  const where = `records/${dialect}/${file}`;
  if (compiler === undefined || release === undefined) {
    return { problems: [`${where}: a file of records is named <compiler>-<release>.jsonl, such as nvcc-13.0.jsonl`] };
  }
  const problems: string[] = [];
  const lines: RecordLine[] = [];
  let inherits: string | undefined;
  for (const [i, line] of content.split('\n').entries()) {
    if (line === '') continue;
    const read = readLine(dialect, release, line, i === 0);
    if ('problem' in read) problems.push(`${where}:${i + 1}: ${read.problem}`);
    else if ('inherits' in read) inherits = read.inherits;
    else lines.push(read);
  }
  problems.push(...orderProblems(lines).map((problem) => `${where}: ${problem}`));
  return { set: { dialect, compiler, release, ...(inherits !== undefined && { inherits }), lines }, problems };
}

type Read = RecordLine | { readonly inherits: string } | { readonly problem: string };

function readLine(dialect: Dialect, release: string, line: string, first: boolean): Read {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { problem: 'no JSON object' };
  }
  const has = (name: string): boolean => typeof value === 'object' && value !== null && Object.hasOwn(value, name);
  if (first && has('inherits')) return checked(headerSchema, value, (header) => header);
  if (has('pending')) return checked(pendingSchema, value, (pending) => pending);
  return checked<Flat, Read>(measuredSchemas[dialect] as v.GenericSchema<unknown, Flat>, value, (flat) =>
    unflatten(dialect, release, flat),
  );
}

interface Flat {
  readonly kernel: string;
  readonly chip: string;
  readonly symbol: string;
  readonly defines?: string;
  readonly source: string;
  readonly later_pending?: true;
}

function checked<T, R extends Read>(schema: v.GenericSchema<unknown, T>, value: unknown, use: (value: T) => R): Read {
  const result = v.safeParse(schema, value);
  if (result.success) return use(result.output);
  const [issue] = result.issues;
  return { problem: `${v.getDotPath(issue) ?? 'the record'}: ${issue.message}` };
}

function unflatten(dialect: Dialect, release: string, flat: Flat): RecordLine {
  const { kernel, chip, symbol, defines, source, later_pending: laterPending, ...facts } = flat;
  return {
    kernel,
    chip,
    symbol,
    ...(defines !== undefined && { defines }),
    source,
    // The dialect's schema has checked that these are all of its facts.
    facts: { dialect, symbol, chip, release, ...facts } as unknown as Measured,
    ...(laterPending && { laterPending }),
  };
}

function orderProblems(lines: readonly RecordLine[]): string[] {
  return lines.flatMap((line, i) => {
    const before = lines[i - 1];
    if (!before || byKey(before, line) < 0) return [];
    const { kernel, chip } = line;
    return keyText(before) === keyText(line)
      ? [`${kernel} on ${chip} is recorded twice`]
      : [`${kernel} on ${chip} stands out of order: records are written by --offline DIR --write, not by hand`];
  });
}

/** A set as its file holds it, sorted. */
export function serialiseRecords({ dialect, inherits, lines }: RecordSet): string {
  const header = inherits === undefined ? [] : [{ inherits }];
  const sorted = lines.toSorted(byKey).map((line) => flatten(dialect, line));
  return [...header, ...sorted].map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** The key, then the rest in the order of the schema, whatever the order of the measurement. */
function flatten(dialect: Dialect, line: RecordLine): Readonly<Record<string, unknown>> {
  const { kernel, chip, symbol, defines } = line;
  const key = { kernel, chip, symbol, defines };
  if ('pending' in line) return { ...key, pending: true };
  const facts = factsOf(line.facts);
  const ordered = Object.keys(FACTS[dialect]).map((fact) => [fact, facts[fact]]);
  return { ...key, source: line.source, later_pending: line.laterPending, ...Object.fromEntries(ordered) };
}
