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
import { MODES } from '../spec/modes.ts';
import type { Judged } from './attempt.ts';
import { attempt, tensorSizes, tooLarge } from './attempt.ts';
import type { CaseData, Gate, GateCase } from './case.ts';
import type { CaseDone } from './case-done.ts';
import { caseDone } from './case-done.ts';
import { ControlTrial } from './control.ts';
import { GateTrial } from './gate.ts';
import type { Way } from './mode.ts';
import { modesOn, ofModes, whyNotOn } from './mode.ts';
import { nonfinite } from './nonfinite.ts';
import { regressionCases } from './regression-cases.ts';
import { repeat } from './repeat.ts';
import type { Result } from './result.ts';
import { shapes } from './shapes.ts';
import { Stage } from './stage.ts';
import type { Ending, Place } from './strikes.ts';
import { Strikes, subjectName } from './strikes.ts';
import type { Sources, Subject } from './subject.ts';
import { SubjectError, prepareSubject } from './subject.ts';
import { sums } from './sums.ts';
import { atWidths, widthsOn } from './warps.ts';
import type { Workshop } from './workshop.ts';

export const GATE_BY_NAME: Readonly<Record<GateName, Gate>> = { nonfinite, repeat, shapes, sums };

export interface JobOptions {
  readonly seed: string;
  readonly limitMs: number;
  /** Which case addresses run. */
  readonly selects: (address: string) => boolean;
  readonly dialects: readonly Dialect[];
  readonly modes: readonly ModeName[];
  readonly controls: boolean;
  /** The chip of a GPU, as its driver names it. */
  readonly chip?: string;
  /** How check images run; plainly, where this is not said. */
  readonly check?: CheckOptions;
  /** The orders in which gate 2 repeats a case; its own, where this is not said. */
  readonly schedules?: readonly number[];
  /** What ended the process of this job when it was tried before. */
  readonly endings?: readonly Ending[];
  /** Hears whose image is about to be loaded or launched. */
  readonly tell?: (place: Place) => void;
  /** Hears what a case came to. */
  readonly onCase?: (done: CaseDone) => void;
}

/** Every case of a gate of a kernel in some modes, at every width of its dialects. */
export function gateCases(kernel: Kernel, gate: GateName, seed: string, modes: readonly ModeName[]): GateCase[] {
  return atWidths(
    kernel,
    ofModes([...GATE_BY_NAME[gate].cases(kernel, seed), ...regressionCases(kernel, gate)], modes),
  );
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
  const trials = trialsOf(device, kernel, gateName, options);
  const strikes = new Strikes(options.endings);
  const subjects = new Map<Trial, Prepared>();
  try {
    const { kind } = device;
    const cases = widthsOn(kind, gateCases(kernel, gateName, options.seed, modesOn(kind, options.modes)));
    for (const trial of trials) {
      const ways = trial.ways(cases);
      subjects.set(trial, await prepareTrial({ device, sources, kernels, strikes, options }, kernel, trial, ways));
    }
    for (const sharing of Map.groupBy(cases, ({ prepare }) => prepare).values())
      runCases({ gate: GATE_BY_NAME[gateName], trials, subjects, device, options, strikes }, sharing);
    return trials.map((trial) => trial.result());
  } finally {
    for (const { subject, replaced } of subjects.values()) {
      subject?.release();
      replaced?.release();
    }
  }
}

/** Whether modes that the device has are left out. */
const isPart = (kind: Device['kind'], modes: readonly ModeName[]): boolean =>
  modesOn(kind, MODES).some((mode) => !modes.includes(mode));

type Trial = GateTrial | ControlTrial;

interface Prepared {
  readonly subject?: Subject;
  readonly replaced?: Subject;
}

