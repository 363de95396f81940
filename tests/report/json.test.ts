import { describe, expect, test } from 'bun:test';
import type { ReportHead } from '../../src/report/schema.ts';
import { readReport, registrationsOf, reportOf, reportText } from '../../src/report/json.ts';
import { SCHEMA_VERSION } from '../../src/report/schema.ts';
import type { Registration } from '../../src/report/registration.ts';

const head: ReportHead = {
  program: { version: '0.1.0', commit: 'abc1234', platform: 'linux-x64', sources: 'abc' },
  started: '2026-01-02T03:04:05.678Z',
  files: {},
  plan: { hash: 'h', kernels: 1, controls: 1, units: [] },
  devices: [{ id: 'host', name: 'host', dialects: ['hip'] }],
  seed: '1',
  gates: ['shapes'],
  only: [],
  withControls: true,
  workers: 2,
  elapsedMs: 10,
  referenceMs: 1,
  summary: 'SUMMARY',
  exitCode: 1,
};

const base = { kernel: 'k', dialect: 'hip', gate: 'shapes', elapsedMs: 1 } as const;
const registration: Registration = {
  kernel: 'k',
  dialect: 'hip',
  device: { id: 'host', name: 'host' },
  gates: [
    {
      ...base,
      kind: 'gate',
      status: 'fail',
      cases: 1,
      findings: [{ class: 'value', cause: { code: 'value', of: 'y' }, what: 'wrong', worst: 'y[0]', label: 'rows=1' }],
      margin: { share: Infinity, where: 'y[0]', label: 'rows=1' },
      notes: ['a note'],
    },
  ],
  controls: [{ ...base, kind: 'control', id: '1', fault: 'f', status: 'missed', reason: 'green' }],
};

test('a report is read back as it was written', () => {
  const report = reportOf(head, [registration]);
  expect(readReport(reportText(report))).toEqual(report);
  expect(report.schema).toBe(SCHEMA_VERSION);
  expect(report.registrations[0]?.status).toBe('fail');
  expect(report.registrations[0]?.gates[0]?.findings[0]).toEqual({
    case: 'rows=1',
    class: 'value',
    cause: { code: 'value', of: 'y' },
    what: 'wrong',
    worst: 'y[0]',
  });
});

test('what a control was found as comes back, and a cause of another class is refused', () => {
  const found = { label: 'rows=1', class: 'race', cause: { code: 'race', lines: ['a.cu:1', 'a.cu:3'] } } as const;
  const controls = registration.controls.map((control) => ({ ...control, status: 'red', found }) as const);
  const report = reportOf(head, [{ ...registration, controls }]);
  expect(registrationsOf(readReport(reportText(report)))[0]?.controls[0]?.found).toEqual(found);
  const other = reportText(report).replaceAll('"code": "race"', '"code": "bounds"');
  expect(() => readReport(other)).toThrow('the cause is of another class');
});

test('the results come back as the run had them, endless shares and what a driver tells too', () => {
  const loaded = [{ symbol: 'tf_k', defines: { WIDTH: 8 }, attributes: { registers: 32 } }];
  const errors = [{ label: 'rows=1', share: Infinity }];
  const [gate] = registration.gates;
  const whole: Registration = { ...registration, gates: [{ ...gate!, loaded, errors }] };
  const { device } = registration;
  const report = reportOf({ ...head, devices: [{ ...device, dialects: ['hip'] }] }, [whole]);
  expect(registrationsOf(readReport(reportText(report)))).toEqual([whole]);
});

test('what a gate would have caught, and the chains that it found, are told at their cases', () => {
  const [gate] = registration.gates;
  if (!gate) throw new Error('no gate');
  const limit = { ulps: 1, bounds: 2 };
  const outputs = [
    { output: 'y', outputs: 3, blind: 0, least: limit, median: limit, worst: { ...limit, where: 'y[0]' } },
  ];
  const sums = [{ sum: 'sum(x)', terms: 8, lost: 0.5 }];
  const chains = [{ symbol: 'tf_k', sum: 'sum(x)', terms: 8, declared: 7, longest: 7 }];
  const told = { detected: [{ outputs, sums }], chains };
  const label = 'rows=1';
  const full = {
    ...gate,
    sees: 'ranges',
    detected: [{ outputs, sums, label }],
    chains: [{ ...told.chains[0]!, label }],
  } as const;
  const report = reportOf(head, [{ ...registration, gates: [full] }]);
  expect(report.registrations[0]?.gates[0]).toMatchObject({
    sees: 'ranges',
    detected: [{ case: label, outputs, sums }],
    chains: [{ case: label, ...chains[0] }],
  });
  expect(readReport(reportText(report))).toEqual(report);
});

test('a share that JSON has no number for is null, not a lost field', () => {
  expect(reportOf(head, [registration]).registrations[0]?.gates[0]?.margin?.share).toBeNull();
});

test('a report of another version, or with a field too many, is refused', () => {
  const report = reportOf(head, []);
  expect(() => readReport(JSON.stringify({ ...report, schema: SCHEMA_VERSION + 1 }))).toThrow();
  expect(() => readReport(JSON.stringify({ ...report, more: 1 }))).toThrow();
});

describe('gate 5', () => {
  const verdict = {
    kernel: 'k',
    dialect: 'cuda',
    symbol: 'tf_k',
    chip: 'sm_80',
    status: 'does not fit',
    problems: [{ limit: 'threads', what: '2,048 > 1,024 threads of sm_80', at: 'rows=1' }],
    shapes: ['rows=1'],
    set: 'nvcc-13.0',
  } as const;
  const control = { id: 'c', fault: 'f', dialect: 'cuda', status: 'red', reason: 'r' } as const;

  test('is absent where it was not asked for', () => {
    expect(Object.keys(reportOf(head, []))).not.toContain('limits');
  });

  test('is read back as it was written', () => {
    const limits = { verdicts: [verdict], controls: [control], problems: ['a record is broken'] };
    const report = reportOf(head, [], limits);
    expect(report.limits as unknown).toEqual(limits);
    expect(readReport(reportText(report))).toEqual(report);
  });
});
