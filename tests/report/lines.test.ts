import { describe, expect, test } from 'bun:test';
import { findingOf } from '../../src/gates/finding.ts';
import type { CaseFinding, ControlResult, GateResult } from '../../src/gates/result.ts';
import { closingLine, controlLines, plainContext, registrationLines, rerun } from '../../src/report/lines.ts';
import type { Registration } from '../../src/report/registration.ts';
import { share } from '../../src/report/words.ts';

const context = plainContext('7');

const gate = (part: Partial<GateResult> = {}): GateResult => ({
  kind: 'gate',
  kernel: 'rms_rows',
  dialect: 'cuda',
  gate: 'shapes',
  status: 'pass',
  cases: 3,
  findings: [],
  notes: [],
  elapsedMs: 100,
  ...part,
});

const control = (part: Partial<ControlResult> = {}): ControlResult => ({
  kind: 'control',
  kernel: 'rms_rows',
  dialect: 'cuda',
  id: '2',
  fault: 'the mean is over threads',
  gate: 'shapes',
  status: 'red',
  reason: 'rows=1,width=8: value: 1 of 8 outputs past the bound',
  elapsedMs: 5,
  ...part,
});

const registration = (gates: readonly GateResult[], controls: readonly ControlResult[] = []): Registration => ({
  kernel: 'rms_rows',
  dialect: 'cuda',
  device: { id: 'host', name: 'host' },
  gates,
  controls,
});

const lines = (gates: readonly GateResult[], controls: readonly ControlResult[] = []): string[] =>
  registrationLines(registration(gates, controls), context);

const finding: CaseFinding = {
  class: 'value',
  cause: { code: 'value', of: 'y' },
  what: '3 of 34,952 outputs past the bound',
  worst: 'y[16, 2055]  got 0.8164 (0x3f51)  want 0.9023 (0x3f67)  bound 0.0035  24.4x',
  why: 'The last output of a partial tail: width is a tile (2,048) plus a step (8).',
  label: 'rows=17,width=2056',
};

describe('a passing registration', () => {
  test('tells the real longest chain of each route, and why one is not known', () => {
    const chain = { label: 'rows=1', sum: 'sum(x)', terms: 40, declared: 12 };
    const chains = [
      { ...chain, symbol: 'tf_a', longest: 9 },
      { ...chain, symbol: 'tf_a', longest: 11, longer: { at: 'rows=9', declared: 44, least: 43 } },
      { ...chain, symbol: 'tf_b', why: 'it is hidden' },
    ];
    expect(lines([gate({ gate: 'sums', chains })])[1]).toBe(
      '      longest chains: tf_a 11 of 12 declared, at least 43 of 44 at rows=9; tf_b not known of sum(x): it is hidden',
    );
  });

  test('tells what its gates would still have caught, at the case that is the worst, and what they are blind to', () => {
    const limit = (ulps: number) => ({ ulps, bounds: 2 });
    const at = (label: string, ulps: number, blind: number, lost?: number) => ({
      label,
      outputs: [
        {
          output: 'y',
          outputs: 8,
          blind,
          least: limit(1),
          median: limit(ulps),
          worst: { ...limit(40), where: 'y[0]' },
        },
      ],
      sums: [
        { sum: 'sum(a)', terms: 2048, lost: 0.5 },
        { sum: 'sum(b)', terms: 2048, ...(lost !== undefined && { lost }) },
      ],
    });
    const detected = [at('rows=1', 1.5, 0, 30), at('rows=2', 3, 5)];
    expect(lines([gate({ detected: detected.slice(0, 1) })]).slice(1)).toEqual([
      '      shapes would catch 1.5 ulps of y at the median output, 40 at the worst; the loss of 30 of 2,048 terms of sum(b)',
    ]);
    expect(lines([gate({ detected })]).slice(1)).toEqual([
      '      shapes would catch 3 ulps of y at the median output, 40 at the worst; no loss of terms of sum(b)',
      '      shapes would pass an error of half the output at 62 % of y (rows=2)',
      '      shapes would pass without any term of sum(b) (rows=2)',
    ]);
  });

  test('is one line with its worst margin, its gates and its time', () => {
    const margin = (share: number) => ({ share, where: 'y[0]', label: 'rows=1' });
    const gates = [
      gate({ gate: 'repeat', elapsedMs: 320 }),
      gate({ margin: margin(0.31) }),
      gate({ gate: 'sums', margin: margin(0.2), elapsedMs: 0 }),
    ];
    expect(lines(gates)).toEqual(['PASS  rms_rows@cuda  host  worst 0.31 of bound  3 gates  0.42 s']);
  });

  test('says so where no output has a bound, and does not count a gate without cases', () => {
    const gates = [gate(), gate({ gate: 'sums', cases: 0, reason: 'nothing is summed' })];
    expect(lines(gates)).toEqual(['PASS  rms_rows@cuda  host  no bounded output  1 gate  0.20 s']);
  });

  test('tells what it leaves open, and not what it proves', () => {
    const notes = [
      'f16 sums miss by 300x the bound at least (chain): proven',
      'bf16 sums miss by 2x the bound at least (lanes): stated, not proven',
    ];
    const [, ...more] = lines([gate({ gate: 'sums', notes })]);
    expect(more).toEqual(['      sums: bf16 sums miss by 2x the bound at least (lanes): stated, not proven']);
  });

  test('a small share is not rounded to nothing', () => {
    const [line] = lines([gate({ margin: { share: 0.0012, where: 'y[0]', label: 'rows=1' } })]);
    expect(line).toContain('worst 0.0012 of bound');
    const words = [1, 0.998, 0.99999, 1.00002, 1 - 2 ** -40, 0.5].map(share);
    expect(words).toEqual(['1', '0.998', '0.99999', '1.00002', 'just under 1', '0.50']);
  });
});

