/** What a command selects, settled before anything is compiled: registrations, their gates and controls, and the jobs that run them. */
import type { RunDevice } from '../device/run-device.ts';
import { kindOf } from '../device/run-device.ts';
import type { Dialect } from '../families/formula/functions.ts';
import { addressText, controlAddress, matcher } from '../spec/address.ts';
import type { GateName } from '../spec/contract.ts';
import type { Kernel, PlantedControl } from '../spec/registration.ts';
import { quarantineOn, runsIn } from '../spec/registration.ts';
import { nothingToProve } from '../spec/applies.ts';
import { runsAt } from '../spec/warps.ts';
import { gateCases } from '../gates/job.ts';
import { modesOn } from '../gates/mode.ts';
import { widthsOn } from '../gates/warps.ts';
import type { Job, RunOptions } from '../gates/run.ts';
import { jobsOf } from '../gates/run.ts';

export interface PlannedRegistration {
  readonly kernel: Kernel;
  readonly dialect: Dialect;
  readonly device: RunDevice;
  /** Why it is never launched on this device's chip. */
  readonly quarantine?: string;
  /** Gates of which at least one case is selected. */
  readonly gates: readonly GateName[];
  readonly controls: readonly PlantedControl[];
  /** Addresses of the selected cases. */
  readonly cases: readonly string[];
}

export interface Plan {
  /** Registrations that have something selected, in the order in which they are reported. */
  readonly registrations: readonly PlannedRegistration[];
  readonly jobs: readonly Job[];
  /** Registrations that there are, selected or not. */
  readonly total: number;
}

export function planOf(kernels: readonly Kernel[], options: RunOptions): Plan {
  const all = kernels.flatMap((kernel) => planKernel(kernel, options));
  const registrations = all.filter(({ gates, controls }) => gates.length + controls.length > 0);
  const jobs = jobsOf(kernels, options).filter((job) => registrations.some((registration) => needs(registration, job)));
  return { registrations, jobs, total: all.length };
}

const needs = ({ kernel, device, quarantine, gates, controls }: PlannedRegistration, job: Job): boolean =>
  quarantine === undefined &&
  kernel.name === job.kernel &&
  device.id === job.device &&
  (gates.includes(job.gate) || controls.some(({ reddens }) => reddens === job.gate));

function planKernel(kernel: Kernel, options: RunOptions): PlannedRegistration[] {
  return kernel.dialects
    .filter((dialect) => options.dialects.includes(dialect))
    .flatMap((dialect) => {
      const devices = options.devices.filter(({ dialects }) => dialects.includes(dialect));
      return devices.map((device) => planOn(kernel, dialect, device, options));
    });
}

/** A kernel in a dialect, on one device that serves it. */
function planOn(kernel: Kernel, dialect: Dialect, device: RunDevice, options: RunOptions): PlannedRegistration {
  const selects = matcher(options.only);
  const modes = modesOn(kindOf(device.id), options.modes);
  const labels = new Map(
    options.gates.map((gate) => {
      const cases = widthsOn(kindOf(device.id), gateCases(kernel, gate, options.seed, modes));
      const own = cases.filter(({ shape, warp }) => runsAt(kernel.contract, dialect, shape, warp));
      return [gate, own.map(({ label }) => label)];
    }),
  );
  const address = (gate: GateName, label: string): string => addressText({ kernel: kernel.name, dialect, gate, label });
  const whole = (gate: GateName): boolean => selects(address(gate, '*'));
  const casesOf = (gate: GateName): string[] =>
    (labels.get(gate) ?? []).map((label) => address(gate, label)).filter(selects);
  // A gate that applies but has no case is run all the same, so that its absence is reported.
  const isEmpty = (gate: GateName): boolean =>
    labels.get(gate)?.length === 0 && nothingToProve(kernel.contract, gate) === undefined;
  const quarantine = quarantineOn(kernel.contract, device.chip);
  return {
    kernel,
    dialect,
    device,
    ...(quarantine !== undefined && { quarantine }),
    gates: options.gates.filter((gate) => casesOf(gate).length > 0 || (isEmpty(gate) && whole(gate))),
    controls: options.controls ? controlsOf(kernel, dialect, options, selects, whole) : [],
    cases: options.gates.flatMap(casesOf),
  };
}

/** Controls that are named, and those of a gate that is selected as a whole. */
function controlsOf(
  kernel: Kernel,
  dialect: Dialect,
  options: RunOptions,
  selects: (address: string) => boolean,
  whole: (gate: GateName) => boolean,
): PlantedControl[] {
  return kernel.controls.filter(
    (control) =>
      control.dialects.includes(dialect) &&
      runsIn(control, options.modes) &&
      options.gates.includes(control.reddens) &&
      (whole(control.reddens) || selects(controlAddress(kernel.name, dialect, control.id))),
  );
}
