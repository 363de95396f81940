import { describe, expect, test } from 'bun:test';
import { listLines } from '../../src/cli/list.ts';
import type { Plan } from '../../src/cli/plan.ts';
import { planOf } from '../../src/cli/plan.ts';
import { sequenceOf } from '../../src/cli/sequence.ts';
import type { RunDevice } from '../../src/device/run-device.ts';
import { HOST, hostFor } from '../../src/device/run-device.ts';
import { DIALECTS } from '../../src/families/formula/functions.ts';
import type { JobDone } from '../../src/gates/lanes/lane.ts';
import type { RunOptions } from '../../src/gates/run.ts';
import type { Result } from '../../src/gates/result.ts';
import { GATES } from '../../src/spec/contract.ts';
import { readListing } from '../../src/spec/listing.ts';
import { MODES } from '../../src/spec/modes.ts';
import { loadKernels } from '../../src/spec/load.ts';

const kernels = loadKernels(await readListing());
const everything: RunOptions = {
  seed: '1',
  limitMs: 1000,
  only: [],
  gates: GATES,
  dialects: DIALECTS,
  modes: MODES,
  devices: [HOST],
  controls: true,
  jobs: 2,
};
const plan = (part: Partial<RunOptions>): Plan => planOf(kernels, { ...everything, ...part });
const names = ({ registrations }: Plan): string[] =>
  registrations.map(({ kernel, dialect }) => `${kernel.name}@${dialect}`);

describe('a plan', () => {
  test('without filters holds every kernel in every dialect, with all of its controls', () => {
    const all = plan({});
    expect(names(all)).toEqual(
      kernels.flatMap(({ name, dialects }) => dialects.map((dialect) => `${name}@${dialect}`)),
    );
    const planned = all.registrations.reduce((sum, { controls }) => sum + controls.length, 0);
    expect(planned).toBe(
      kernels.flatMap(({ controls }) => controls.map(({ dialects }) => dialects.length)).reduce((a, b) => a + b, 0),
    );
  });

  test('for one case address holds that case alone, and no control', () => {
    const [first] = plan({ only: ['row_sum@cuda:shapes:'] }).registrations[0]?.cases ?? [];
    const { registrations, jobs } = plan({ only: [first ?? ''] });
    expect(registrations).toHaveLength(1);
    expect(registrations[0]).toMatchObject({ gates: ['shapes'], controls: [] });
    expect(jobs).toEqual([{ kernel: 'row_sum', gate: 'shapes', device: 'host' }]);
  });

  test('for a gate of a kernel brings the controls that must redden it', () => {
    const [registration] = plan({ only: ['row_sum@cuda:repeat'] }).registrations;
    expect(registration?.gates).toEqual(['repeat']);
    expect(registration?.controls.length).toBeGreaterThan(0);
    expect(registration?.controls.every(({ reddens }) => reddens === 'repeat')).toBe(true);
  });

  test('for a control address holds that control without its kernel', () => {
    const { registrations, jobs } = plan({ only: ['row_sum@cuda!standing3'] });
    expect(registrations.map(({ gates, controls }) => [gates, controls.map(({ id }) => id)])).toEqual([
      [[], ['standing3']],
    ]);
    expect(jobs).toEqual([{ kernel: 'row_sum', gate: 'repeat', device: 'host' }]);
  });

  test('for a dialect, a gate or a pattern holds what they say', () => {
    expect(names(plan({ dialects: ['hip'] })).every((name) => name.endsWith('@hip'))).toBe(true);
    expect(plan({ gates: ['sums'] }).jobs.every(({ gate }) => gate === 'sums')).toBe(true);
    expect(names(plan({ only: ['row_*@metal:repeat:*'] }))).toEqual(['row_max@metal', 'row_sum@metal']);
  });

  test('without controls holds none, and for a filter that matches nothing holds nothing', () => {
    expect(plan({ controls: false }).registrations.every(({ controls }) => controls.length === 0)).toBe(true);
    expect(plan({ only: ['no such kernel'] })).toMatchObject({ registrations: [], jobs: [] });
  });

  test('is listed with every address once', () => {
    const lines = listLines(plan({}));
    expect(new Set(lines).size).toBe(lines.length);
    expect(lines.find((line) => line.startsWith('row_sum@cuda!standing1  repeat: '))).toBeDefined();
  });
});

