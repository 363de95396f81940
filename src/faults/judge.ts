/**
 * Faults of one kernel at the gates, with the cases of an ordinary run. A gate's cases are prepared once for all faults that
 * are still alive; a fault leaves at the first finding that the kernel without it is not known for.
 */
import type { Judged } from '../gates/attempt.ts';
import { attempt, tooLarge } from '../gates/attempt.ts';
import type { GateCase } from '../gates/case.ts';
import { GateTrial } from '../gates/gate.ts';
import { GATE_BY_NAME, gateCases } from '../gates/job.ts';
import type { Way } from '../gates/mode.ts';
import { Stage } from '../gates/stage.ts';
import type { Sources, Subject } from '../gates/subject.ts';
import { SubjectError, prepareSubject, requestFor } from '../gates/subject.ts';
import type { Workshop } from '../gates/workshop.ts';
import type { Dialect } from '../families/formula/functions.ts';
import type { GateName } from '../spec/contract.ts';
import type { ModeName } from '../spec/modes.ts';
import { MODES } from '../spec/modes.ts';
import type { Kernel, PlantedControl } from '../spec/registration.ts';
import { launchesOf } from '../spec/registration.ts';
import { volume } from '../spec/shapes.ts';
import type { FaultAnswer, FaultResult, FaultSettings } from './result.ts';
import type { Fault } from './rule.ts';
import { wholeSource } from './source.ts';

/** A fault that no gate has found yet, prepared for some modes. */
interface Living {
  readonly fault: Fault;
  readonly subject: Subject;
  elapsedMs: number;
}

/** Most faults fall in plain arithmetic, so that the images of the other modes are made for the rest alone. */
const ROUNDS: readonly (readonly ModeName[])[] = [['plain'], MODES.filter((mode) => mode !== 'plain')];

/** Judges faults of a kernel; `tell` hears of each as it is settled, and which gate is about to judge it. */
export async function judgeFaults(
  shop: Workshop,
  kernel: Kernel,
  faults: readonly Fault[],
  settings: FaultSettings,
  tell: (answer: FaultAnswer) => void,
): Promise<void> {
  let left = faults.map((fault) => ({ fault, elapsedMs: 0 }));
  for (const round of ROUNDS) {
    const modes = round.filter((mode) => settings.modes.includes(mode));
    if (modes.length > 0 && left.length > 0) left = await judgeRound(shop, kernel, left, { ...settings, modes }, tell);
  }
  for (const { fault, elapsedMs } of left) {
    const result = { address: fault.address, status: 'survives', reason: 'every gate stays green', elapsedMs } as const;
    tell({ kind: 'result', result });
  }
}

const waysOf = (modes: readonly ModeName[]): Way[] => modes.map((mode) => ({ mode }));

/** The faults that survive some modes. */
async function judgeRound(
  shop: Workshop,
  kernel: Kernel,
  faults: readonly Omit<Living, 'subject'>[],
  settings: FaultSettings,
  tell: (answer: FaultAnswer) => void,
): Promise<Omit<Living, 'subject'>[]> {
  const living: Living[] = [];
  const replaced = await replacedSubjects(shop, kernel, faults, settings.modes);
  try {
    for (const { fault, elapsedMs } of faults) {
      const made = await prepareFault(shop, kernel, fault, settings.modes);
      if ('status' in made) tell({ kind: 'result', result: made });
      else living.push({ ...made, elapsedMs: made.elapsedMs + elapsedMs });
    }
    for (const gate of settings.gates) runGate(shop, kernel, gate, living, replaced, settings, tell);
    return living.map(({ fault, elapsedMs }) => ({ fault, elapsedMs }));
  } finally {
    for (const { subject } of living) subject.release();
    for (const subject of replaced.values()) subject.release();
  }
}

/** The kernel whose bits gate 3 wants, by dialect. */
async function replacedSubjects(
  { device, sources, kernels }: Workshop,
  { contract }: Kernel,
  faults: readonly Pick<Living, 'fault'>[],
  modes: readonly ModeName[],
): Promise<Map<Dialect, Subject>> {
  const other = kernels.get(contract.replaces ?? '');
  const dialects = other ? new Set(faults.map(({ fault }) => fault.dialect)) : [];
  const made = new Map<Dialect, Subject>();
  for (const dialect of dialects)
    if (other) made.set(dialect, await prepareSubject(device, sources, other, dialect, waysOf(modes)));
  return made;
}

async function prepareFault(
  shop: Workshop,
  kernel: Kernel,
  fault: Fault,
  modes: readonly ModeName[],
): Promise<Living | FaultResult> {
  const from = performance.now();
  const { address, dialect, plant } = fault;
  const elapsedMs = (): number => performance.now() - from;
  const planted = plantedSources(shop.sources, fault);
  try {
    if (plant.kind === 'source' && (await isSameCode(unplanted(shop.sources, fault), planted, kernel, dialect)))
      return { address, status: 'same code', reason: "it compiles to the kernel's own code", elapsedMs: elapsedMs() };
    const subject = await prepareSubject(shop.device, planted, kernel, dialect, waysOf(modes), launchControl(fault));
    return { fault, subject, elapsedMs: elapsedMs() };
  } catch (error) {
    if (!(error instanceof SubjectError)) throw error;
    return { address, status: 'broken', reason: error.message, elapsedMs: elapsedMs() };
  }
}

