/**
 * The schema of a run's report, which is part of what is promised: its version goes up with any change that breaks a reader. A
 * report holds all that its other forms need, so that they can be made of one that came from elsewhere.
 */
import * as v from 'valibot';
import { GATES } from '../spec/contract.ts';
import { MODES } from '../spec/modes.ts';
import { DIALECTS } from '../families/formula/functions.ts';
import { causeEntries, isOfClass, errorMap, OTHER_CLASS } from '../gates/result-schema.ts';
import { limitControlRow, verdictEntries } from './limits-row.ts';

export const SCHEMA_VERSION = 6;

const text = v.string();
const whole = v.pipe(v.number(), v.integer(), v.minValue(0));
/** Milliseconds: a report of more than 30,000 years is none. */
const time = v.pipe(v.number(), v.minValue(0), v.maxValue(1e15));
/** As `--shard` takes them. */
const part = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(9999));
const status = v.picklist(['pass', 'fail', 'known', 'not run']);
const controlStatus = v.picklist(['red', 'missed', 'broken', 'not run']);

/** null stands for a share that JSON has no number for: an error beyond any bound. */
const margin = v.strictObject({ share: v.nullable(v.number()), where: text, case: text });

const finding = v.pipe(
  v.strictObject({
    case: text,
    ...causeEntries,
    what: text,
    worst: v.exactOptional(text),
    /** The worst error as a multiple of its bound. */
    times: v.exactOptional(v.number()),
    why: v.exactOptional(text),
    /** The two orders that differ, as `--schedules` takes them. */
    schedules: v.exactOptional(v.array(whole)),
  }),
  v.check((given) => isOfClass(given), OTHER_CLASS),
);

/** The order of a sum on one route: `longest` additions on its longest chain, or why that is not known. */
const chain = v.strictObject({
  case: text,
  symbol: text,
  sum: text,
  terms: whole,
  declared: v.number(),
  longest: v.exactOptional(whole),
  longer: v.exactOptional(v.strictObject({ at: text, declared: v.number(), least: whole })),
  why: v.exactOptional(text),
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
  sums: v.array(v.strictObject({ sum: text, terms: whole, lost: v.exactOptional(v.number()) })),
});

/** null stands for an error that no number is. */
const error = v.strictObject({
  case: text,
  share: v.nullable(v.number()),
  maps: v.exactOptional(v.array(errorMap)),
});

/** What a GPU's driver tells of a launch's kernel once it is loaded: registers and spill bytes of a thread, and others. */
const loaded = v.strictObject({
  symbol: text,
  defines: v.record(text, v.union([v.number(), text])),
  attributes: v.record(text, whole),
  /** The records that its compiler makes: `nvcc-13.0`. */
  set: v.exactOptional(text),
});

const gate = v.strictObject({
  gate: v.picklist(GATES),
  status,
  cases: whole,
  margin: v.exactOptional(margin),
  /** The least that a gate sees: a class, a bit that differs between runs, any bit, or what leaves a range. */
  sees: v.exactOptional(v.picklist(['class', 'repeat', 'bits', 'ranges'])),
  detected: v.exactOptional(v.array(detected)),
  /** Of each case that was judged by ranges, its worst error as a share of its bound. */
  errors: v.exactOptional(v.array(error)),
  loaded: v.exactOptional(v.array(loaded)),
  chains: v.exactOptional(v.array(chain)),
  findings: v.array(finding),
  notes: v.array(text),
  reason: v.exactOptional(text),
  elapsedMs: time,
});

const control = v.strictObject({
  id: text,
  fault: text,
  gate: v.picklist(GATES),
  status: controlStatus,
  reason: text,
  /** What the gate found that decides, and where. */
  found: v.exactOptional(
    v.pipe(
      v.strictObject({ case: text, ...causeEntries }),
      v.check((given) => isOfClass(given), OTHER_CLASS),
    ),
  ),
  elapsedMs: time,
});

