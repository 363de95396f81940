/** A run as one JSON document. The schema is part of what is promised: its version goes up with any change that breaks a reader. */
import * as v from 'valibot';
import type { Verdict } from '../audit/audit.ts';
import type { ToldControl } from '../audit/controls.ts';
import { GATES } from '../spec/contract.ts';
import { MODES } from '../spec/modes.ts';
import { DIALECTS } from '../families/formula/functions.ts';
import { limitControlRow, verdictEntries } from './limits-row.ts';
import { statusOf } from './registration.ts';
import type { Registration } from './registration.ts';

export const SCHEMA_VERSION = 3;

const text = v.string();
const whole = v.pipe(v.number(), v.integer(), v.minValue(0));
const time = v.pipe(v.number(), v.minValue(0));
const status = v.picklist(['pass', 'fail', 'known', 'not run']);
const controlStatus = v.picklist(['red', 'missed', 'broken', 'not run']);

/** null stands for a share that JSON has no number for: an error beyond any bound. */
const margin = v.strictObject({ share: v.nullable(v.number()), where: text, case: text });

const finding = v.strictObject({
  case: text,
  class: text,
  what: text,
  worst: v.optional(text),
  /** The worst error as a multiple of its bound. */
  times: v.optional(v.number()),
  why: v.optional(text),
  /** Flags that show it again, beside its address and the seed. */
  flags: v.optional(text),
});

/** The order of a sum on one route: `longest` additions on its longest chain, or why that is not known. */
const chain = v.strictObject({
  case: text,
  symbol: text,
  sum: text,
  terms: whole,
  declared: v.number(),
  longest: v.optional(whole),
  longer: v.optional(v.strictObject({ at: text, declared: v.number(), least: whole })),
  why: v.optional(text),
});

const limit = { bounds: v.number(), ulps: v.number() };
/** What a gate would still have caught at a case: of each output, and of each sum in mean terms, absent where no loss shows. */
const detected = v.strictObject({
  case: text,
  outputs: v.array(
    v.strictObject({
      output: text,
      outputs: whole,
      least: v.strictObject(limit),
      median: v.strictObject(limit),
      worst: v.strictObject({ ...limit, where: text }),
      blind: whole,
    }),
  ),
  sums: v.array(v.strictObject({ sum: text, terms: whole, lost: v.optional(v.number()) })),
});

const gate = v.strictObject({
  gate: v.picklist(GATES),
  status,
  cases: whole,
  margin: v.optional(margin),
  /** The least that a gate sees: a class, a bit that differs between runs, any bit, or what leaves a range. */
  sees: v.optional(v.picklist(['class', 'repeat', 'bits', 'ranges'])),
  detected: v.optional(v.array(detected)),
  chains: v.optional(v.array(chain)),
  findings: v.array(finding),
  notes: v.array(text),
  reason: v.optional(text),
  elapsedMs: time,
});

const control = v.strictObject({
  id: text,
  fault: text,
  gate: v.picklist(GATES),
  status: controlStatus,
  reason: text,
  elapsedMs: time,
});

/** `host`, or a GPU: `cuda:0`. */
const device = v.strictObject({
  id: text,
  name: text,
  dialects: v.array(v.picklist(DIALECTS)),
  chip: v.optional(text),
  driver: v.optional(text),
});

const registration = v.strictObject({
  kernel: text,
  dialect: v.picklist(DIALECTS),
  /** The id of one of the report's devices. */
  device: text,
  status: v.optional(status),
  gates: v.array(gate),
  controls: v.array(control),
});

const limits = v.strictObject({
  /** A row for every launch, chip and set of records. `shapes`: those that it was judged at, which stand for all. */
  verdicts: v.array(v.strictObject({ ...verdictEntries, shapes: v.array(text) })),
  controls: v.array(limitControlRow),
  /** What is wrong with the records themselves. */
  problems: v.array(text),
});

export const reportSchema = v.strictObject({
  schema: v.literal(SCHEMA_VERSION),
  program: v.strictObject({ version: text, commit: text, platform: text }),
  /** What the results were measured on. */
  devices: v.array(device),
  seed: text,
  /** Of gates 1 to 4. */
  gates: v.array(v.picklist(GATES)),
  /** The modes that were asked for. */
  modes: v.optional(v.array(v.picklist(MODES))),
  only: v.array(text),
  withControls: v.boolean(),
  workers: whole,
  elapsedMs: time,
  referenceMs: time,
  registrations: v.array(registration),
  /** Gate 5; absent where it was not asked for. */
  limits: v.optional(limits),
  summary: text,
  exitCode: whole,
});

export type Report = v.InferOutput<typeof reportSchema>;

/** Everything of a report but its results. */
export type ReportHead = Omit<Report, 'schema' | 'registrations' | 'limits'>;

/** Gate 5's results, as its audit gives them. */
export interface LimitsResults {
  readonly verdicts: readonly (Verdict & { readonly shapes: readonly string[] })[];
  readonly controls: readonly ToldControl[];
  readonly problems: readonly string[];
}

/** A run's report, checked against its own schema. */
export function reportOf(head: ReportHead, registrations: readonly Registration[], limits?: LimitsResults): Report {
  const results = { registrations: registrations.map(registrationJson), ...(limits && { limits }) };
  return v.parse(reportSchema, { schema: SCHEMA_VERSION, ...head, ...results });
}

export const reportText = (report: Report): string => `${JSON.stringify(report, undefined, 2)}\n`;

/** Reads a report back; throws where it is not one of this version. */
export const readReport = (json: string): Report => v.parse(reportSchema, JSON.parse(json));

function registrationJson(registration: Registration): unknown {
  const { kernel, dialect, device: on, gates, controls } = registration;
  const verdict = statusOf(registration);
  return {
    kernel,
    dialect,
    device: on.id,
    ...(verdict && { status: verdict }),
    gates: gates.map(gateJson),
    controls: controls.map(({ id, fault, gate: name, status: verdict, reason, elapsedMs }) => ({
      id,
      fault,
      gate: name,
      status: verdict,
      reason,
      elapsedMs,
    })),
  };
}

function gateJson({
  gate: name,
  status: verdict,
  cases,
  margin: worst,
  findings,
  chains,
  detected: limits,
  sees,
  notes,
  reason,
  elapsedMs,
}: Registration['gates'][number]): unknown {
  return {
    gate: name,
    status: verdict,
    cases,
    ...(worst && {
      margin: { share: Number.isFinite(worst.share) ? worst.share : null, where: worst.where, case: worst.label },
    }),
    ...(sees && { sees }),
    ...(limits && { detected: limits.map(({ label, ...rest }) => ({ case: label, ...rest })) }),
    ...(chains && { chains: chains.map(({ label, ...rest }) => ({ case: label, ...rest })) }),
    findings: findings.map(({ label, ...rest }) => ({ case: label, ...rest })),
    notes,
    ...(reason !== undefined && { reason }),
    elapsedMs,
  };
}
