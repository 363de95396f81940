/**
 * One kernel at one gate: every dialect, and every control that must redden that gate. Cases are prepared once and shared, so
 * a float64 reference is taken once for all of them. Whatever a kernel does, it is red on its own name and the rest goes on.
 */
import type { CheckOptions, Device } from '../device/device.ts';
import type { Dialect } from '../families/formula/functions.ts';
import { addressText, controlAddress } from '../spec/address.ts';
import type { GateName } from '../spec/contract.ts';
import type { Kernel, PlantedControl } from '../spec/registration.ts';
import { knownFindings, runsIn } from '../spec/registration.ts';
import type { ModeName } from '../spec/modes.ts';
import type { Judged } from './attempt.ts';
import { attempt, tooLarge } from './attempt.ts';
import type { CaseData, Gate, GateCase } from './case.ts';
import { ControlTrial } from './control.ts';
import { GateTrial } from './gate.ts';
import { ofModes } from './mode.ts';
import { nonfinite } from './nonfinite.ts';
import { regressionCases } from './regression-cases.ts';
import { repeat } from './repeat.ts';
import type { Result } from './result.ts';
import { shapes } from './shapes.ts';
import { Stage } from './stage.ts';
import type { Sources, Subject } from './subject.ts';
import { SubjectError, prepareSubject } from './subject.ts';
import { sums } from './sums.ts';

export const GATE_BY_NAME: Readonly<Record<GateName, Gate>> = { nonfinite, repeat, shapes, sums };

export interface JobOptions {
  readonly seed: string;
  readonly limitMs: number;
  /** Which case addresses run. */
  readonly selects: (address: string) => boolean;
  readonly dialects: readonly Dialect[];
  readonly modes: readonly ModeName[];
  readonly controls: boolean;
  /** How check images run; plainly, where this is not said. */
  readonly check?: CheckOptions;
  /** The orders in which gate 2 repeats a case; its own, where this is not said. */
  readonly schedules?: readonly number[];
}

/** Every case of a gate of a kernel in some modes. */
export function gateCases(kernel: Kernel, gate: GateName, seed: string, modes: readonly ModeName[]): GateCase[] {
  return ofModes([...GATE_BY_NAME[gate].cases(kernel, seed), ...regressionCases(kernel, gate)], modes);
}

/** Runs the job and returns its results, kernels before controls, in the order of the dialects. */
export async function runJob(
  device: Device,
  sources: Sources,
  kernels: ReadonlyMap<string, Kernel>,
  kernel: Kernel,
  gateName: GateName,
  options: JobOptions,
): Promise<Result[]> {
  const gate = GATE_BY_NAME[gateName];
  const trials = trialsOf(kernel, gateName, options);
  const subjects = new Map<Trial, Prepared>();
  try {
    const cases = gateCases(kernel, gateName, options.seed, options.modes);
    for (const trial of trials) {
      const modes = trial.modes(new Set(cases.map(({ mode }) => mode)));
      subjects.set(trial, await prepareTrial(device, sources, kernels, kernel, trial, modes));
    }
    for (const sharing of Map.groupBy(cases, ({ prepare }) => prepare).values())
      runCases(gate, sharing, trials, subjects, device, options);
    return trials.map((trial) => trial.result());
  } finally {
    for (const { subject, replaced } of subjects.values()) {
      subject?.release();
      replaced?.release();
    }
  }
}

type Trial = GateTrial | ControlTrial;

interface Prepared {
  readonly subject?: Subject;
  readonly replaced?: Subject;
}

function trialsOf(kernel: Kernel, gate: GateName, options: JobOptions): Trial[] {
  const dialects = kernel.dialects.filter((dialect) => options.dialects.includes(dialect));
  const address = (dialect: Dialect, label: string): string =>
    addressText({ kernel: kernel.name, dialect, gate, label });
  const gates = dialects.map(
    (dialect) => new GateTrial(kernel, dialect, gate, (label) => options.selects(address(dialect, label))),
  );
  if (!options.controls) return gates;
  const controls = kernel.controls.filter((control) => control.reddens === gate && runsIn(control, options.modes));
  const planted = controls.flatMap((control) =>
    dialects
      .filter(
        (dialect) => control.dialects.includes(dialect) && selectsControl(kernel, dialect, control, options, gates),
      )
      .map((dialect) => new ControlTrial(kernel, dialect, control)),
  );
  return [...gates, ...planted];
}

