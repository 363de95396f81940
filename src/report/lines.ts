/**
 * The lines of a run. Each is a function of the results alone. A line about a failure ends in the way to run it again; lines
 * below the first are indented under its address.
 */
import { deviceLabel } from '../device/run-device.ts';
import { addressText, controlAddress } from '../spec/address.ts';
import { isSameCause } from '../spec/cause.ts';
import { CHECKED } from '../spec/contract.ts';
import { modeOfLabel } from '../spec/modes.ts';
import { warpOfLabel } from '../spec/warps.ts';
import { registrationName } from '../spec/registration.ts';
import type { CaseFinding, ControlResult, GateResult } from '../gates/result.ts';
import { chainLines } from './chains.ts';
import { detectedLines } from './detected.ts';
import type { Registration } from './registration.ts';
import { elapsedOf, marginOf, statusOf } from './registration.ts';
import type { Style } from './style.ts';
import { PLAIN } from './style.ts';
import { counted, seconds, share, shellWord } from './words.ts';

/** What every line of a run shares. */
export interface RunContext {
  readonly seed: string;
  /** How a person calls the program, where that is not by its name. */
  readonly command?: string;
  /** Flags of the run that a verdict depends on. */
  readonly flags?: string;
  readonly style: Style;
}

/** What every line of a registration shares. */
export interface LineContext extends RunContext {
  /** The device's label. */
  readonly device: string;
}

const PROGRAM = 'tf-kernel-contract';
const INDENT = '      ';

/** All lines of a registration: its verdict with whatever failed, then the controls that did not go red as planted. */
export function registrationLines(registration: Registration, run: RunContext): string[] {
  const context = contextOf(registration, run);
  const alone = registration.gates.length === 0;
  const stopped = registration.controls.filter((control) => isStopped(control, registration));
  const spoken = registration.controls.filter(
    (control) => !stopped.includes(control) && control.status !== 'not run' && (alone || control.status !== 'red'),
  );
  return [
    ...verdictLines(registration, context),
    ...unshownLines(registration, context),
    ...stoppedLines(registration, stopped, context),
    ...spoken.flatMap((control) => controlLines(control, context)),
  ];
}

/** Controls that the device cannot show, by the reason. */
function unshownLines({ kernel, dialect, controls }: Registration, context: LineContext): string[] {
  const unshown = controls.filter(({ status }) => status === 'not run');
  const head = `${context.style.warn('NOT RUN')}  ${registrationName(kernel, dialect)}  ${onGpu(context)}`;
  return [...Map.groupBy(unshown, ({ reason }) => reason)].map(
    ([reason, own]) =>
      `${head}${own.length === 1 ? 'control' : 'controls'} ${own.map(({ id }) => id).join(', ')}: ${reason}`,
  );
}

/** A GPU's results are rerun on it; the host device is what runs where no other is there, unless the run's flags ask for it. */
export function contextOf({ device }: Registration, run: RunContext): LineContext {
  const flags = [run.flags, device.id !== 'host' && `--device ${device.id}`].filter(Boolean).join(' ');
  return { ...run, flags, device: deviceLabel(device) };
}

/** A control that is broken by what stops its kernel too says nothing of its own. */
function isStopped({ status, reason, found }: ControlResult, { gates }: Registration): boolean {
  if (status !== 'broken') return false;
  const faults = gates.flatMap(({ findings }) => findings.filter((finding) => finding.class === 'fault'));
  if (found) return faults.some(({ cause }) => isSameCause(cause, found.cause));
  const whole = gates.filter((gate) => gate.status === 'fail' && gate.findings.length === 0);
  return [...faults.map(({ what }) => what), ...whole.map((gate) => gate.reason)].includes(reason);
}

function stoppedLines(
  registration: Registration,
  { length }: readonly ControlResult[],
  context: LineContext,
): string[] {
  if (length === 0) return [];
  const name = registrationName(registration.kernel, registration.dialect);
  return [`${context.style.bad('BROKEN')}  ${name}  ${counted(length, 'control')}: stopped by what stops the kernel`];
}

/** What a check image names is where it happens in the source, and mostly why values are off: it is told before them. */
const namesSource = (finding: CaseFinding): boolean => CHECKED.some((name) => name === finding.class);
const bySource = (a: GateResult, b: GateResult): number =>
  Number(b.findings.some(namesSource)) - Number(a.findings.some(namesSource));

