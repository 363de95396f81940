/**
 * A run as it goes, a line of JSON a job: what it was asked first, then each job's results as they come. A run that was ended is
 * continued from it, so a journal of other sources or options is refused by what differs.
 */
import * as v from 'valibot';
import type { DeviceId, RunDevice } from '../device/run-device.ts';
import type { JobDone } from '../gates/lanes/lane.ts';
import { resultSchema, withNonfinite } from '../gates/result-schema.ts';
import type { RunOptions } from '../gates/run.ts';
import { GATES } from '../spec/contract.ts';
import { messageOf } from '../spec/message-of.ts';

const JOURNAL_VERSION = 2;

/** What a run's results depend on, by the words that tell of it. */
export type Asked = Readonly<Record<string, string>>;

const head = v.strictObject({
  journal: v.literal(JOURNAL_VERSION, `its version is not ${JOURNAL_VERSION}`),
  asked: v.record(v.string(), v.string()),
});

const job = v.strictObject({
  kernel: v.string(),
  gate: v.picklist(GATES),
  device: v.custom<DeviceId>((id) => typeof id === 'string', 'a device has an id'),
});

const line: v.GenericSchema<unknown, JobDone> = v.pipe(
  v.strictObject({
    job,
    results: v.array(resultSchema),
    referenceMs: v.pipe(v.number(), v.minValue(0)),
    lost: v.exactOptional(v.string()),
  }),
  v.check(
    ({ job: own, results }) => results.every(({ kernel, gate }) => kernel === own.kernel && gate === own.gate),
    'a result is of another job',
  ),
);

/** A journal that cannot be continued; the message says why. */
export class JournalError extends Error {
  override readonly name = 'JournalError';
}

/** What a run is asked. `program`: a hash of all contracts and sources. */
export function askedOf(options: RunOptions, program: string, images: string): Asked {
  const { seed, limitMs, only, gates, dialects, modes, controls, check = {}, schedules = [] } = options;
  return {
    'the contracts and sources': program,
    'the seed': seed,
    'the time limit': String(limitMs),
    'the selection': JSON.stringify([only, gates, dialects, modes, controls]),
    'the orders': JSON.stringify([schedules, check.lockstep === true, check.strictWarps === true]),
    'the devices': options.devices.map(deviceText).join('; '),
    'the images': images,
  };
}

const deviceText = ({ id, name, chip, driver, dialects }: RunDevice): string =>
  [id, name, chip, driver, dialects.join(',')].filter((part) => part !== undefined).join(' ');

export const headLine = (asked: Asked): string => `${JSON.stringify({ journal: JOURNAL_VERSION, asked })}\n`;
export const jobLine = (done: JobDone): string => `${JSON.stringify(done, withNonfinite)}\n`;

/** Whether a job has come to something that another run of it would come to again. */
export const isKept = ({ error, notRun }: JobDone): boolean => error === undefined && notRun === undefined;

/** The jobs of a journal; a line that was not finished counts as none. Throws a JournalError. */
export function readJournal(text: string, asked: Asked): JobDone[] {
  const [first = '', ...lines] = text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((each) => each !== '');
  const before = checked(head, first, 1).asked;
  const names = new Set([...Object.keys(before), ...Object.keys(asked)]);
  const other = [...names].filter((name) => before[name] !== asked[name]);
  if (other.length > 0) throw new JournalError(`it is of a run that differs in ${other.join(', ')}`);
  return lines.map((each, i) => checked(line, each, i + 2));
}

function checked<T>(schema: v.GenericSchema<unknown, T>, text: string, number: number): T {
  const not = (why: string): JournalError => new JournalError(`line ${number} is not one of a journal: ${why}`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw not(messageOf(error));
  }
  const found = v.safeParse(schema, value);
  if (found.success) return found.output;
  const [issue] = found.issues;
  throw not(`at ${v.getDotPath(issue) ?? 'the top'}: ${issue.message}`);
}
