/**
 * The reports of several machines, or of the shards of one run, as one report. Nothing is missing and nothing is doubled, or there is
 * no merged report: the text says what is.
 */
import type { Dialect } from '../families/formula/functions.ts';
import { hashOf } from '../device/toolchain/cache.ts';
import { DIALECTS } from '../families/formula/functions.ts';
import { GATES } from '../spec/contract.ts';
import { MODES } from '../spec/modes.ts';
import { registrationsOf } from './json.ts';
import type { Part } from './merge-devices.ts';
import { withDevices } from './merge-devices.ts';
import { checkPlan, checkSame, checkTogether, checkWhole, countsOf } from './merge-checks.ts';
import type { Report, ReportPlan } from './schema.ts';
import { reportSchema, SCHEMA_VERSION } from './schema.ts';
import type { LimitsTally } from './tally.ts';
import { exitCode, summaryLine, tallyOf } from './tally.ts';
import * as v from 'valibot';

export type { Part } from './merge-devices.ts';

/** Why reports cannot be one, a line a reason. */
export class MergeError extends Error {
  override readonly name = 'MergeError';
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

/** Joins reports, in any order; throws a MergeError where they are not of one program, sources and seed, or not whole. */
export function mergeReports(given: readonly Part[]): Report {
  const differing = [...checkWhole(given), ...checkSame(given)];
  if (differing.length > 0) throw new MergeError(differing);
  const problems = plansOf(given).flatMap(checkPlan);
  const parts = withDevices(given);
  const together = problems.length > 0 ? problems : checkTogether(parts);
  if (together.length > 0) throw new MergeError(together);
  return joined(parts);
}

/** The parts of each plan. */
const plansOf = (parts: readonly Part[]): Part[][] => [
  ...Map.groupBy(parts, ({ report }) => report.plan.hash).values(),
];

function joined(parts: readonly Part[]): Report {
  const plans = plansOf(parts).flatMap(([one]) => one?.report.plan ?? []);
  const reports = parts.map(({ report }) => report);
  const [first] = reports;
  if (!first) throw new MergeError(['No report is named, so there is nothing to merge.']);
  const rows = registrationRows(reports, plans);
  const plan = { ...joinedPlan(plans), ...countsOf(rows) };
  const limits = reports.find((report) => report.limits)?.limits;
  const { flags } = first;
  const head = {
    schema: SCHEMA_VERSION,
    program: { ...first.program, platform: distinct(reports.map(({ program }) => program.platform)).join(', ') },
    started: reports.map(({ started }) => started).toSorted()[0],
    devices: distinctDevices(reports),
    seed: first.seed,
    gates: GATES.filter((gate) => reports.some(({ gates }) => gates.includes(gate))),
    modes: MODES.filter((mode) => reports.every(({ modes }) => modes?.includes(mode) ?? true)),
    only: reports.some(({ only }) => only.length === 0) ? [] : distinct(reports.flatMap(({ only }) => only)),
    withControls: reports.every(({ withControls }) => withControls),
    files: Object.assign({}, ...reports.map(({ files }) => files)),
    ...(flags !== undefined && { flags }),
    workers: reports.reduce((sum, { workers }) => sum + workers, 0),
    elapsedMs: Math.max(...reports.map(({ elapsedMs }) => elapsedMs)),
    referenceMs: reports.reduce((sum, { referenceMs }) => sum + referenceMs, 0),
    plan,
    registrations: rows,
    ...(limits && { limits }),
  };
  const unsummed = v.parse(reportSchema, { ...head, summary: '', exitCode: 0 });
  return { ...unsummed, ...summaryOf(unsummed, reports) };
}

/** Counted anew from the results, so that the SUMMARY of all shards is that of the whole run. */
function summaryOf(report: Report, parts: readonly Report[]): Pick<Report, 'summary' | 'exitCode'> {
  const { kernels, controls } = report.plan;
  const tally = tallyOf(registrationsOf(report), { kernels, controls });
  const limits = limitsTally(report.limits);
  const code = parts.some((part) => part.exitCode === 70) ? 70 : exitCode(tally, limits);
  return { summary: summaryLine(tally, report.gates, report.withControls, limits, report.modes), exitCode: code };
}

function limitsTally(limits: Report['limits']): LimitsTally | undefined {
  if (!limits) return undefined;
  const { verdicts, controls, problems } = limits;
  const of = (status: string): number => controls.filter((control) => control.status === status).length;
  const told = verdicts.filter(({ status }) => status === 'does not fit' || status === 'stale');
  return {
    verdicts: verdicts.length,
    problems: told.length + problems.length,
    pending: verdicts.filter(({ status }) => status === 'pending').length,
    controls: { red: of('red'), missed: of('missed'), broken: of('broken') },
  };
}

/** A plan is whole again; several are one plan of all their units. */
function joinedPlan(plans: readonly ReportPlan[]): Pick<ReportPlan, 'hash' | 'units'> {
  const units = plans.flatMap((plan) => plan.units.map(({ unit }) => ({ unit, shard: 1 })));
  const [first, ...others] = plans.map(({ hash }) => hash);
  return {
    hash: first !== undefined && others.length === 0 ? first : hashOf(...plans.map(({ hash }) => hash).toSorted()),
    units: [...new Map(units.map((one) => [one.unit, one])).values()],
  };
}

type Row = Report['registrations'][number];

/** Rows of one registration on one device joined, in the order of the plan. */
function registrationRows(reports: readonly Report[], plans: readonly ReportPlan[]): Row[] {
  const kernels = plans.flatMap(({ units }) => units.map(({ unit }) => unit.split(':')[0]));
  const order = new Map([...new Set(kernels)].map((kernel, i) => [kernel, i]));
  const place = ({ kernel }: Row): number => order.get(kernel) ?? kernels.length;
  const all = reports.flatMap(({ registrations }) => registrations);
  const rows = Map.groupBy(all, ({ kernel, dialect, device }) => JSON.stringify([kernel, dialect, device]));
  return [...rows.values()]
    .flatMap((own) => joinedRow(own) ?? [])
    .toSorted((a, b) => place(a) - place(b) || dialectPlace(a.dialect) - dialectPlace(b.dialect));
}

const dialectPlace = (dialect: Dialect): number => DIALECTS.indexOf(dialect);
const gatePlace = ({ gate }: { readonly gate: (typeof GATES)[number] }): number => GATES.indexOf(gate);

/** The order in which a contract's controls are gathered: its own by number, then `claim1`, then `standing1`. */
function byId(a: string, b: string): number {
  const [x = '', y = ''] = [a, b].map((id) => id.replace(/\d+$/, ''));
  return x === y ? Number(a.slice(x.length)) - Number(b.slice(y.length)) : x < y ? -1 : 1;
}

const WORST_FIRST = ['fail', 'not run', 'known', 'pass'] as const;

function joinedRow(own: readonly Row[]): Row | undefined {
  const [first] = own;
  if (!first || own.length === 1) return first;
  const { status: _status, ...rest } = first;
  const gates = own.flatMap((row) => row.gates).toSorted((a, b) => gatePlace(a) - gatePlace(b));
  const controls = own.flatMap((row) => row.controls).toSorted((a, b) => byId(a.id, b.id));
  const status = WORST_FIRST.find((one) => gates.some((gate) => gate.status === one));
  return { ...rest, ...(status && { status }), gates, controls };
}

const distinct = (texts: readonly string[]): string[] => [...new Set(texts)];

const distinctDevices = (reports: readonly Report[]): Report['devices'] => [
  ...new Map(reports.flatMap(({ devices }) => devices).map((device) => [device.id, device])).values(),
];
