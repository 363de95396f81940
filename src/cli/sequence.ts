/**
 * Jobs end in any order; registrations are reported in the order of the plan, each as soon as it and all before it are
 * complete. Whatever was planned comes back: a job that died leaves a failed gate or a broken control behind.
 */
import type { JobDone } from '../gates/lanes/lane.ts';
import type { Job } from '../gates/run.ts';
import type { ControlResult, GateResult, Result } from '../gates/result.ts';
import type { GateName } from '../spec/contract.ts';
import type { PlantedControl } from '../spec/registration.ts';
import type { Registration } from '../report/registration.ts';
import type { Plan, PlannedRegistration } from './plan.ts';

export interface Sequence {
  /** The registrations that can be reported now, each once. */
  ready(): Registration[];
  /** Takes a finished job and returns the registrations that can be reported now. */
  take(done: JobDone): Registration[];
  /** Those that were not reported, where nothing more comes: what has no result did not run, for a reason. */
  rest(reason: string): Registration[];
}

export function sequenceOf(plan: Plan): Sequence {
  const finished = new Map<string, JobDone>();
  const needed = new Map(plan.registrations.map((planned) => [planned, jobKeys(planned)]));
  const waiting = [...plan.registrations];
  const ready = (): Registration[] => {
    const complete: Registration[] = [];
    for (let next = waiting[0]; next && needed.get(next)?.every((key) => finished.has(key)); next = waiting[0]) {
      complete.push(registrationOf(next, finished));
      waiting.shift();
    }
    return complete;
  };
  return {
    ready,
    take: (done) => {
      finished.set(jobKey(done.job), done);
      return ready();
    },
    rest: (reason) => waiting.splice(0).map((planned) => registrationOf(planned, finished, reason)),
  };
}

const jobKey = ({ kernel, gate, device }: Job): string => `${kernel}:${gate} ${device}`;

/** The jobs that a registration's results come from: none where it is never launched. */
function jobKeys(planned: PlannedRegistration): string[] {
  if (planned.quarantine !== undefined) return [];
  const all = new Set([...planned.gates, ...planned.controls.map(({ reddens }) => reddens)]);
  return [...all].map((gate) => jobKey(jobOf(planned, gate)));
}

const jobOf = ({ kernel, device }: PlannedRegistration, gate: GateName): Job => ({
  kernel: kernel.name,
  gate,
  device: device.id,
});

/** What a job came to, as far as it is reported. */
type Done = Omit<JobDone, 'job' | 'referenceMs'> | undefined;

/** `cut`: why what has no result was not tried. */
function registrationOf(
  planned: PlannedRegistration,
  finished: ReadonlyMap<string, JobDone>,
  cut?: string,
): Registration {
  const { kernel, dialect, device, quarantine } = planned;
  const why = quarantine ?? cut;
  const done = (gate: GateName): Done =>
    (quarantine === undefined ? finished.get(jobKey(jobOf(planned, gate))) : undefined) ??
    (why === undefined ? undefined : { results: [], notRun: why });
  return {
    kernel: kernel.name,
    dialect,
    device: { id: device.id, name: device.name },
    ...(quarantine !== undefined && { quarantine }),
    gates: planned.gates.map((gate) => gateOf(planned, gate, done(gate))),
    controls: planned.controls.map((control) => controlOf(planned, control, done(control.reddens))),
  };
}

function gateOf({ kernel, dialect }: PlannedRegistration, gate: GateName, done: Done): GateResult {
  const isIt = (result: Result): result is GateResult => result.kind === 'gate' && result.dialect === dialect;
  const status = done?.notRun === undefined ? 'fail' : 'not run';
  const lost = { cases: 0, findings: [], notes: [], reason: lostReason(done), elapsedMs: 0 };
  return done?.results.find(isIt) ?? { kind: 'gate', kernel: kernel.name, dialect, gate, status, ...lost };
}

function controlOf({ kernel, dialect }: PlannedRegistration, control: PlantedControl, done: Done): ControlResult {
  const { id, fault, reddens: gate } = control;
  const isIt = (result: Result): result is ControlResult =>
    result.kind === 'control' && result.dialect === dialect && result.id === id;
  const status = done?.notRun === undefined ? 'broken' : 'not run';
  const lost = { status, reason: lostReason(done), elapsedMs: 0 } as const;
  return done?.results.find(isIt) ?? { kind: 'control', kernel: kernel.name, dialect, id, fault, gate, ...lost };
}

/** Why a job has no results. */
const lostReason = (done: Done): string =>
  done?.lost ?? done?.notRun ?? `a fault of tf-kernel-contract ended it: ${done?.error ?? 'no result came back'}`;
