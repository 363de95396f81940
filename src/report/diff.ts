/** What changed from one report to another: what is there and was not, what is gone, and what is worse or better. */
import { sided } from '../numerics/digits.ts';
import { controlAddress } from '../spec/address.ts';
import { registrationName } from '../spec/registration.ts';
import type { GateRow, Report } from './schema.ts';
import { counted, loadedText } from './words.ts';

/** worse: a promise was kept and is not, or is nearer to breaking. other: a number moved, and nothing follows from it. */
export type Turn = 'worse' | 'better' | 'added' | 'other';

export interface Change {
  readonly turn: Turn;
  /** An address, of a device where it is not the report's only one. */
  readonly address: string;
  readonly before: string;
  readonly after: string;
}

/** A share that moves by less says nothing: other inputs move a margin as much. */
const MOVED = 0.05;

/** Every change, the worst first, each kind in the order of the reports. Something that ran before and does not now is worse. */
export function diffReports(before: Report, after: Report): Change[] {
  const rows = compared(rowsOf(before), rowsOf(after));
  const changes = rows.flatMap(({ a, b }) => (a && b ? (changed(a, b) ?? []) : oneSided(a, b)));
  return ORDER.flatMap((turn) => changes.filter((change) => change.turn === turn));
}

const ORDER: readonly Turn[] = ['worse', 'added', 'better', 'other'];

/** A line of a report that another may have too. */
interface Row {
  readonly address: string;
  readonly status: string;
  /** How bad the status is; the more the worse. */
  readonly rank: number;
  /** How near to what may not be passed, as a share of it. */
  readonly share?: number;
  /** What that is: `bound`, `registers`. */
  readonly of?: string;
  /** What else a reader looks at. */
  readonly note?: string;
  /** Cases that ran. */
  readonly cases?: number;
}

/** By what stays the same where a contract's controls get other numbers: a control's fault. */
function rowsOf(report: Report): Map<string, Row> {
  const only = report.devices.length === 1;
  const rows = new Map<string, Row>();
  for (const { kernel, dialect, device, gates, controls } of report.registrations) {
    const on = only ? '' : ` on ${device}`;
    const name = registrationName(kernel, dialect);
    for (const gate of gates) rows.set(`${name}:${gate.gate}${on}`, gateRow(gate, `${name}:${gate.gate}${on}`));
    for (const { id, fault, gate, status } of controls) {
      const address = `${controlAddress(kernel, dialect, id)}${on} ${fault}`;
      rows.set(JSON.stringify([name, gate, fault, on]), { address, status, rank: rankOf(status) });
    }
  }
  for (const verdict of report.limits?.verdicts ?? []) rows.set(launchAddress(verdict), launchRow(verdict));
  for (const { id, status } of report.limits?.controls ?? [])
    rows.set(`limits!${id}`, { address: `limits!${id}`, status, rank: rankOf(status) });
  return rows;
}

/** The worst of what was found where there is such a number, and how near the rest came where nothing was. */
function shareOf({ margin, findings }: GateRow): number | undefined {
  if (findings.length === 0) return margin && (margin.share ?? Infinity);
  const times = findings.flatMap((finding) => finding.times ?? []);
  return times.length > 0 ? Math.max(...times) : undefined;
}

function gateRow(gate: GateRow, address: string): Row {
  const { status, cases, findings, chains = [], loaded = [] } = gate;
  const share = shareOf(gate);
  const longest = chains.map(({ symbol, longest: found }) => `${symbol} ${found ?? 'unknown'}`).join(', ');
  const notes = [...(longest === '' ? [] : [`longest chain ${longest}`]), ...loaded.map(loadedText)];
  return {
    address,
    status: findings.length > 0 ? `${status} (${counted(findings.length, 'finding')})` : status,
    rank: rankOf(status) + findings.length / 1e6,
    cases,
    ...(share !== undefined && { share, of: 'bound' }),
    ...(notes.length > 0 && { note: notes.join('; ') }),
  };
}

type Launch = NonNullable<Report['limits']>['verdicts'][number];

const launchAddress = ({ kernel, dialect, chip, symbol, defines = '', set = '' }: Launch): string =>
  [`${registrationName(kernel, dialect)}:limits:${chip}`, symbol, defines, set].filter(Boolean).join(' ');

function launchRow(verdict: Launch): Row {
  const { status, near, problems, groups } = verdict;
  const notes = [near?.what, groups !== undefined && `${groups} groups a multiprocessor`].filter(Boolean);
  return {
    address: launchAddress(verdict),
    status: [status, ...problems.map(({ limit }) => limit)].join(' '),
    rank: rankOf(status),
    ...(near && { share: near.used, of: near.limit }),
    ...(notes.length > 0 && { note: notes.join('; ') }),
  };
}

/** From what is as promised, by what was not judged, to what is not. */
const RANKS: readonly (readonly string[])[] = [
  ['pass', 'red', 'fits', 'tight'],
  ['known', 'pending'],
  ['not run', 'stale'],
  ['fail', 'missed', 'broken', 'does not fit'],
];
const rankOf = (status: string): number => RANKS.findIndex((words) => words.includes(status));
/** From here on a status is no promise kept. */
const NOT_KEPT = 2;

interface Compared {
  readonly a: Row | undefined;
  readonly b: Row | undefined;
}

const compared = (before: ReadonlyMap<string, Row>, after: ReadonlyMap<string, Row>): Compared[] =>
  [...new Set([...before.keys(), ...after.keys()])].map((key) => ({ a: before.get(key), b: after.get(key) }));

function oneSided(a: Row | undefined, b: Row | undefined): Change[] {
  if (a) return [{ turn: 'worse', address: a.address, before: textOf(a), after: GONE }];
  if (!b) return [];
  return [{ turn: b.rank >= NOT_KEPT ? 'worse' : 'added', address: b.address, before: GONE, after: textOf(b) }];
}

const GONE = 'not there';

function changed(a: Row, b: Row): Change | undefined {
  const change = { address: b.address, before: textOf(a), after: textOf(b) };
  if (a.rank !== b.rank) return { ...change, turn: b.rank > a.rank ? 'worse' : 'better' };
  if ((b.cases ?? 0) < (a.cases ?? 0)) return { ...change, turn: 'worse' };
  const moved = (b.share ?? 0) - (a.share ?? 0);
  if (Math.abs(moved) > MOVED) return { ...change, turn: moved > 0 ? 'worse' : 'better' };
  return change.before === change.after ? undefined : { ...change, turn: 'other' };
}

function textOf({ status, share, of, cases, note }: Row): string {
  const near = share === undefined ? '' : `${Number.isFinite(share) ? sided(share) : 'no number'} of ${of ?? 'it'}`;
  return [status, near, cases !== undefined && counted(cases, 'case'), note].filter(Boolean).join(', ');
}
