/** The lines of `--faults`: one a fault, the table of rules by dialects, FAULTS, the exit code. */
import { DIALECTS } from '../families/formula/functions.ts';
import type { DeadAnchor } from '../faults/matrix.ts';
import type { Explained } from '../faults/equivalents.ts';
import { editText } from '../faults/equivalents.ts';
import type { FaultResult } from '../faults/result.ts';
import { KILLING_GATES } from '../faults/result.ts';
import type { Fault } from '../faults/rule.ts';
import { count } from '../numerics/digits.ts';
import { rerun } from './lines.ts';
import { tableLines } from './records-table.ts';
import type { Style } from './style.ts';
import { counted, seconds } from './words.ts';

/** A fault with what it came to. */
export interface FaultRow {
  readonly fault: Fault;
  readonly result: FaultResult;
}

export interface FaultContext {
  readonly seed: string;
  readonly command: string;
  readonly style: Style;
}

const INDENT = '      ';

/** `KILLED  row_sum@cuda~barrier-dropped.1  row_sum.cu:23  gate 1 class  0.18 s`; of one that is not killed, also what it is. */
export function faultLines({ fault, result }: FaultRow, because: string | undefined, context: FaultContext): string[] {
  const { style } = context;
  const { address, place } = fault;
  const time = seconds(result.elapsedMs);
  if (result.status === 'killed') {
    const gate = `gate ${KILLING_GATES.indexOf(result.gate ?? 'nonfinite') + 1} ${result.finding}`;
    return [[style.good('KILLED'), address, place, gate, result.reason.split('\n')[0], time].join('  ')];
  }
  const edit = `${INDENT}${editText(fault)}`;
  if (result.status === 'same code')
    return [[style.faint('SAME CODE'), address, place, result.reason].join('  '), edit];
  if (result.status === 'broken')
    return [[style.bad('BROKEN'), address, place].join('  '), edit, ...indented(result.reason)];
  if (because !== undefined)
    return [[style.warn('EQUIVALENT'), address, place, time].join('  '), edit, ...indented(because)];
  const head = [style.bad('SURVIVES'), address, place, result.reason, time].join('  ');
  return [head, edit, INDENT + rerun(address, context).replace('--only', '--faults --only')];
}

const indented = (text: string): string[] => text.split('\n').map((line) => INDENT + line);

/** Rules that owe a fault and made none, and explanations that no longer hold. */
export function faultProblemLines(dead: readonly DeadAnchor[], problems: readonly string[], style: Style): string[] {
  return [
    ...dead.map(({ kernel, dialect, what }) => `${style.bad('DEAD ANCHOR')}  ${kernel}@${dialect}  ${what}`),
    ...problems.map((problem) => `${style.bad('FAIL')}  ${problem}`),
  ];
}

export interface FaultTally {
  readonly total: number;
  /** By gate, in the order of the gates. */
  readonly killed: readonly number[];
  readonly sameCode: number;
  readonly equivalent: number;
  readonly open: number;
  readonly broken: number;
}

export function faultTally(rows: readonly FaultRow[], { because }: Pick<Explained, 'because'>): FaultTally {
  const number = (test: (row: FaultRow) => boolean): number => rows.filter(test).length;
  const survives = ({ result }: FaultRow): boolean => result.status === 'survives';
  return {
    total: rows.length,
    killed: KILLING_GATES.map((gate) => number(({ result }) => result.status === 'killed' && result.gate === gate)),
    sameCode: number(({ result }) => result.status === 'same code'),
    equivalent: number((row) => survives(row) && because.has(row.fault.address)),
    open: number((row) => survives(row) && !because.has(row.fault.address)),
    broken: number(({ result }) => result.status === 'broken'),
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

/** Rules by dialects, `killed/total` in each, then the gates that killed and what is left. */
export async function faultTable(rows: readonly FaultRow[], explained: Explained, width: number): Promise<string[]> {
  const head = ['fault', ...DIALECTS, 'all', ...KILLING_GATES.map((_, i) => `gate ${i + 1}`), 'equivalent', 'open'];
  const lines = [...Map.groupBy(rows, ({ fault }) => fault.rule)].map(([rule, own]) => [
    rule,
    ...DIALECTS.map((dialect) => ratio(own.filter(({ fault }) => fault.dialect === dialect))),
    ...closing(own, explained),
  ]);
  const all = ['all', ...DIALECTS.map((dialect) => ratio(rows.filter(({ fault }) => fault.dialect === dialect)))];
  return tableLines([head, ...lines, [...all, ...closing(rows, explained)]], width);
}

function closing(rows: readonly FaultRow[], explained: Explained): string[] {
  const { killed, sameCode, equivalent, open, broken } = faultTally(rows, explained);
  return [ratio(rows), ...killed.map(cell), cell(sameCode + equivalent), cell(open + broken)];
}

const cell = (number: number): string => (number === 0 ? '' : count(number));

function ratio(rows: readonly FaultRow[]): string {
  const killed = rows.filter(({ result }) => result.status === 'killed').length;
  return rows.length === 0 ? '' : `${killed}/${rows.length}`;
}

/** The last line of `--faults`. */
export function faultSummary(tally: FaultTally, dead: number, problems: number): string {
  const { total, killed, sameCode, equivalent, open, broken } = tally;
  const gates = killed.map((number, i) => `gate ${i + 1} ${count(number)}`).join(', ');
  const left = sameCode + equivalent + open;
  return [
    `FAULTS ${counted(total, 'fault')}: ${count(sum(killed))} killed (${gates})`,
    `${count(left)} survive: ${count(sameCode + equivalent)} equivalent (${count(sameCode)} by the same code), ${count(open)} open`,
    ...(broken > 0 ? [`${count(broken)} broken`] : []),
    `${counted(dead, 'dead anchor')}`,
    ...(problems > 0
      ? [`${counted(problems, 'explanation')} without ${problems === 1 ? 'its fault' : 'their faults'}`]
      : []),
  ].join('; ');
}

/** 0: every fault that is one is killed, every rule made those that it owes, every explanation holds. */
export function faultExitCode({ total, open, broken }: FaultTally, dead: number, problems: number): 0 | 1 {
  return total > 0 && open === 0 && broken === 0 && dead === 0 && problems === 0 ? 0 : 1;
}
