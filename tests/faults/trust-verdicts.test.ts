/** Public faults of harnesses, fourth part: nothing is green by absence, neither of cases nor of a device. */
import { expect, test } from 'bun:test';
import { HOST } from '../../src/device/run-device.ts';
import { join } from 'node:path';
import { f32, rows } from '#contract';
import type { Device } from '../../src/device/device.ts';
import { DeviceError } from '../../src/device/device.ts';
import { openHost } from '../../src/device/host.ts';
import { compilingStore, runtimeImage } from '../../src/device/store.ts';
import { sizeOf } from '../../src/families/tensor.ts';
import { runJob } from '../../src/gates/job.ts';
import type { GateResult } from '../../src/gates/result.ts';
import { exitCode, summaryLine, tallyOf } from '../../src/report/tally.ts';
import type { GateName } from '../../src/spec/contract.ts';
import { GATES } from '../../src/spec/contract.ts';
import { loadKernels } from '../../src/spec/load.ts';

const SOURCE = `
extern "C" __global__ void row_sum(const float* x, float* y, unsigned width) {
  float sum = 0.0f;
  for (unsigned i = 0; i < width; i++) sum += x[blockIdx.x * width + i];
  y[blockIdx.x] = sum;
}
// first place
// second place
`;

const PLACES = ['first', 'second'] as const;

const contract = (rowCount: number, width: number) => ({
  name: 'row_sum',
  dims: { rows: {}, width: {} },
  served: [{ rows: rowCount, width }],
  inputs: { x: f32('rows', 'width') },
  outputs: { y: f32('rows') },
  args: ['x', 'y', 'width'],
  formula: rows('width', 'y = sum(x)'),
  nan: 'propagate' as const,
  accumulator: 'f32' as const,
  launch: {
    cuda: {
      symbol: 'row_sum',
      threads: 1,
      grid: (shape: Readonly<Record<string, number>>) => [sizeOf(shape, 'rows')],
      depth: (shape: Readonly<Record<string, number>>) => sizeOf(shape, 'width'),
    },
  },
  controls: PLACES.map((place) => ({
    fault: `the ${place} place`,
    reddens: 'shapes' as const,
    finding: 'value' as const,
    edit: { cuda: { from: `// ${place} place`, to: '//' } },
  })),
});

const host = openHost({ bytes: await runtimeImage() });
const texts = new Map([['case/case.cu', SOURCE]]);
const images = compilingStore();

/** One gate of the contract on a device of the test's own, with a filter of the test's own. */
async function gateOn(
  device: Device,
  gate: GateName,
  selects: (address: string) => boolean,
  [rowCount, width] = [4, 512],
): Promise<GateResult> {
  const listing = {
    contracts: [{ path: 'case/case.contract.ts', exported: contract(rowCount, width) }],
    sources: texts,
  };
  const [kernel] = loadKernels(listing);
  if (!kernel) throw new Error('no kernel');
  const [dialects, modes] = [['cuda'], ['plain']] as const;
  const options = { seed: '1', limitMs: 5000, selects, dialects, modes, controls: false };
  const results = await runJob(device, { texts, images }, new Map(), kernel, gate, options);
  const [only] = results;
  if (results.length !== 1 || only?.kind !== 'gate') throw new Error(`${results.length} results`);
  return only;
}

const everything = (): boolean => true;

/** The host device with some of its calls replaced. */
const changed = (calls: Partial<Device>): Device =>
  new Proxy<Device>(host, {
    get: (target, key) => {
      const value: unknown = Reflect.get(calls, key) ?? Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

const tally = (gates: readonly GateResult[]) =>
  tallyOf([{ kernel: 'row_sum', dialect: 'cuda', device: HOST, gates, controls: [] }], { kernels: 1, controls: 0 });

test('H05: a gate of which a filter selects no case is not run, and the run ends with 1', async () => {
  for (const gate of GATES) {
    const result = await gateOn(host, gate, () => false);
    expect(result).toMatchObject({ status: 'not run', cases: 0, reason: 'no case is selected' });
    expect(exitCode(tally([result]))).toBe(1);
  }
});

test('H05: a kernel none of whose cases fits is counted as not run in SUMMARY, beside gates that passed', async () => {
  const skipped = await gateOn(host, 'shapes', everything, [2 ** 20, 2 ** 12]);
  expect(skipped).toMatchObject({ status: 'not run', cases: 0 });
  expect(skipped.notes.some((note) => note.startsWith('not run at rows=1048576,width=4096: '))).toBe(true);
  const passed = await gateOn(host, 'nonfinite', everything);
  expect(passed.status).toBe('pass');
  const both = tally([passed, skipped]);
  expect(summaryLine(both, ['nonfinite', 'shapes'], true)).toContain(
    '1 kernel: 0 pass gates 1, 3, 0 fail, 0 known findings, 1 not run',
  );
  expect(exitCode(both)).toBe(1);
});

async function command(...flags: readonly string[]): Promise<{ readonly code: number; readonly said: string }> {
  const main = join(import.meta.dir, '../../src/main.ts');
  const child = Bun.spawn([process.execPath, main, ...flags], { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  const said = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, said: said.join('') };
}

test('H05: a command that selects nothing ends with 1 and says so', async () => {
  const { code, said } = await command('--only', 'no_such_kernel');
  expect(code).toBe(1);
  expect(said).toContain('Nothing is selected, so nothing was run');
  expect(said).not.toContain('pass');
});

test('H06: a device that was asked for and is not there ends the command with 1, without a verdict', async () => {
  const { code, said } = await command('--device', 'cuda', '--only', 'row_sum');
  expect(code).toBe(1);
  expect(said).toContain('No cuda device');
  expect(said).not.toMatch(/PASS|SUMMARY/);
});

test('H06: every gate that passes has launched the kernel at every one of its cases', async () => {
  for (const gate of GATES) {
    let launches = 0;
    const counting = changed({
      launch: (launch) => {
        launches++;
        host.launch(launch);
      },
    });
    const { status, cases } = await gateOn(counting, gate, everything);
    expect({ gate, status }).toEqual({ gate, status: 'pass' });
    expect(cases).toBeGreaterThan(0);
    expect(launches).toBeGreaterThanOrEqual(cases);
  }
});

test('H06: a device whose launch fails gives its own error as the finding, and no gate passes', async () => {
  const refusing = changed({
    launch: () => {
      throw new DeviceError('lost', 'the device has fallen off the bus');
    },
  });
  for (const gate of GATES) {
    const { status, findings } = await gateOn(refusing, gate, everything);
    expect({ gate, status }).toEqual({ gate, status: 'fail' });
    expect(findings[0]).toMatchObject({ class: 'fault', what: 'lost: the device has fallen off the bus' });
  }
  expect((await gateOn(host, 'shapes', everything)).status).toBe('pass');
});

test('H06: a device that accepts launches and runs nothing passes no gate', async () => {
  const idle = changed({ launch: () => {}, wait: () => {} });
  for (const gate of GATES) {
    const { status, findings } = await gateOn(idle, gate, everything);
    expect({ gate, status }).toEqual({ gate, status: 'fail' });
    expect(findings.length).toBeGreaterThan(0);
  }
});
