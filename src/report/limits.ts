/** An audit of images as lines: what was read of kernels that are not registered, and what is wrong with those that are. */
import type { Verdict } from '../audit/audit.ts';
import type { LimitControlResult } from '../audit/controls.ts';
import type { ImageProblem, Measured } from '../audit/measured.ts';
import { factsOf } from '../audit/records.ts';
import { extentText } from '../audit/problem.ts';
import { registrationName } from '../spec/registration.ts';
import type { Style } from './style.ts';

const INDENT = '      ';

type Told = Pick<Verdict, 'kernel' | 'dialect' | 'symbol' | 'chip' | 'problems' | 'status' | 'set'>;

/** A launch that may not run as its image or its record is: one block, a line a limit. */
export function verdictLines(verdict: Told & { readonly file?: string }, style: Style): string[] {
  const { kernel, dialect, symbol, chip, problems, status, file, set } = verdict;
  if (problems.length === 0) return [];
  const where = file !== undefined ? ` in ${file}` : set !== undefined ? ` by the records of ${set}` : '';
  const head = `${style.bad('FAIL')}  ${registrationName(kernel, dialect)}:limits:${chip}  ${status}: ${symbol}${where}`;
  const told = problems.flatMap(({ limit, what, at, do: advice }) => [
    `${INDENT}${limit}${at === undefined ? '' : ` at ${at}`}: ${what}`,
    ...(advice === undefined ? [] : [`${INDENT}${advice}`]),
  ]);
  return [head, ...told];
}

/** A control of gate 5 that is not red as planted. */
export function limitControlLines({ id, fault, status, reason }: LimitControlResult, style: Style): string[] {
  return status === 'red' ? [] : [`${style.bad(status.toUpperCase())}  limits!${id}  ${fault}: ${reason()}`];
}

export const imageProblemLine = ({ class: name, where, what }: ImageProblem, style: Style): string =>
  `${style.bad('FAIL')}  ${where}  ${name}: ${what}`;

/** A chip that loads a kernel, and the group it runs. */
export interface RunsOn {
  readonly chip: string;
  readonly group?: readonly number[];
  readonly why?: string;
}

/** `READ  a.fatbin  k  sm_80  registers 32 …`, then the chips that run it, those with the same group together. */
export function unregisteredLines(file: string, measured: Measured, runs: readonly RunsOn[], style: Style): string[] {
  const { symbol, chip, release } = measured;
  const by = release === undefined ? '' : ` by ${release}`;
  const head = `${style.faint('READ')}  ${file}  ${symbol}  ${chip}${by}  ${factsText(measured)}`;
  const groups = Map.groupBy(runs, ({ group, why }) => why ?? groupText(group));
  if (runs.length === 0) return [head, `${INDENT}no chip of the tables loads it`];
  return [head, ...[...groups].map(([text, chips]) => `${INDENT}${chips.map((on) => on.chip).join(', ')}: ${text}`)];
}

function groupText(group: readonly number[] | undefined): string {
  if (!group) return 'no group of threads fits';
  const [x = 1, y = 1, z = 1] = group;
  return y * z === 1 ? `runs ${extentText([x])} threads a group` : `runs groups of ${extentText(group)}`;
}

/** What was measured, without what is absent or 0: `registers 32, staticShared 512`. */
export function factsText(measured: Measured): string {
  return Object.entries(factsOf(measured))
    .filter(([, value]) => !(value === undefined || value === 0 || value === false || isEmpty(value)))
    .map(([fact, value]) =>
      value === true ? fact : `${fact} ${Array.isArray(value) ? listText(value) : String(value)}`,
    )
    .join(', ');
}

const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

const listText = (values: readonly unknown[]): string =>
  values.every((value) => typeof value === 'number') ? extentText(values) : values.join(' ');
