/** A report test by test, as other programs list results: a suite for each registration, a test for each gate and each control. */
import type { Dialect } from '../families/formula/functions.ts';
import type { CaseFinding, ControlResult, GateResult } from '../gates/result.ts';
import { controlAddress } from '../spec/address.ts';
import { registrationName } from '../spec/registration.ts';
import { registrationsOf } from './json.ts';
import { verdictLines } from './limits.ts';
import type { LineContext } from './lines.ts';
import { contextOf, controlLines, gateLines, reasonLines } from './lines.ts';
import type { Registration } from './registration.ts';
import type { Report } from './schema.ts';
import { PLAIN } from './style.ts';
import { counted, partialText } from './words.ts';

/** pass: as promised. fail: the kernel is not. broken: what should prove it is not. skip: did not run, or is known. */
export type Outcome = 'pass' | 'fail' | 'broken' | 'skip';

export interface Test {
  /** Unique within its suite. */
  readonly name: string;
  readonly address: string;
  readonly outcome: Outcome;
  /** What kind of failure or reason: the code of a finding's cause, `missed`, `known`. */
  readonly kind: string;
  /** One line: what is wrong, or why it did not run. */
  readonly title: string;
  /** All lines of it. */
  readonly text: string;
  /** The source lines that the finding names. */
  readonly lines?: readonly string[];
  readonly elapsedMs: number;
}

export interface Suite {
  readonly name: string;
  readonly kernel: string;
  readonly dialect?: Dialect;
  /** The id of the device that it ran on; gate 5 needs none. */
  readonly device?: string;
  readonly tests: readonly Test[];
}

/** A test with the suite that it is in. */
export interface Placed {
  readonly suite: Suite;
  readonly test: Test;
}

/** The tests that are wanted. Launches that fail alike on several chips, as all of a kernel do that is stale, are told as one. */
export function placedTests(report: Report, wanted: (test: Test) => boolean): Placed[] {
  const tests = suitesOf(report).flatMap((suite) => suite.tests.filter(wanted).map((test) => ({ suite, test })));
  const alike = ({ suite, test }: Placed, i: number): unknown =>
    test.address.includes(':limits:') ? `${suite.name} ${test.kind}` : i;
  return [...Map.groupBy(tests, alike).values()].flatMap(([first, ...others]) => {
    if (!first) return [];
    const more = others.length > 0 ? `, and ${counted(others.length, 'other')} alike` : '';
    const text = [first.test.text, ...others.map(({ test }) => test.text)].join('\n');
    return [{ ...first, test: { ...first.test, title: first.test.title + more, text } }];
  });
}

/** Of a partial run, that it is; then registrations in their order, then gate 5: its launches by registration, and its own controls. */
export function suitesOf(report: Report): Suite[] {
  const context = { seed: report.seed, ...(report.flags !== undefined && { flags: report.flags }), style: PLAIN };
  return [
    ...partialSuites(report),
    ...registrationsOf(report).map((registration) => registrationSuite(registration, contextOf(registration, context))),
    ...limitSuites(report),
  ];
}

function registrationSuite(registration: Registration, context: LineContext): Suite {
  const { kernel, dialect, device, gates, controls } = registration;
  return {
    name: `${registrationName(kernel, dialect)}/${device.id}`,
    kernel,
    dialect,
    device: device.id,
    tests: [
      ...gates.map((gate) => gateTest(registration, gate, context)),
      ...controls.map((control) => controlTest(control, context)),
    ],
  };
}

const firstLine = (text: string): string => text.split('\n')[0] ?? '';

function gateTest(registration: Registration, gate: GateResult, context: LineContext): Test {
  const { status, findings, elapsedMs } = gate;
  const address = `${registrationName(gate.kernel, gate.dialect)}:${gate.gate}`;
  const test = { name: gate.gate, address, elapsedMs };
  const [first] = findings;
  const reason = gate.reason ?? gate.notes[0] ?? 'no reason given';
  if (status === 'pass') return { ...test, outcome: 'pass', kind: status, title: '', text: '' };
  if (status !== 'fail') return { ...test, outcome: 'skip', kind: status, title: firstLine(reason), text: reason };
  const lines = [...gateLines(gate, context), ...reasonLines(registration, [gate], 'FAIL', context)];
  return {
    ...test,
    outcome: 'fail',
    kind: first?.cause.code ?? 'fail',
    title: firstLine(first ? findingsTitle(first, findings) : reason),
    text: lines.join('\n'),
    ...(first?.cause.lines && { lines: first.cause.lines }),
  };
}

