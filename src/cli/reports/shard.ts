/**
 * Parts of a plan, so that a CI system may spread a run over machines: every unit, a kernel at a gate on a device, is in one
 * shard. Who cuts the same plan by the same times gets the same shards.
 */
import { deviceLabel } from '../../device/run-device.ts';
import { hashOf } from '../../device/toolchain/cache.ts';
import { weight } from '../../gates/run.ts';
import type { Report, ReportPlan } from '../../report/schema.ts';
import { LIMITS_UNIT, unitText } from '../../report/schema.ts';
import { counted } from '../../report/words.ts';
import { controlAddress } from '../../spec/address.ts';
import type { GateName } from '../../spec/contract.ts';
import { GATES } from '../../spec/contract.ts';
import { registrationName } from '../../spec/registration.ts';
import { listLines } from '../list.ts';
import type { Plan, PlannedRegistration } from '../plan.ts';
import type { Selection } from '../selection.ts';

export interface Shard {
  readonly index: number;
  readonly of: number;
}

/** The plan of a selection as a report has it, cut in shards; without `shard`, all of it is the first of one. */
export function reportPlan(selection: Selection, shard?: Shard, times?: Report): ReportPlan {
  const { plan } = selection;
  const units = unitsOf(selection);
  const shards = spread(weights(units, selection, times), shard?.of ?? 1);
  return {
    hash: hashOf(...askedTexts(selection), ...plan.registrations.flatMap(addressesOf), ...units),
    ...(shard && { shard }),
    kernels: plan.registrations.filter(({ gates }) => gates.length > 0).length,
    controls: plan.registrations.reduce((sum, { controls }) => sum + controls.length, 0),
    units: units.map((unit) => ({ unit, shard: shards.get(unit) ?? 1 })),
  };
}

/** What is asked beside the addresses, as far as a result depends on it. */
const askedTexts = ({ settings, limits }: Selection): string[] => [
  JSON.stringify([
    settings.seed,
    settings.gates,
    settings.modes,
    settings.check,
    settings.schedules,
    settings.controls,
  ]),
  settings.devices.map(deviceLabel).join(', '),
  `${limits?.selected ?? 'no'} addresses of gate 5`,
];

const addressesOf = ({ kernel, dialect, device, cases, controls }: PlannedRegistration): string[] => [
  `${registrationName(kernel.name, dialect)} ${device.id}`,
  ...cases,
  ...controls.map(({ id }) => controlAddress(kernel.name, dialect, id)),
];

const unitOf = ({ kernel, device }: PlannedRegistration, gate: string): string =>
  unitText(kernel.name, gate, device.id);

/** In the order of the plan; gate 5 last. */
function unitsOf({ plan, limits }: Selection): string[] {
  const units = plan.registrations.flatMap((planned) =>
    GATES.filter((gate) => gatesOf(planned).has(gate)).map((gate) => unitOf(planned, gate)),
  );
  return [...new Set(units), ...(limits ? [LIMITS_UNIT] : [])];
}

const gatesOf = ({ gates, controls }: PlannedRegistration): Set<GateName> =>
  new Set([...gates, ...controls.map(({ reddens }) => reddens)]);

/** Milliseconds of each unit where a report has measured it, else its weight in the run's own measure, brought to the same scale. */
function weights(units: readonly string[], { kernels, plan }: Selection, times?: Report): Map<string, number> {
  const measured = times ? unitTimes(times) : new Map<string, number>();
  const own = new Map(
    plan.jobs.map((job) => [unitText(job.kernel, job.gate, job.device), weight(kernels, job)] as const),
  );
  const both = units.filter((unit) => measured.has(unit) && own.has(unit));
  const sum = (of: ReadonlyMap<string, number>): number => both.reduce((total, unit) => total + (of.get(unit) ?? 0), 0);
  const scale = both.length > 0 && sum(own) > 0 ? sum(measured) / sum(own) : 1;
  return new Map(units.map((unit) => [unit, measured.get(unit) ?? (own.get(unit) ?? 0) * scale]));
}

/** What each unit of a report took, its controls with it. */
export function unitTimes({ registrations }: Report): Map<string, number> {
  const times = new Map<string, number>();
  for (const { kernel, device, gates, controls } of registrations) {
    for (const { gate, elapsedMs, status } of [...gates, ...controls]) {
      if (status === 'not run') continue; // that took no time, and may take any
      const unit = unitText(kernel, gate, device);
      times.set(unit, (times.get(unit) ?? 0) + elapsedMs);
    }
  }
  return times;
}

/** Each unit's shard, from 1: the longest first, each to the shard that has least; of equals the first. */
export function spread(units: ReadonlyMap<string, number>, shards: number): Map<string, number> {
  const loads = Array.from({ length: shards }, () => 0);
  const longestFirst = [...units].toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return new Map(
    longestFirst.map(([unit, length]) => {
      const least = loads.indexOf(Math.min(...loads));
      loads[least] = (loads[least] ?? 0) + length;
      return [unit, least + 1];
    }),
  );
}

/** A selection less what other shards run: where a plan has fewer units than shards, that leaves nothing, and is a shard all the same. */
export function shardOf(selection: Selection, shard: Shard, times?: Report): Selection {
  const whole = reportPlan(selection, shard, times);
  const mine = new Set(whole.units.filter((one) => one.shard === shard.index).map(({ unit }) => unit));
  const plan = partOf(selection.plan, mine);
  const { limits: all, ...rest } = selection;
  const limits = mine.has(LIMITS_UNIT) ? all : undefined;
  const listed = listLines(plan);
  return {
    ...rest,
    plan,
    ...(limits && { limits }),
    whole,
    addresses: async () => [...listed, ...((await limits?.addresses()) ?? [])],
    selected: listed.length + (limits?.selected ?? 0),
  };
}

function partOf({ registrations, jobs, total }: Plan, mine: ReadonlySet<string>): Plan {
  const own = registrations.map((planned) => ({
    ...planned,
    gates: planned.gates.filter((gate) => mine.has(unitOf(planned, gate))),
    controls: planned.controls.filter(({ reddens }) => mine.has(unitOf(planned, reddens))),
    cases: planned.cases.filter((address) => mine.has(unitOf(planned, address.split(':')[1] ?? ''))),
  }));
  return {
    registrations: own.filter(({ gates, controls }) => gates.length + controls.length > 0),
    jobs: jobs.filter((job) => mine.has(unitText(job.kernel, job.gate, job.device))),
    total,
  };
}

/** `Shard 9 of 9 holds nothing: …`, of a shard that its plan has no unit for. */
export function emptyShardText({ whole }: Pick<Selection, 'whole'>): string | undefined {
  if (!whole?.shard || whole.units.some(({ shard }) => shard === whole.shard?.index)) return undefined;
  const { index, of } = whole.shard;
  return `Shard ${index} of ${of} holds nothing: the plan has ${counted(whole.units.length, 'unit')}, a kernel at a gate on a device, and other shards run them.`;
}
