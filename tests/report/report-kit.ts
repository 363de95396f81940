/** A small report with one of everything that can come of a run. */
import type { CaseFinding, ControlResult, GateResult } from '../../src/gates/result.ts';
import type { LimitsResults } from '../../src/report/json.ts';
import { reportOf } from '../../src/report/json.ts';
import type { Registration } from '../../src/report/registration.ts';
import type { Report, ReportHead, ReportPlan } from '../../src/report/schema.ts';
import { LIMITS_UNIT, unitText } from '../../src/report/schema.ts';

/** What a report's results are of, as a plan that ran whole. */
export function planOf(rows: readonly Registration[], withLimits = false): ReportPlan {
  const gatesOf = ({ gates, controls }: Registration) => [...gates, ...controls].map(({ gate: name }) => name);
  const units = rows.flatMap((row) => gatesOf(row).map((name) => unitText(row.kernel, name, row.device.id)));
  return {
    hash: 'cafe',
    kernels: rows.filter(({ gates }) => gates.length > 0).length,
    controls: rows.reduce((sum, { controls }) => sum + controls.length, 0),
    units: [...new Set([...units, ...(withLimits ? [LIMITS_UNIT] : [])])].map((unit) => ({ unit, shard: 1 })),
  };
}

export const head: ReportHead = {
  program: { version: '0.1.0', commit: 'abc1234', platform: 'linux-x64', sources: 'f00d' },
  started: '2026-01-02T03:04:05.678Z',
  devices: [{ id: 'host', name: 'host', dialects: ['cuda', 'hip'] }],
  seed: '7',
  gates: ['nonfinite', 'shapes'],
  only: [],
  withControls: true,
  files: {
    'rms_rows@cuda': {
      contract: 'kernels/rms_rows/rms_rows.contract.ts',
      source: 'kernels/rms_rows/rms_rows.cu',
      line: 12,
    },
  },
  plan: planOf([]),
  workers: 2,
  elapsedMs: 1500,
  referenceMs: 100,
  summary: 'SUMMARY of the kit',
  exitCode: 1,
};

const base = { kernel: 'rms_rows', dialect: 'cuda' } as const;

export const finding: CaseFinding = {
  class: 'value',
  cause: { code: 'value', of: 'y' },
  what: '3 of 34,952 outputs past the bound',
  worst: 'y[16, 2055]  got 0.8164 (0x3f51)  want 0.9023 (0x3f67)  bound 0.0035  24.4x',
  times: 24.4,
  why: 'width is a tile (2048) plus a step (8).',
  label: 'rows=17,width=2056',
};

export const gate = (part: Partial<GateResult> = {}): GateResult => ({
  kind: 'gate',
  ...base,
  gate: 'shapes',
  status: 'pass',
  cases: 3,
  findings: [],
  notes: [],
  elapsedMs: 250,
  ...part,
});

export const control = (part: Partial<ControlResult> = {}): ControlResult => ({
  kind: 'control',
  ...base,
  id: '1',
  fault: 'the mean is over the threads',
  gate: 'shapes',
  status: 'red',
  reason: 'rows=1,width=8: value: 1 of 8 outputs past the bound',
  elapsedMs: 5,
  ...part,
});

export const registration = (gates: readonly GateResult[], controls: readonly ControlResult[] = []): Registration => ({
  ...base,
  device: { id: 'host', name: 'host' },
  gates,
  controls,
});

const onHip = { dialect: 'hip' } as const;

/** A failed gate beside one that passed, controls of every status, a known finding, a gate that did not run. */
export const registrations: readonly Registration[] = [
  registration(
    [
      gate({ gate: 'nonfinite', margin: { share: 0.25, where: 'y[0]', label: 'rows=1' } }),
      gate({ status: 'fail', findings: [finding] }),
    ],
    [
      control(),
      control({ id: '2', status: 'missed', reason: 'shapes stayed green on every case' }),
      control({ id: '3', status: 'broken', reason: 'the edit matches twice' }),
      control({ id: '4', status: 'not run', reason: 'no device' }),
    ],
  ),
  {
    ...registration([
      gate({ ...onHip, gate: 'nonfinite', status: 'known', reason: 'rows of 0 (link)', findings: [finding] }),
      gate({ ...onHip, status: 'not run', reason: 'cases that do not fit: 2 of 9' }),
    ]),
    ...onHip,
  },
];

const launch = { ...base, symbol: 'tf_rms_rows', set: 'nvcc-13.0', shapes: ['rows=1'] };

export const limits: LimitsResults = {
  verdicts: [
    { ...launch, chip: 'sm_80', status: 'fits', problems: [] },
    {
      ...launch,
      chip: 'sm_90',
      status: 'tight',
      problems: [],
      near: { limit: 'registers', used: 0.95, what: '60 of 64' },
    },
    {
      ...launch,
      chip: 'sm_120',
      status: 'does not fit',
      problems: [{ limit: 'threads', what: '2,048 > 1,024 threads of sm_120', at: 'rows=1' }],
    },
    { ...launch, chip: 'sm_121', status: 'pending', problems: [] },
  ],
  controls: [
    { id: 'cuda-threads', fault: 'too many threads', dialect: 'cuda', status: 'red', reason: 'threads' },
    { id: 'cuda-local', fault: 'too much local memory', dialect: 'cuda', status: 'missed', reason: 'it fits' },
  ],
  problems: ['records/nvcc-13.0.jsonl:3 is no record'],
};

export const report: Report = reportOf({ ...head, plan: planOf(registrations, true) }, registrations, limits);

/** The same with a text of somebody else's in every place that takes one. */
export function hostile(text: string): Report {
  const found = { ...finding, what: text, worst: text, why: text };
  const bad = registration(
    [
      gate({ status: 'fail', findings: [found], reason: text }),
      gate({ gate: 'sums', status: 'not run', reason: text }),
    ],
    [control({ id: text, fault: text, status: 'missed', reason: text })],
  );
  return reportOf({ ...head, summary: text, files: {} }, [{ ...bad, gates: bad.gates }], {
    ...limits,
    problems: [text],
  });
}
