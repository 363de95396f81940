import { describe, expect, test } from 'bun:test';
import type { ControlResult, ControlStatus, GateResult, Status } from '../../src/gates/result.ts';
import type { ModeName } from '../../src/spec/modes.ts';
import { GATES } from '../../src/spec/contract.ts';
import type { Registration } from '../../src/report/registration.ts';
import { statusOf } from '../../src/report/registration.ts';
import { exitCode, summaryLine, tallyOf } from '../../src/report/tally.ts';

const base = { kernel: 'k', dialect: 'cuda', elapsedMs: 1 } as const;
const gateOf = (status: Status): GateResult => ({
  ...base,
  kind: 'gate',
  gate: 'shapes',
  status,
  cases: 1,
  findings: [],
  notes: [],
});
const controlOf = (status: ControlStatus): ControlResult => ({
  ...base,
  kind: 'control',
  id: '1',
  fault: 'f',
  gate: 'shapes',
  status,
  reason: 'r',
});
const registration = (statuses: readonly Status[], controls: readonly ControlStatus[] = []): Registration => ({
  kernel: 'k',
  dialect: 'cuda',
  device: { id: 'host', name: 'host' },
  gates: statuses.map(gateOf),
  controls: controls.map(controlOf),
});

const quarantined: Registration = { ...registration(['not run'], ['not run']), quarantine: 'it hangs the machine' };

const tally = (...registrations: readonly Registration[]) =>
  tallyOf(registrations, {
    kernels: registrations.filter(({ gates }) => gates.length > 0).length,
    controls: registrations.reduce((sum, { controls }) => sum + controls.length, 0),
  });

describe('the worst gate decides a registration', () => {
  test.each<[Status[], Status | undefined]>([
    [['pass', 'pass'], 'pass'],
    [['pass', 'known'], 'known'],
    [['known', 'not run'], 'not run'],
    [['not run', 'fail', 'known'], 'fail'],
    [[], undefined],
  ])('%p: %p', (statuses, worst) => {
    expect(statusOf(registration(statuses))).toBe(worst as Status);
  });
});

describe('SUMMARY', () => {
  const mixed = tally(
    registration(['pass', 'pass'], ['red', 'red']),
    registration(['pass', 'fail'], ['missed']),
    registration(['known'], ['broken']),
    registration(['not run']),
  );

  test('counts every kernel and every control once', () => {
    expect(summaryLine(mixed, GATES, true)).toBe(
      'SUMMARY 4 kernels: 1 pass gates 1-4, 1 fail, 1 known findings, 1 not run; 4 controls: 2 red as planted, 1 missed, 1 broken; gate 5 not run; faults not planted (--faults)',
    );
  });

  test('adds up: its parts are its totals', () => {
    const numbers = summaryLine(mixed, GATES, true).match(
      /\d+(?= (kernels|pass|fail|known|not run|controls|red|missed|broken))/g,
    );
    const [kernels, pass, fail, known, notRun, controls, red, missed, broken] = (numbers ?? []).map(Number);
    expect((pass ?? 0) + (fail ?? 0) + (known ?? 0) + (notRun ?? 0)).toBe(kernels ?? -1);
    expect((red ?? 0) + (missed ?? 0) + (broken ?? 0)).toBe(controls ?? -1);
  });

  test('refuses to be written where a planned kernel or control is missing', () => {
    expect(() => tallyOf([registration(['pass'])], { kernels: 2, controls: 0 })).toThrow(
      '2 kernels were planned, 1 came back',
    );
    expect(() => tallyOf([registration(['pass'])], { kernels: 1, controls: 1 })).toThrow(
      '1 controls were planned, 0 came back',
    );
  });

  test('says that controls were left out', () => {
    expect(summaryLine(tally(registration(['pass'])), GATES, false)).toContain('; controls not run (--no-controls); ');
  });

  test('says which modes ran where some were left out', () => {
    const line = (modes?: readonly ModeName[]): string =>
      summaryLine(tally(registration(['pass'])), GATES, true, undefined, modes);
    expect(line(['plain', 'fused']).endsWith('; plain, fused alone (--mode)')).toBe(true);
    expect(line()).not.toContain('--mode');
  });

  test.each([
    [['shapes'], 'gate 3'],
    [['nonfinite', 'shapes'], 'gates 1, 3'],
    [['repeat', 'shapes'], 'gates 2-3'],
  ] as const)('names the gates that ran: %p', (gates, text) => {
    expect(summaryLine(tally(registration(['pass'])), gates, true)).toContain(`1 pass ${text},`);
  });
});

describe('the exit code', () => {
  test.each<[string, Registration[], 0 | 1]>([
    ['everything as promised', [registration(['pass'], ['red'])], 0],
    ['a known finding that is still found', [registration(['known'], ['red'])], 0],
    ['controls alone, all red', [registration([], ['red'])], 0],

    ['a failed gate', [registration(['pass'], ['red']), registration(['fail'])], 1],
    ['a gate that did not run', [registration(['pass', 'not run'])], 1],
    ['a missed control', [registration(['pass'], ['red', 'missed'])], 1],
    ['a broken control', [registration(['pass'], ['broken'])], 1],
    ['controls that the device cannot show beside one that it does', [registration(['pass'], ['red', 'not run'])], 0],
    ['nothing but controls that the device cannot show', [registration([], ['not run'])], 1],
    ['a kernel that is kept from the chip beside one that passes', [quarantined, registration(['pass'])], 0],
    ['nothing but a kernel that is kept from the chip', [quarantined], 1],
    ['nothing at all', [], 1],
  ])('of %s', (_, registrations, code) => {
    expect(exitCode(tally(...registrations))).toBe(code);
  });
});