/** `host`, or a GPU: `cuda:0`. */
const device = v.strictObject({
  id: text,
  name: text,
  dialects: v.array(v.picklist(DIALECTS)),
  chip: v.exactOptional(text),
  driver: v.exactOptional(text),
});

/** Where a reader finds a registration, from the top of the project, and the line of the kernel's name in its source. */
const files = v.strictObject({ contract: text, source: text, line: v.exactOptional(whole) });

const registration = v.strictObject({
  kernel: text,
  dialect: v.picklist(DIALECTS),
  /** The id of one of the report's devices. */
  device: text,
  /** Why its contract keeps it from the device's chip. */
  quarantine: v.exactOptional(text),
  status: v.exactOptional(status),
  gates: v.array(gate),
  controls: v.array(control),
});

/** What a run was to do, so that the reports of its parts can be joined and nothing be missing or doubled. */
const plan = v.strictObject({
  /** One hash of every address of the whole plan, of its devices and of what it was asked. */
  hash: text,
  /** The part of it that ran; absent where that is all. */
  shard: v.exactOptional(v.strictObject({ index: part, of: part })),
  /** Registrations that the whole plan holds to gates 1 to 4, and its controls of those gates. */
  kernels: whole,
  controls: whole,
  /** The units of the whole plan in their order, `rms_rows:shapes host`, each with the shard that runs it; `limits` is gate 5. */
  units: v.array(v.strictObject({ unit: text, shard: part })),
});

const limits = v.strictObject({
  /** A row for every launch, chip and set of records. `shapes`: those that it was judged at, which stand for all. */
  verdicts: v.array(v.strictObject({ ...verdictEntries, shapes: v.array(text) })),
  controls: v.array(limitControlRow),
  /** What is wrong with the records themselves. */
  problems: v.array(text),
});

const wholeReport = v.strictObject({
  schema: v.literal(SCHEMA_VERSION),
  /** `sources`: one hash of all contracts and kernel sources. */
  program: v.strictObject({ version: text, commit: text, platform: text, sources: text }),
  /** When the run began, in UTC. */
  started: v.pipe(text, v.isoTimestamp()),
  /** What the results were measured on. */
  devices: v.array(device),
  seed: v.pipe(text, v.regex(/^\d{1,15}$/)),
  /** Of gates 1 to 4. */
  gates: v.array(v.picklist(GATES)),
  /** The modes that were asked for. */
  modes: v.exactOptional(v.array(v.picklist(MODES))),
  only: v.array(text),
  withControls: v.boolean(),
  /** By `kernel@dialect`. */
  files: v.record(text, files),
  /** What else the command of a rerun needs: paths of contracts, flags. */
  flags: v.exactOptional(text),
  workers: whole,
  elapsedMs: time,
  referenceMs: time,
  plan,
  registrations: v.array(registration),
  /** Gate 5; absent where it was not asked for. */
  limits: v.exactOptional(limits),
  /** A signal ended the run before it was whole: jobs that had ended, of all. Absent of a run that came to its end. */
  partial: v.exactOptional(
    v.strictObject({ signal: v.picklist(['SIGINT', 'SIGTERM', 'SIGHUP']), done: whole, jobs: whole }),
  ),
  summary: text,
  exitCode: whole,
});

export const reportSchema = v.pipe(
  wholeReport,
  v.check(
    ({ devices, registrations }) => registrations.every((row) => devices.some(({ id }) => id === row.device)),
    'a registration ran on a device that is not among those of the report',
  ),
);

export type Report = v.InferOutput<typeof reportSchema>;

/** Everything of a report but its results. */
export type ReportHead = Omit<Report, 'schema' | 'registrations' | 'limits'>;

export type GateRow = Report['registrations'][number]['gates'][number];
export type Files = Report['files'][string];
export type ReportPlan = Report['plan'];

/** A unit of a plan: a kernel at a gate on a device, in every dialect that the device serves. */
export const unitText = (kernel: string, gate: string, device: string): string => `${kernel}:${gate} ${device}`;
/** Gate 5 is one unit. */
export const LIMITS_UNIT = 'limits';