function trialsOf({ kind }: Device, kernel: Kernel, gate: GateName, options: JobOptions): Trial[] {
  const dialects = kernel.dialects.filter((dialect) => options.dialects.includes(dialect));
  const address = (dialect: Dialect, label: string): string =>
    addressText({ kernel: kernel.name, dialect, gate, label });
  const scope = { ...(options.chip !== undefined && { chip: options.chip }), isPart: isPart(kind, options.modes) };
  const gates = dialects.map(
    (dialect) => new GateTrial(kernel, dialect, gate, (label) => options.selects(address(dialect, label)), scope),
  );
  if (!options.controls) return gates;
  const controls = kernel.controls.filter((control) => control.reddens === gate && runsIn(control, options.modes));
  const planted = controls.flatMap((control) =>
    dialects
      .filter(
        (dialect) => control.dialects.includes(dialect) && selectsControl(kernel, dialect, control, options, gates),
      )
      .map((dialect) => new ControlTrial(kernel, dialect, control, whyNotOn(kind, control))),
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

interface JobShop extends Workshop {
  readonly strikes: Strikes;
  readonly options: JobOptions;
}

async function prepareTrial(
  { device, sources, kernels, strikes, options }: JobShop,
  kernel: Kernel,
  trial: Trial,
  ways: readonly Way[],
): Promise<Prepared> {
  if (!trial.isLaunched) return {};
  const subject = nameOf(trial);
  const ended = strikes.atLoad(subject);
  if (ended !== undefined) {
    trial.cannotRun(ended);
    return {};
  }
  options.tell?.({ subject });
  try {
    const prepared = await prepareSubject(device, sources, kernel, trial.dialect, ways, trial.control);
    if (trial instanceof GateTrial) trial.holds(prepared.loaded);
    const replaced = kernels.get(kernel.contract.replaces ?? '');
    if (!replaced || trial.gate !== 'shapes') return { subject: prepared };
    return { subject: prepared, replaced: await prepareSubject(device, sources, replaced, trial.dialect, ways) };
  } catch (error) {
    if (!(error instanceof SubjectError)) throw error;
    trial.cannotRun(error.message);
    return {};
  }
}

const nameOf = ({ kernel, dialect, control }: Trial): string => subjectName(kernel.name, dialect, control);

/** A job's trials on its device. */
interface Session {
  readonly gate: Gate;
  readonly trials: readonly Trial[];
  readonly subjects: ReadonlyMap<Trial, Prepared>;
  readonly device: Device;
  readonly options: JobOptions;
  readonly strikes: Strikes;
}

/** Cases that share their data, which are made once. */
function runCases(session: Session, cases: readonly GateCase[]): void {
  const { trials, subjects } = session;
  const launched = trials.filter((trial) => subjects.get(trial)?.subject);
  const bench = new Benches(session, cases[0]);
  try {
    for (const gateCase of cases) {
      const wanting = launched.filter((trial) => trial.wants(gateCase, cases));
      takeCase(session, gateCase, wanting, (trial) => judge(session, bench, gateCase, trial));
    }
  } finally {
    bench.close();
  }
}

/** What cases share: their data, made once, and a stage, made anew where the device was opened anew. */
class Benches {
  private data: CaseData | undefined;
  private staged: { readonly stage: Stage; readonly generation: number } | undefined;

  constructor(
    private readonly session: Session,
    private readonly first: GateCase | undefined,
  ) {}

  made(): CaseData {
    if (!this.first) throw new Error('no case');
    return (this.data ??= this.first.prepare());
  }

  stage(): Stage {
    const { device, options, trials } = this.session;
    const [any] = trials;
    if (!any) throw new Error('no trial');
    if (this.staged?.generation === device.generation) return this.staged.stage;
    const { generation } = device;
    const stage = new Stage(device, any.kernel.contract, this.made().inputs, options.limitMs);
    this.staged = { stage, generation };
    return stage;
  }

  close(): void {
    this.staged?.stage.close();
  }
}

function judge(session: Session, benches: Benches, gateCase: GateCase, trial: Trial): Judged {
  const { gate, subjects, device, options, strikes } = session;
  const { subject, replaced } = subjects.get(trial) ?? {};
  if (!subject) return { notRun: 'it cannot be launched' };
  const { limitMs, check, schedules, seed } = options;
  const { contract } = subject;
  const name = nameOf(trial);
  const struck = strikes.at(name, gateCase.label);
  if (struck) return struck;
  const data = benches.made();
  options.tell?.({ subject: name, label: gateCase.label });
  const { generation } = device;
  const judged = attempt(
    limitMs,
    () => {
      const stage = benches.stage();
      const beside = replaced && { replaced: replaced.inWay(gateCase, seed) };
      const bench = { device, stage, limitMs, ...beside, ...(check && { check }), ...(schedules && { schedules }) };
      return (gateCase.judge ?? gate.judge)(data, subject.inWay(gateCase, seed), bench);
    },
    { kernel: trial.kernel, sizes: () => tensorSizes(contract, gateCase.shape) },
  );
  if (device.generation !== generation) strikes.broke(name, judged);
  return judged;
}

function takeCase(
  { trials, strikes, options }: Session,
  gateCase: GateCase,
  wanting: readonly Trial[],
  judged: (trial: Trial) => Judged,
): void {
  const [any] = wanting;
  if (!any) return;
  const reason = tooLarge(any.kernel.contract, gateCase.shape);
  if (reason !== undefined) {
    for (const trial of wanting) trial.take(gateCase, { notRun: reason }, 0);
    return;
  }
  const own = ownOutcomes(trials, judged);
  for (const trial of wanting) {
    const from = performance.now();
    const take = (outcome: Judged): void => {
      const elapsedMs = performance.now() - from;
      trial.take(gateCase, outcome, elapsedMs);
      options.onCase?.(caseDone(trial, gateCase, outcome, elapsedMs));
    };
    if (trial instanceof ControlTrial) {
      const stopped = strikes.whyOut(subjectName(trial.kernel.name, trial.dialect));
      if (stopped !== undefined) trial.cannotRun(stopped);
      else if (isHidden(trial, own, options.chip)) trial.hide();
      else take(judged(trial));
    } else take(own(trial.dialect));
  }
}

/** What the kernel itself comes to in a dialect, judged once. */
function ownOutcomes(trials: readonly Trial[], judged: (trial: Trial) => Judged): (dialect: Dialect) => Judged {
  const outcomes = new Map<Dialect, Judged>();
  return (dialect) => {
    const trial = trials.find((candidate) => candidate instanceof GateTrial && candidate.dialect === dialect);
    if (!trial) throw new Error(`no gate is tried in ${dialect}`);
    const outcome = outcomes.get(dialect) ?? judged(trial);
    outcomes.set(dialect, outcome);
    return outcome;
  };
}

/** Where a kernel is known to be found as a control names, only cases at which it is not can show the control. */
function isHidden(
  { kernel, dialect, gate, control }: ControlTrial,
  own: (dialect: Dialect) => Judged,
  chip: string | undefined,
): boolean {
  const known = knownFindings(kernel.contract, dialect, gate, chip);
  if (!known.some(({ finding }) => finding === control.finding)) return false;
  const outcome = own(dialect);
  return 'findings' in outcome && outcome.findings.some((finding) => finding.class === control.finding);
}