function findingsTitle({ what, label }: CaseFinding, findings: readonly CaseFinding[]): string {
  const others = new Set(findings.map((finding) => finding.label)).size - 1;
  return `${what} at ${label}${others > 0 ? `, and at ${counted(others, 'other case')}` : ''}`;
}

const CONTROL_OUTCOMES = { red: 'pass', missed: 'fail', broken: 'broken', 'not run': 'skip' } as const;

function controlTest(control: ControlResult, context: LineContext): Test {
  const { kernel, dialect, id, fault, gate, status, reason, elapsedMs } = control;
  const outcome = CONTROL_OUTCOMES[status];
  return {
    name: `control ${id}: ${fault}`,
    address: controlAddress(kernel, dialect, id),
    outcome,
    kind: status,
    title: outcome === 'pass' ? '' : firstLine(`${status}: ${gate} must find '${fault}'; ${reason}`),
    text: outcome === 'pass' ? '' : controlLines(control, context).join('\n'),
    elapsedMs,
  };
}

/** A run that is not whole is red wherever it is read: what did not run is skipped, and would not be. */
function partialSuites({ partial }: Report): Suite[] {
  if (!partial) return [];
  const title = `partial: ${partialText(partial)}`;
  const test = { name: 'whole', address: 'run', outcome: 'broken', kind: 'partial', title, text: title } as const;
  return [{ name: 'run', kernel: 'run', tests: [{ ...test, elapsedMs: 0 }] }];
}

function limitSuites({ limits }: Report): Suite[] {
  if (!limits) return [];
  const launches = Map.groupBy(limits.verdicts, ({ kernel, dialect }) => registrationName(kernel, dialect));
  const suites = [...launches].map(([name, [first, ...rest]]): Suite[] => {
    if (!first) return [];
    const { kernel, dialect } = first;
    return [{ name: `${name}/records`, kernel, dialect, tests: [first, ...rest].map(launchTest) }];
  });
  const tests = [...limits.controls.map(limitControlTest), ...limits.problems.map(recordTest)];
  return [...suites.flat(), ...(tests.length > 0 ? [{ name: 'limits/records', kernel: 'limits', tests }] : [])];
}

type Launch = NonNullable<Report['limits']>['verdicts'][number];

const LAUNCH_OUTCOMES = {
  fits: 'pass',
  tight: 'pass',
  'does not fit': 'fail',
  stale: 'fail',
  pending: 'skip',
} as const;

function launchTest(verdict: Launch): Test {
  const { kernel, dialect, symbol, defines, chip, status, problems, set } = verdict;
  const outcome = LAUNCH_OUTCOMES[status];
  const what = problems.map(({ limit, what: sum, at }) => `${limit}${at === undefined ? '' : ` at ${at}`}: ${sum}`);
  const pending = `no record of ${chip} by ${set ?? 'any compiler'}: this launch was not judged`;
  const title = outcome === 'skip' ? pending : outcome === 'pass' ? '' : (what[0] ?? status);
  return {
    name: ['limits', chip, symbol, defines, set].filter(Boolean).join(' '),
    address: `${registrationName(kernel, dialect)}:limits:${chip}`,
    outcome,
    kind: status,
    title: firstLine(title),
    text: outcome === 'fail' ? verdictLines(verdict, PLAIN).join('\n') : title,
    elapsedMs: 0,
  };
}

function limitControlTest({ id, fault, status, reason }: NonNullable<Report['limits']>['controls'][number]): Test {
  const outcome = CONTROL_OUTCOMES[status];
  const text = outcome === 'pass' ? '' : `${status}: ${reason}`;
  const address = `limits!${id}`;
  return {
    name: `control ${id}: ${fault}`,
    address,
    outcome,
    kind: status,
    title: firstLine(text),
    text,
    elapsedMs: 0,
  };
}

function recordTest(problem: string, i: number): Test {
  const test = { name: `record ${i + 1}`, address: 'limits', kind: 'record', elapsedMs: 0 };
  return { ...test, outcome: 'fail', title: firstLine(problem), text: problem };
}
