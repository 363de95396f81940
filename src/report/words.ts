/** Numbers and names as the output writes them. */
import { count, sided } from '../numerics/digits.ts';
import type { LoadedKernel } from '../gates/result.ts';
import type { GateName } from '../spec/contract.ts';
import { GATES } from '../spec/contract.ts';
import type { Report } from './schema.ts';

/** `1 gate`, `4 gates`. */
export const counted = (n: number, noun: string): string => `${count(n)} ${n === 1 ? noun : plural(noun)}`;
const plural = (noun: string): string => (/(s|x|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`);

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;

/** Two digits behind the point; a share too small for them keeps two significant ones, and one beside the bound says on which side. */
export function share(value: number): string {
  if (value === 1) return '1';
  if (value !== 0 && value < 0.01) return value.toPrecision(2);
  const text = value.toFixed(2);
  return Number(text) === 1 ? sided(value) : text;
}

/** `gates 1-4`, `gate 3`, `gates 1, 3`: numbers, since the gates are known by them. */
export function gateNumbers(gates: readonly GateName[]): string {
  const numbers = GATES.flatMap((gate, i) => (gates.includes(gate) ? [i + 1] : []));
  const [first = 0] = numbers;
  const last = numbers.at(-1) ?? 0;
  if (numbers.length === 0) return 'no gate';
  if (numbers.length === 1) return `gate ${first}`;
  const unbroken = last - first + 1 === numbers.length;
  return `gates ${unbroken ? `${first}-${last}` : numbers.join(', ')}`;
}

/** `SIGINT ended the run with 3 of 68 jobs done`. */
export const partialText = ({ signal, done, jobs }: NonNullable<Report['partial']>): string =>
  `${signal} ended the run with ${count(done)} of ${counted(jobs, 'job')} done`;

/** A word as a POSIX shell and an interactive bash take it: unquoted where nothing in it is special. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The characters of a sum that a line has room for. */
const SUM_ROOM = 48;

/** A sum as the formula writes it, cut where it is long. */
export const sumName = (text: string): string => (text.length > SUM_ROOM ? `${text.slice(0, SUM_ROOM - 2)}…)` : text);

/** A launch as a driver tells of it: `tf_k WIDTH=8: registers 32, spill_bytes 0`. */
export function loadedText({ symbol, defines, attributes }: LoadedKernel): string {
  const texts = (values: Readonly<Record<string, unknown>>, between: string): string[] =>
    Object.entries(values).map(([name, value]) => `${name}${between}${String(value)}`);
  return `${[symbol, ...texts(defines, '=')].join(' ')}: ${texts(attributes, ' ').join(', ')}`;
}