/** A filter that names a control selects it; one that selects a whole gate of the kernel brings its controls along. */
function selectsControl(
  kernel: Kernel,
  dialect: Dialect,
  control: PlantedControl,
  options: JobOptions,
  gates: readonly GateTrial[],
): boolean {
  const named = options.selects(controlAddress(kernel.name, dialect, control.id));
  const gate = gates.find((trial) => trial.dialect === dialect);
  return named || gate?.selectsAll() === true;
}

async function prepareTrial(
  device: Device,
  sources: Sources,
  kernels: ReadonlyMap<string, Kernel>,
  kernel: Kernel,
  trial: Trial,
  modes: readonly ModeName[],
): Promise<Prepared> {
  try {
    const subject = await prepareSubject(device, sources, kernel, trial.dialect, modes, trial.control);
    const replaced = kernels.get(kernel.contract.replaces ?? '');
    if (!replaced || trial.gate !== 'shapes') return { subject };
    return { subject, replaced: await prepareSubject(device, sources, replaced, trial.dialect, modes) };
  } catch (error) {
    if (!(error instanceof SubjectError)) throw error;
    trial.cannotRun(error.message);
    return {};
  }
}

/** Cases that share their data, which are made once. */
function runCases(
  gate: Gate,
  cases: readonly GateCase[],
  trials: readonly Trial[],
  subjects: ReadonlyMap<Trial, Prepared>,
  device: Device,
  options: JobOptions,
): void {
  const launched = trials.filter((trial) => subjects.get(trial)?.subject);
  let data: CaseData | undefined;
  let stage: Stage | undefined;
  const judge = (gateCase: GateCase, { subject, replaced }: Prepared): Judged => {
    if (!subject) return { notRun: 'it cannot be launched' };
    const { limitMs, check, schedules } = options;
    const made = (data ??= gateCase.prepare());
    return attempt(limitMs, () => {
      stage ??= new Stage(device, subject.contract, made.inputs, limitMs);
      const beside = replaced && { replaced: replaced.inMode(gateCase.mode, options.seed) };
      const bench = { device, stage, limitMs, ...beside, ...(check && { check }), ...(schedules && { schedules }) };
      return (gateCase.judge ?? gate.judge)(made, subject.inMode(gateCase.mode, options.seed), bench);
    });
  };
  try {
    for (const gateCase of cases) {
      const wanting = launched.filter((trial) => trial.wants(gateCase, cases));
      takeCase(gateCase, wanting, trials, (trial) => judge(gateCase, subjects.get(trial) ?? {}));
    }
  } finally {
    stage?.close();
  }
}

function takeCase(
  gateCase: GateCase,
  wanting: readonly Trial[],
  trials: readonly Trial[],
  judge: (trial: Trial) => Judged,
): void {
  const [any] = wanting;
  if (!any) return;
  const reason = tooLarge(any.kernel.contract, gateCase.shape);
  if (reason !== undefined) {
    for (const trial of wanting) trial.take(gateCase, { notRun: reason }, 0);
    return;
  }
  const own = ownOutcomes(trials, judge);
  for (const trial of wanting) {
    const from = performance.now();
    if (trial instanceof ControlTrial) {
      if (isHidden(trial, own)) trial.hide();
      else trial.take(gateCase, judge(trial), performance.now() - from);
    } else trial.take(gateCase, own(trial.dialect), performance.now() - from);
  }
}

/** What the kernel itself comes to in a dialect, judged once. */
function ownOutcomes(trials: readonly Trial[], judge: (trial: Trial) => Judged): (dialect: Dialect) => Judged {
  const outcomes = new Map<Dialect, Judged>();
  return (dialect) => {
    const trial = trials.find((candidate) => candidate instanceof GateTrial && candidate.dialect === dialect);
    if (!trial) throw new Error(`no gate is tried in ${dialect}`);
    const outcome = outcomes.get(dialect) ?? judge(trial);
    outcomes.set(dialect, outcome);
    return outcome;
  };
}

/** Where a kernel is known to be found as a control names, only cases at which it is not can show the control. */
function isHidden({ kernel, dialect, gate, control }: ControlTrial, own: (dialect: Dialect) => Judged): boolean {
  const isKnown = knownFindings(kernel.contract, dialect, gate).some(({ finding }) => finding === control.finding);
  if (!isKnown) return false;
  const outcome = own(dialect);
  return 'findings' in outcome && outcome.findings.some((finding) => finding.class === control.finding);
}