describe('a failing registration', () => {
  test('prints every finding with its address, worst element, reason and command', () => {
    expect(
      lines([
        gate({
          status: 'fail',
          findings: [finding, { ...findingOf({ code: 'guard', of: 'y' }, '1 guard byte'), label: 'rows=1' }],
        }),
      ]),
    ).toEqual([
      'FAIL  rms_rows@cuda:shapes:rows=17,width=2056  3 of 34,952 outputs past the bound',
      '      y[16, 2055]  got 0.8164 (0x3f51)  want 0.9023 (0x3f67)  bound 0.0035  24.4x',
      '      The last output of a partial tail: width is a tile (2,048) plus a step (8).',
      '      Rerun: tf-kernel-contract --only rms_rows@cuda:shapes:rows=17,width=2056 --seed 7',
      'FAIL  rms_rows@cuda:shapes:rows=1  1 guard byte',
      '      Rerun: tf-kernel-contract --only rms_rows@cuda:shapes:rows=1 --seed 7',
    ]);
  });

  test('tells an output that is off alike at many shapes once, and apart what is off for another reason', () => {
    const at = (label: string, why: string): CaseFinding => ({ ...finding, label, why });
    const findings = [at('rows=1', 'a'), at('rows=2', 'a'), at('rows=3', 'b'), at('rows=4', 'a')];
    const printed = lines([gate({ status: 'fail', findings })]);
    expect(printed.filter((line) => !line.includes('Rerun'))).toEqual([
      'FAIL  rms_rows@cuda:shapes:rows=1  3 of 34,952 outputs past the bound',
      '      The same at 2 other cases.',
      '      y[16, 2055]  got 0.8164 (0x3f51)  want 0.9023 (0x3f67)  bound 0.0035  24.4x',
      '      a',
      'FAIL  rms_rows@cuda:shapes:rows=3  3 of 34,952 outputs past the bound',
      '      y[16, 2055]  got 0.8164 (0x3f51)  want 0.9023 (0x3f67)  bound 0.0035  24.4x',
      '      b',
    ]);
  });

  test('tells what a check image names before the values that are off', () => {
    const race = { ...findingOf({ code: 'race', lines: ['rms_rows.cu:9'] }, 'a race'), label: 'rows=1,mode=check' };
    const other = { ...findingOf({ code: 'other-order', of: 'y' }, '2 outputs differ'), label: 'rows=1' };
    const printed = lines([
      gate({ gate: 'nonfinite', status: 'fail', findings: [finding] }),
      gate({ gate: 'repeat', status: 'fail', findings: [other, race] }),
    ]);
    expect(printed.filter((line) => line.startsWith('FAIL')).map((line) => line.split(':')[1])).toEqual([
      'repeat',
      'repeat',
      'nonfinite',
    ]);
    expect(printed[0]).toContain('a race');
  });

  test('says a compiler error once for all the gates that it stops', () => {
    const reason = 'kernels/rms_rows/rms_rows.cu does not compile:\nrms_rows.cu:3:1: error: no';
    const stopped = { status: 'fail', cases: 0, reason } as const;
    expect(lines([gate({ gate: 'repeat', ...stopped }), gate(stopped)])).toEqual([
      'FAIL  rms_rows@cuda  at repeat, shapes: kernels/rms_rows/rms_rows.cu does not compile:',
      '      rms_rows.cu:3:1: error: no',
      '      Rerun: tf-kernel-contract --only rms_rows@cuda --seed 7',
    ]);
  });

  test('tells a launch that fails alike at many cases once, and its controls with it', () => {
    const what = 'divergence: the group waits apart';
    const cause = { code: 'divergence', lines: ['rms_rows.cu:9'] } as const;
    const found = { label: 'rows=1', class: 'fault', cause } as const;
    const fault = (label: string): CaseFinding => ({ ...findingOf(cause, what), label });
    const failed = gate({ status: 'fail', findings: [fault('rows=1'), fault('rows=2'), finding, fault('rows=3')] });
    const broken = [
      control({ status: 'broken', reason: `it must be found as 'value', but at rows=1: fault: ${what}`, found }),
      control({ status: 'broken', id: '3', reason: 'its cuda edit matches 0 places, not 1: x' }),
    ];
    const told = lines([failed], broken);
    expect(told.slice(0, 3)).toEqual([
      'FAIL  rms_rows@cuda:shapes:rows=1  divergence: the group waits apart',
      '      The same at 2 other cases.',
      '      Rerun: tf-kernel-contract --only rms_rows@cuda:shapes:rows=1 --seed 7',
    ]);
    expect(told.filter((line) => line.startsWith('FAIL'))).toHaveLength(2);
    expect(told.filter((line) => line.startsWith('BROKEN'))).toEqual([
      'BROKEN  rms_rows@cuda  1 control: stopped by what stops the kernel',
      'BROKEN  rms_rows@cuda!3  the mean is over threads',
    ]);
  });

  test('a known finding that passes is a failure that says what to remove', () => {
    const reason = "the known finding passes now: remove the entry 'relu by fmax' from the contract";
    expect(lines([gate({ status: 'fail', reason })])).toEqual([
      `FAIL  rms_rows@cuda:shapes  ${reason}`,
      '      Rerun: tf-kernel-contract --only rms_rows@cuda:shapes --seed 7',
    ]);
  });
});