describe('the device axis', () => {
  const gpu = (id: RunDevice['id']): RunDevice => ({ id, name: 'GPU', dialects: ['cuda'] });
  const devices = [gpu('cuda:0'), gpu('cuda:1'), hostFor(['hip', 'metal', 'xpu'])];
  const both = plan({ devices, only: ['row_max@cuda', 'row_max@hip'] });

  test('gives each dialect to every device that serves it', () => {
    expect(both.registrations.map(({ dialect, device }) => `${dialect} ${device.id}`)).toEqual([
      'cuda cuda:0',
      'cuda cuda:1',
      'hip host',
    ]);
    expect(new Set(both.jobs.map(({ device }) => device))).toEqual(new Set(['cuda:0', 'cuda:1', 'host']));
  });

  test('leaves to a GPU the arithmetic that its compiler makes', () => {
    const [onGpu, , onHost] = both.registrations;
    expect(onGpu?.cases.filter((address) => address.includes(',mode='))).toEqual([]);
    expect(onHost?.cases.some((address) => address.includes(',mode=fused'))).toBe(true);
  });

  test('never launches what a contract keeps from the chip, and tells it first as not run', () => {
    const quarantine = [{ chips: ['gfx9'], why: 'it hangs', link: 'docs/x.md' }];
    const kept = kernels.map((kernel) =>
      kernel.name === 'row_max' ? { ...kernel, contract: { ...kernel.contract, quarantine } } : kernel,
    );
    const gpus: RunDevice[] = [{ id: 'hip:0', name: 'GPU', dialects: ['hip'], chip: 'gfx9' }];
    const kernelPlan = planOf(kept, { ...everything, devices: gpus, only: ['row_max@hip'] });
    expect(kernelPlan.jobs).toEqual([]);
    const [registration, ...more] = sequenceOf(kernelPlan).ready();
    expect(more).toEqual([]);
    expect(registration?.quarantine).toBe('quarantined on gfx9: it hangs (docs/x.md)');
    expect(new Set(registration?.gates.map(({ status, reason }) => `${status}: ${reason}`))).toEqual(
      new Set(['not run: quarantined on gfx9: it hangs (docs/x.md)']),
    );
    expect(registration?.controls.every(({ status }) => status === 'not run')).toBe(true);
  });

  test('lists an address once, however many devices take it', () => {
    const lines = listLines(both);
    expect(new Set(lines).size).toBe(lines.length);
  });
});

describe('the sequence', () => {
  const small = plan({ only: ['row_sum@cuda', 'row_max@cuda', 'row_max@hip'] });
  const done = (kernel: string, gate: JobDone['job']['gate'], error?: string): JobDone => ({
    job: { kernel, gate, device: 'host' },
    results: error === undefined ? resultsOf(kernel, gate) : [],
    referenceMs: 0,
    ...(error !== undefined && { error }),
  });

  function resultsOf(kernel: string, gate: JobDone['job']['gate']): Result[] {
    return small.registrations
      .filter((planned) => planned.kernel.name === kernel)
      .flatMap(({ dialect, controls }): Result[] => [
        { kind: 'gate', kernel, dialect, gate, status: 'pass', cases: 1, findings: [], notes: [], elapsedMs: 1 },
        ...controls
          .filter(({ reddens }) => reddens === gate)
          .map(
            ({ id, fault }) =>
              ({
                kind: 'control',
                kernel,
                dialect,
                id,
                fault,
                gate,
                status: 'red',
                reason: 'r',
                elapsedMs: 1,
              }) as const,
          ),
      ]);
  }

  test('reports in the order of the plan whatever the order of the jobs, each as soon as it may', () => {
    const sequence = sequenceOf(small);
    const reversed = small.jobs.toReversed();
    const reported = reversed.map(({ kernel, gate }) =>
      sequence.take(done(kernel, gate)).map((found) => `${found.kernel}@${found.dialect}`),
    );
    expect(reported.flat()).toEqual(names(small));
    expect(reported.slice(0, -1).flat()).toEqual([]);
    const inOrder = sequenceOf(small);
    const early = small.jobs
      .filter(({ kernel }) => kernel === 'row_max')
      .flatMap(({ kernel, gate }) => inOrder.take(done(kernel, gate)));
    expect(early.map(({ kernel, dialect }) => `${kernel}@${dialect}`)).toEqual(['row_max@cuda', 'row_max@hip']);
  });

  test('tells a job whose kernel ended its processes as failed, and one that had no device as not run', () => {
    const sequence = sequenceOf({ ...small, registrations: small.registrations.slice(0, 1) });
    const [lost, ...others] = small.jobs.filter(({ kernel }) => kernel === 'row_max');
    const reported = [
      ...(lost ? sequence.take({ job: lost, results: [], referenceMs: 0, lost: 'SIGABRT: the driver' }) : []),
      ...others.flatMap((other) =>
        sequence.take({ job: other, results: [], referenceMs: 0, notRun: 'it does not open' }),
      ),
    ];
    const gates = reported.flatMap((registration) => registration.gates);
    expect(gates.map(({ status, reason }) => `${status}: ${reason}`)).toEqual([
      'fail: SIGABRT: the driver',
      ...others.map(() => 'not run: it does not open'),
    ]);
  });

  test('turns a job that died into a failed gate and broken controls, none of them lost', () => {
    const sequence = sequenceOf(small);
    const dying = (gate: string): string | undefined =>
      gate === 'repeat' ? 'the worker ended with code 139' : undefined;
    const reported = small.jobs.flatMap(({ kernel, gate }) => sequence.take(done(kernel, gate, dying(gate))));
    expect(reported).toHaveLength(small.registrations.length);
    const [rowMax] = reported;
    expect(rowMax?.gates.find(({ gate }) => gate === 'repeat')).toMatchObject({
      status: 'fail',
      reason: expect.stringContaining('code 139'),
    });
    const controls = reported.flatMap((registration) => registration.controls);
    expect(controls).toHaveLength(small.registrations.reduce((sum, planned) => sum + planned.controls.length, 0));
    expect(controls.filter(({ gate }) => gate === 'repeat').every(({ status }) => status === 'broken')).toBe(true);
  });
});

test('a control of a mode needs plain arithmetic beside it, and neither alone', () => {
  const ofMode = (modes: RunOptions['modes']): string[] =>
    plan({ modes, gates: ['shapes'] }).registrations.flatMap(({ controls }) =>
      controls.flatMap(({ mode }) => mode ?? []),
    );
  expect(ofMode(['plain'])).toEqual([]);
  expect(ofMode(['ulps-up', 'fused'])).toEqual([]);
  expect(new Set(ofMode(['plain', 'fused']))).toEqual(new Set(['fused']));
});
