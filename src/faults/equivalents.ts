/**
 * Faults that no gate can see because there is nothing to see, each with the argument. An entry stands for the faults that
 * match its address and have its edit; every one of them must still be there and still survive.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { ContractError } from '../spec/contract-error.ts';
import { matcher } from '../spec/address.ts';
import { registrationName } from '../spec/registration.ts';
import type { DeadAnchor, Matrix } from './matrix.ts';
import type { FaultResult } from './result.ts';
import type { Fault } from './rule.ts';

const FILE = 'equivalent-faults.json';

const schema = v.array(
  v.strictObject({
    /** Addresses; `*` stands for anything. */
    faults: v.pipe(v.string(), v.minLength(1)),
    /** `from → to`, as the run prints it; `no place` of a rule, `kernel@dialect~rule`, that applies and finds none. */
    edit: v.string(),
    /** Why no input, order or shape that the contract owes can tell the fault from the kernel. */
    because: v.pipe(v.string(), v.minLength(40, 'an argument takes a sentence')),
  }),
);

export type Equivalent = v.InferOutput<typeof schema>[number];

export const editText = ({ from, to }: Pick<Fault, 'from' | 'to'>): string => `${from} → ${to}`;

/** Reads a folder's explanations, none where it has no file; throws a ContractError that says what is wrong with them. */
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
  throw new ContractError([`kernels/${FILE}: ${v.getDotPath(issue) ?? 'the whole'}: ${issue.message}`]);
}

/** The edit of an entry that is about a dead anchor. */
const NO_PLACE = 'no place';

export interface Explained {
  /** The argument of each survivor that has one, by its address. */
  readonly because: ReadonlyMap<string, string>;
  /** Dead anchors that have no argument. */
  readonly dead: readonly DeadAnchor[];
  /** What is wrong with the explanations, in words. */
  readonly problems: readonly string[];
}

/** Holds explanations against every fault and dead anchor there is, and the results of the faults that ran. */
export function explain(
  entries: readonly Equivalent[],
  all: Matrix,
  results: ReadonlyMap<string, FaultResult>,
): Explained {
  const because = new Map<string, string>();
  const problems: string[] = [];
  let dead = all.dead;
  for (const entry of entries) {
    const { edit } = entry;
    const meant = all.faults.filter((fault) => edit === editText(fault) && matches(entry, fault.address));
    const anchors = edit === NO_PLACE ? all.dead.filter((anchor) => matches(entry, anchorAddress(anchor))) : [];
    const name = `kernels/${FILE}: '${entry.faults}' with '${edit}'`;
    if (meant.length + anchors.length === 0)
      problems.push(`${name} names no fault: remove it, or write the fault as the run prints it`);
    const gone = meant.filter(({ address }) => (results.get(address)?.status ?? 'survives') !== 'survives');
    if (gone.length > 0)
      problems.push(`${name} does not survive at ${gone.map(({ address }) => address).join(', ')}: take it out there`);
    for (const { address } of meant) because.set(address, entry.because);
    dead = dead.filter((anchor) => !anchors.includes(anchor));
  }
  return { because, dead, problems };
}

/** `kernel@dialect~rule`: the address of a rule that makes no fault. */
export const anchorAddress = ({ kernel, dialect, rule }: DeadAnchor): string =>
  `${registrationName(kernel, dialect)}~${rule}`;

const matches = ({ faults }: Equivalent, address: string): boolean =>
  faults.includes('*') ? matcher([faults])(address) : faults === address;
