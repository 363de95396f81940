/**
 * Faults that no gate can see because there is nothing to see, each with the argument. An entry stands for the faults that
 * match its address and have its edit; every one of them must still be there and still survive.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { matcher } from '../spec/address.ts';
import type { FaultResult } from './result.ts';
import type { Fault } from './rule.ts';

const FILE = 'equivalent-faults.json';

const schema = v.array(
  v.strictObject({
    /** Addresses; `*` stands for anything. */
    faults: v.pipe(v.string(), v.minLength(1)),
    /** `from → to`, as the run prints it. */
    edit: v.string(),
    /** Why no input, order or shape that the contract owes can tell the fault from the kernel. */
    because: v.pipe(v.string(), v.minLength(40, 'an argument takes a sentence')),
  }),
);

export type Equivalent = v.InferOutput<typeof schema>[number];

export const editText = ({ from, to }: Pick<Fault, 'from' | 'to'>): string => `${from} → ${to}`;

/** Reads a folder's explanations, none where it has no file; throws an Error that says what is wrong with them. */
export function readEquivalents(kernels: string): Equivalent[] {
  const path = join(kernels, FILE);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return [];
  }
  const parsed = v.safeParse(schema, JSON.parse(text));
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  throw new Error(`kernels/${FILE}: ${v.getDotPath(issue) ?? 'the whole'}: ${issue.message}`);
}

export interface Explained {
  /** The argument of each survivor that has one, by its address. */
  readonly because: ReadonlyMap<string, string>;
  /** What is wrong with the explanations, in words. */
  readonly problems: readonly string[];
}

/** Holds explanations against every fault there is and the results of those that ran. */
export function explain(
  entries: readonly Equivalent[],
  all: readonly Fault[],
  results: ReadonlyMap<string, FaultResult>,
): Explained {
  const because = new Map<string, string>();
  const problems: string[] = [];
  for (const entry of entries) {
    const meant = all.filter((fault) => matches(entry, fault));
    const name = `kernels/${FILE}: '${entry.faults}' with '${entry.edit}'`;
    if (meant.length === 0) problems.push(`${name} names no fault: remove it, or write the fault as the run prints it`);
    const gone = meant.filter(({ address }) => (results.get(address)?.status ?? 'survives') !== 'survives');
    if (gone.length > 0)
      problems.push(`${name} does not survive at ${gone.map(({ address }) => address).join(', ')}: take it out there`);
    for (const { address } of meant) because.set(address, entry.because);
  }
  return { because, problems };
}

const matches = ({ faults, edit }: Equivalent, fault: Fault): boolean =>
  (faults.includes('*') ? matcher([faults])(fault.address) : faults === fault.address) && edit === editText(fault);