function plantedSources({ texts, images }: Sources, { plant }: Fault): Sources {
  const planted = plant.kind === 'source' ? new Map([...texts, [plant.path, plant.prelude + plant.text]]) : texts;
  return { images, texts: planted };
}

/** The same text without the fault, its headers written into it and the prelude before it all the same. */
function unplanted({ texts, images }: Sources, { plant, dialect }: Fault): Sources {
  if (plant.kind !== 'source') return { texts, images };
  return { images, texts: new Map([...texts, [plant.path, plant.prelude + wholeSource(texts, plant.path, dialect)]]) };
}

/** A launch fault as the control that a subject is prepared with. */
function launchControl({ dialect, plant, rule }: Fault): PlantedControl | undefined {
  if (plant.kind !== 'launch') return undefined;
  const head = { id: rule, fault: rule, dialects: [dialect], reddens: 'shapes', finding: 'value' } as const;
  return { ...head, launch: plant.launch };
}

/** Whether every launch's image is the kernel's own, byte for byte. */
async function isSameCode(own: Sources, planted: Sources, kernel: Kernel, dialect: Dialect): Promise<boolean> {
  for (const launch of launchesOf(kernel.contract, dialect)) {
    const images = await Promise.all(
      [own, planted].map((sources) =>
        sources.images.get(requestFor(sources, kernel, dialect, { kind: 'fast' }, launch)),
      ),
    );
    const [before, after] = images.map((result) => ('image' in result ? result.image : undefined));
    if (!before || !after || Buffer.compare(before, after) !== 0) return false;
  }
  return true;
}

function runGate(
  shop: Workshop,
  kernel: Kernel,
  gateName: GateName,
  living: Living[],
  replaced: ReadonlyMap<Dialect, Subject>,
  settings: FaultSettings,
  tell: (answer: FaultAnswer) => void,
): void {
  const trials = new Map(living.map((one) => [one, new GateTrial(kernel, one.fault.dialect, gateName, () => true)]));
  const leave = (one: Living): void => {
    living.splice(living.indexOf(one), 1);
    one.subject.release();
  };
  // At the launches' first widths alone: a fault of the source shows there.
  const all = gateCases(kernel, gateName, settings.seed, settings.modes);
  const cases = all.filter(({ warp }) => warp === undefined);
  for (const gateCase of cases.toSorted((a, b) => volume(a.shape) - volume(b.shape))) {
    if (living.length === 0) return;
    if (tooLarge(kernel.contract, gateCase.shape) !== undefined) continue;
    for (const { one, judged } of runCase(shop, gateName, gateCase, living, replaced, settings, tell)) {
      const trial = trials.get(one);
      trial?.take(gateCase, judged, 0);
      const found = trial?.unknown();
      if (!found) continue;
      leave(one);
      tell({ kind: 'result', result: killed(one, gateName, found.class, `${found.label}: ${found.what}`) });
    }
  }
  for (const one of [...living]) {
    const { status, reason } = trials.get(one)?.result() ?? {};
    if (status !== 'fail') continue;
    leave(one);
    tell({ kind: 'result', result: killed(one, gateName, 'known', reason ?? '') });
  }
}

const killed = ({ fault, elapsedMs }: Living, gate: GateName, finding: string, reason: string): FaultResult => ({
  address: fault.address,
  status: 'killed',
  gate,
  finding,
  reason,
  elapsedMs,
});

/** A case before every fault that is alive, on the same buffers. */
function runCase(
  { device }: Workshop,
  gateName: GateName,
  gateCase: GateCase,
  living: readonly Living[],
  replaced: ReadonlyMap<Dialect, Subject>,
  { limitMs, seed }: FaultSettings,
  tell: (answer: FaultAnswer) => void,
): { readonly one: Living; readonly judged: Judged }[] {
  const data = gateCase.prepare();
  let stage: Stage | undefined;
  try {
    return living.map((one) => {
      const from = performance.now();
      tell({ kind: 'judging', address: one.fault.address, gate: gateName });
      const judged = attempt(limitMs, () => {
        stage ??= new Stage(device, one.subject.contract, data.inputs, limitMs);
        const other = replaced.get(one.fault.dialect);
        const bench = { device, stage, limitMs, ...(other && { replaced: other.inWay(gateCase, seed) }) };
        const gate = GATE_BY_NAME[gateName];
        return (gateCase.judge ?? gate.judge)(data, one.subject.inWay(gateCase, seed), bench);
      });
      one.elapsedMs += performance.now() - from;
      return { one, judged };
    });
  } finally {
    stage?.close();
  }
}