function verdictLines(registration: Registration, context: LineContext): string[] {
  const status = statusOf(registration);
  if (status === undefined) return [];
  if (status === 'pass') return passLines(registration, context);
  const failed = registration.gates.filter((gate) => gate.status === 'fail').toSorted(bySource);
  const notRun = registration.gates.filter((gate) => gate.status === 'not run');
  const known = registration.gates.filter((gate) => gate.status === 'known');
  return [
    ...failed.flatMap((gate) => gateLines(gate, context)),
    ...reasonLines(registration, failed, context.style.bad('FAIL'), context),
    ...reasonLines(registration, notRun, context.style.warn('NOT RUN'), context),
    ...known.flatMap((gate) => knownLines(gate, context)),
    ...(status === 'known' ? worthLines(registration, context.style) : []),
  ];
}

/** `PASS  rms_rows@cuda  host  worst 0.31 of bound  4 gates  0.42 s`. */
export function passLines(registration: Registration, { device, style }: LineContext): string[] {
  const margin = marginOf(registration);
  const worst = margin ? `worst ${share(margin.share)} of bound${wayText(margin.label)}` : 'no bounded output';
  const gates = counted(registration.gates.filter((gate) => gate.cases > 0).length, 'gate');
  const name = registrationName(registration.kernel, registration.dialect);
  const words = [style.good('PASS'), name, device, worst, gates, seconds(elapsedOf(registration))];
  return [words.join('  '), ...worthLines(registration, style)];
}

/** ` (fused)`, ` (64 lanes)`: how a case ran, where not plainly. */
function wayText(label: string): string {
  const [mode, warp] = [modeOfLabel(label), warpOfLabel(label)];
  const words = [...(warp === undefined ? [] : [`${warp} lanes`]), ...(mode === 'plain' ? [] : [mode])];
  return words.length === 0 ? '' : ` (${words.join(', ')})`;
}

/** What a verdict is worth: limits of detection, longest chains, and what is left open. */
function worthLines(registration: Registration, style: Style): string[] {
  const notes = [
    ...detectedLines(registration, style),
    ...[...chainLines(registration), ...unproven(registration)].map((note) => style.faint(note)),
  ];
  return notes.map((note) => INDENT + note);
}

/** What a pass leaves open: cases that did not run, sums that are stated and not proven, what moves nothing. */
function unproven({ gates }: Registration): string[] {
  return gates.flatMap(({ gate, notes }) =>
    notes
      .filter((note) => note.endsWith('not proven') || note.startsWith('not run') || note.startsWith('vacuous'))
      .map((note) => `${gate}: ${note}`),
  );
}

/** What findings of many cases have in common that are told once: a launch's failure, or an output that is off alike, for the same reason. */
const alike = ({ what, worst, cause, why, label }: CaseFinding): string =>
  worst === undefined ? what : [cause.code, cause.of, why, modeOfLabel(label)].join('\n');

/** Every finding of a gate; what fails the same way at many cases is told once, at the first of them. A JSON report has all. */
export function gateLines(gate: GateResult, context: LineContext): string[] {
  const findings = gate.findings.toSorted((a, b) => Number(namesSource(b)) - Number(namesSource(a)));
  const groups = Map.groupBy(findings, alike);
  return [...groups.values()].flatMap(([first, ...same]) => {
    if (!first) return [];
    const more = same.length > 0 ? [`${INDENT}The same at ${counted(same.length, 'other case')}.`] : [];
    const [head = '', ...rest] = findingLines(gate, first, context);
    return [head, ...more, ...rest];
  });
}

/** A finding at its case: what, the worst element, why it may be so, how to run it again. */
export function findingLines(gate: GateResult, finding: CaseFinding, context: LineContext): string[] {
  const address = addressText({ ...gate, label: finding.label });
  const rest = [finding.worst, finding.why].filter((text) => text !== undefined);
  const orders = finding.schedules && `--schedules ${finding.schedules.join(',')}`;
  const flags = [context.flags, orders].filter((text) => text !== undefined && text !== '').join(' ');
  return block(`${context.style.bad('FAIL')}  ${address}  ${onGpu(context)}${finding.what}`, rest, address, {
    ...context,
    flags,
  });
}

