/** Counts, the SUMMARY line and the exit code. Every registration and every control is in exactly one count. */
import type { GateName } from '../spec/contract.ts';
import type { ModeName } from '../spec/modes.ts';
import { MODES } from '../spec/modes.ts';
import type { ControlStatus, Status } from '../gates/result.ts';
import type { Registration } from './registration.ts';
import { statusOf } from './registration.ts';
import { count } from '../numerics/digits.ts';
import { counted, gateNumbers } from './words.ts';

/** What a run set out to do, known before it began. */
export interface Planned {
  readonly kernels: number;
  readonly controls: number;
}

export interface Tally {
  readonly kernels: Readonly<Record<Status, number>>;
  readonly controls: Readonly<Record<ControlStatus, number>>;
  readonly planned: Planned;
  /** Of the kernels that were not run, those that their contracts keep from the chip. */
  readonly quarantined: number;
}

/** Gate 5 in counts. */
export interface LimitsTally {
  /** Launches times chips times sets of records that were judged. */
  readonly verdicts: number;
  readonly problems: number;
  readonly pending: number;
  readonly controls: Readonly<Record<'red' | 'missed' | 'broken', number>>;
}

/** Counts a finished run; throws where the counts are not those that were planned. */
export function tallyOf(registrations: readonly Registration[], planned: Planned): Tally {
  const kernels = { pass: 0, fail: 0, known: 0, 'not run': 0 };
  const controls = { red: 0, missed: 0, broken: 0, 'not run': 0 };
  let quarantined = 0;
  for (const registration of registrations) {
    const status = statusOf(registration);
    if (status !== undefined) kernels[status]++;
    if (status !== undefined && registration.quarantine !== undefined) quarantined++;
    for (const control of registration.controls) controls[control.status]++;
  }
  expectSum('kernels', kernels, planned.kernels);
  expectSum('controls', controls, planned.controls);
  return { kernels, controls, planned, quarantined };
}

function expectSum(what: string, counts: Readonly<Record<string, number>>, planned: number): void {
  const sum = Object.values(counts).reduce((a, b) => a + b, 0);
  if (sum !== planned) throw new Error(`SUMMARY does not add up: ${planned} ${what} were planned, ${sum} came back`);
}

/** The last line of a run. `withControls` false: they were left out by request, as are modes that are not among `modes`. */
export function summaryLine(
  { kernels, controls, planned, quarantined }: Tally,
  gates: readonly GateName[],
  withControls: boolean,
  limits?: LimitsTally,
  modes: readonly ModeName[] = MODES,
): string {
  const verdicts = [
    `${count(kernels.pass)} pass ${gateNumbers(gates)}`,
    `${count(kernels.fail)} fail`,
    `${count(kernels.known)} known findings`,
    `${count(kernels['not run'])} not run${quarantined > 0 ? ` (${count(quarantined)} quarantined)` : ''}`,
  ];
  const own = limits?.controls ?? { red: 0, missed: 0, broken: 0 };
  const all = {
    ...controls,
    red: controls.red + own.red,
    missed: controls.missed + own.missed,
    broken: controls.broken + own.broken,
  };
  const total = planned.controls + own.red + own.missed + own.broken;
  const parts = [
    gates.length === 0 && limits
      ? `SUMMARY ${counted(limits.verdicts, 'launch')} on chips audited`
      : `SUMMARY ${counted(planned.kernels, 'kernel')}: ${verdicts.join(', ')}`,
    withControls ? controlsText(all, total) : 'controls not run (--no-controls)',
    limits ? `${counted(limits.problems, 'limit problem')}, ${count(limits.pending)} pending` : 'gate 5 not run',
    ...(gates.length > 0 ? ['faults not planted (--faults)'] : []),
  ];
  if (modes.length < MODES.length) parts.push(`${modes.join(', ')} alone (--mode)`);
  return parts.join('; ');
}

function controlsText(controls: Tally['controls'], planned: number): string {
  const counts = [
    `${count(controls.red)} red as planted`,
    `${count(controls.missed)} missed`,
    `${count(controls.broken)} broken`,
  ];
  if (controls['not run'] > 0) counts.push(`${count(controls['not run'])} not run`);
  return `${counted(planned, 'control')}: ${counts.join(', ')}`;
}

/**
 * 0: all as promised, and something ran. 1: anything else that a kernel or a control can do. What a contract keeps from a chip, and
 * controls that a GPU cannot show, are told and break nothing.
 */
export function exitCode({ kernels, controls, planned, quarantined }: Tally, limits?: LimitsTally): 0 | 1 {
  const kept = kernels.fail === 0 && kernels['not run'] === quarantined && !limits?.problems;
  const live = controls.missed + controls.broken === 0 && !limits?.controls.missed && !limits?.controls.broken;
  const own = planned.kernels - quarantined + planned.controls - controls['not run'];
  const ran = own + (limits?.verdicts ?? 0) + (limits?.controls.red ?? 0) > 0;
  return kept && live && ran ? 0 : 1;
}