describe('neither pass nor fail', () => {
  test('a known finding is a line of its own', () => {
    const known = gate({
      status: 'known',
      findings: [finding, finding],
      reason: 'relu by fmax (https://example.org/1)',
    });
    expect(lines([gate({ gate: 'repeat' }), known])).toEqual([
      'KNOWN  rms_rows@cuda:shapes  host  still found at 1 case: relu by fmax (https://example.org/1)',
    ]);
    const chain = { label: 'rows=1', sum: 'sum(x)', symbol: 'tf_a', terms: 40, declared: 12, longest: 11 };
    expect(lines([gate({ gate: 'sums', chains: [chain] }), known])[1]).toBe(
      '      longest chain: tf_a 11 of 12 declared',
    );
  });

  test('a gate that did not run gives its reason, though others passed', () => {
    const gates = [
      gate({ gate: 'repeat' }),
      gate({ status: 'not run', cases: 0, reason: 'no case fits the device', notes: ['not run at rows=1: no memory'] }),
    ];
    expect(lines(gates)).toEqual([
      'NOT RUN  rms_rows@cuda:shapes  no case fits the device',
      '      not run at rows=1: no memory',
      '      Rerun: tf-kernel-contract --only rms_rows@cuda:shapes --seed 7',
    ]);
  });
});

describe('controls', () => {
  test('a red one is silent beside its kernel, and speaks where it was asked for alone', () => {
    expect(lines([gate()], [control()])).toHaveLength(1);
    expect(lines([], [control()])).toEqual([
      'RED  rms_rows@cuda!2  the mean is over threads',
      '      red at shapes, rows=1,width=8: value: 1 of 8 outputs past the bound',
    ]);
  });

  test.each(['missed', 'broken'] as const)('a %s one says what must find it, and how to run it again', (status) => {
    const told = controlLines(control({ status, reason: 'shapes stayed green on every case' }), context);
    expect(told).toEqual([
      `${status.toUpperCase()}  rms_rows@cuda!2  the mean is over threads`,
      '      shapes must find it; shapes stayed green on every case',
      "      Rerun: tf-kernel-contract --only 'rms_rows@cuda!2' --seed 7",
    ]);
  });
});

test('a command quotes what a shell would take apart', () => {
  expect(rerun("a'b*", { seed: '1' })).toBe("Rerun: tf-kernel-contract --only 'a'\\''b*' --seed 1");
});

test('a command is the one that the context says the program is called by', () => {
  const [, , rerun] = controlLines(control({ status: 'missed' }), { ...context, command: 'npm start --' });
  expect(rerun).toBe("      Rerun: npm start -- --only 'rms_rows@cuda!2' --seed 7");
});

test('the line before SUMMARY has time, share of references, workers, seed and device', () => {
  const facts = {
    elapsedMs: 42_100,
    referenceMs: 21_050,
    workers: 2,
    seed: '7',
    device: 'host',
    selected: 'all 52 kernels',
  };
  expect(closingLine(facts)).toBe(
    "42.10 s, 25 % of the workers' time in float64 references; 2 workers, seed 7, device host; all 52 kernels",
  );
});