/** Gates that failed or did not run as a whole, said once for all gates of the registration that share the reason. */
export function reasonLines(
  registration: Registration,
  gates: readonly GateResult[],
  head: string,
  context: LineContext,
): string[] {
  const whole = gates.filter((gate) => gate.findings.length === 0);
  return [...Map.groupBy(whole, reasonOf)].flatMap(([reason, sharing]) => {
    const [first] = sharing;
    const name = registrationName(registration.kernel, registration.dialect);
    const address = sharing.length === 1 && first ? `${name}:${first.gate}` : name;
    const where = sharing.length === 1 ? '' : `at ${sharing.map(({ gate }) => gate).join(', ')}: `;
    return block(`${head}  ${address}  ${onGpu(context)}${where}${reason}`, [], address, context);
  });
}

const reasonOf = (gate: GateResult): string =>
  [gate.reason ?? 'no reason given', ...(gate.status === 'not run' ? gate.notes : [])].join('\n');

/** A known finding that still fails, as its contract says it must. */
export function knownLines(gate: GateResult, { device, style }: LineContext): string[] {
  const address = `${registrationName(gate.kernel, gate.dialect)}:${gate.gate}`;
  const cases = counted(new Set(gate.findings.map(({ label }) => label)).size, 'case');
  return [`${style.warn('KNOWN')}  ${address}  ${device}  still found at ${cases}: ${gate.reason ?? ''}`];
}

const CONTROL_WORDS = { red: 'RED', missed: 'MISSED', broken: 'BROKEN', 'not run': 'NOT RUN' } as const;

/** A control: its fault, then where it went red or why it did not. */
export function controlLines(control: ControlResult, context: LineContext): string[] {
  const paint = control.status === 'red' ? context.style.good : context.style.bad;
  const address = controlAddress(control.kernel, control.dialect, control.id);
  const head = `${paint(CONTROL_WORDS[control.status])}  ${address}  ${onGpu(context)}${control.fault}`;
  const why = `${control.gate} must find it; ${control.reason}`;
  if (control.status === 'red') return [head, ...indented(`red at ${control.gate}, ${control.reason}`)];
  return block(head, [why], address, context);
}

type Rerun = Pick<LineContext, 'command' | 'seed' | 'flags'>;

/** The command that runs an address again. */
export const rerunCommand = (address: string, { command = PROGRAM, seed, flags = '' }: Rerun): string =>
  [command, '--only', shellWord(address), '--seed', shellWord(seed), flags].join(' ').trimEnd();

export const rerun = (address: string, context: Rerun): string => `Rerun: ${rerunCommand(address, context)}`;

/** Which GPU a line is of; nothing where it is of the host device. */
const onGpu = ({ device }: LineContext): string => (device === 'host' ? '' : `${device}  `);

function block(head: string, rest: readonly string[], address: string, context: LineContext): string[] {
  const [first = '', ...more] = head.split('\n');
  const below = [...more, ...rest].filter((text) => text.trim() !== '');
  return [first, ...below.flatMap(indented), ...indented(rerun(address, context))];
}

const indented = (text: string): string[] => text.split('\n').map((line) => INDENT + line);

/** How the run went as a whole, the line before SUMMARY. */
export interface RunFacts {
  readonly elapsedMs: number;
  readonly referenceMs: number;
  readonly workers: number;
  readonly seed: string;
  readonly device: string;
  /** Registrations and cases that were selected, of all there are. */
  readonly selected: string;
}

/** `42.10 s, 31 % of it in float64 references; 2 workers, seed 1, device host; all 52 kernels`. */
export function closingLine({ elapsedMs, referenceMs, workers, seed, device, selected }: RunFacts): string {
  const part = elapsedMs * workers > 0 ? Math.round((100 * referenceMs) / (elapsedMs * workers)) : 0;
  const time = `${seconds(elapsedMs)}, ${part} % of the workers' time in float64 references`;
  return `${time}; ${counted(workers, 'worker')}, seed ${seed}, device ${device}; ${selected}`;
}

export const plainContext = (seed: string, device = 'host'): LineContext => ({ device, seed, style: PLAIN });
