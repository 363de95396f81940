/** A contract's regressions run as cases of their gates, each with an address; a file that does not fit is a load error. */
import { expect, test } from 'bun:test';
import { openHost } from '../../src/device/host.ts';
import { compilingStore, runtimeImage } from '../../src/device/store.ts';
import { gateCases, runJob } from '../../src/gates/job.ts';
import { matcher } from '../../src/spec/address.ts';
import { FIXTURE_VERSION, fixtureText } from '../../src/spec/fixture.ts';
import { GOOD, SOURCE, problems } from '../spec/good.ts';
import { STATED, each, shopOf } from '../repro/kit.ts';

const FIXTURE = {
  fixture: FIXTURE_VERSION,
  kernel: 'case',
  dialect: 'cuda',
  gate: 'nonfinite',
  mode: 'plain',
  address: 'case@cuda:nonfinite:rows=22,width=33,plant=x',
  device: 'host',
  seed: '1',
  sources: '0123456789abcdef',
  shape: { rows: 1, width: 1 },
  inputs: { x: { dtype: 'f32', cells: [{ at: [0, 0], bits: '0x7fc00000', value: 'NaN' }] } },
  expect: { verdict: 'fail', cause: { code: 'class', of: 'y' }, what: '1 of 1 outputs' },
} as const;
const stated = { ...STATED, regressions: ['nan-lost.json'] };

test.each([
  ['fails', 'fmaxf(v, 0.0f)', 'fail'],
  ['passes', 'v < 0.0f ? 0.0f : v', 'pass'],
] as const)('a regression %s by itself, at its own address', async (_what, relu, status) => {
  const shop = shopOf(stated, each(relu), { 'case/nan-lost.json': fixtureText(FIXTURE as never) });
  const label = 'rows=1,width=1,data=nan-lost';
  expect(gateCases(shop.kernel, 'nonfinite', '1', ['plain']).map((gateCase) => gateCase.label)).toContain(label);
  expect(gateCases(shop.kernel, 'shapes', '1', ['plain']).some(({ label: own }) => own.includes('nan-lost'))).toBe(
    false,
  );
  const device = openHost({ bytes: await runtimeImage() });
  const options = {
    seed: '1',
    limitMs: 2000,
    selects: matcher([`case@cuda:nonfinite:${label}`]),
    dialects: ['cuda'],
    modes: ['plain'],
    controls: false,
  } as const;
  const [result] = await runJob(
    device,
    { ...shop.sources, images: compilingStore() },
    shop.kernels,
    shop.kernel,
    'nonfinite',
    { ...options },
  );
  expect(result).toMatchObject({ status, cases: 1 });
  device.close();
});

test.each([
  ['is not there', {}, 'kernels/k/old.json is not there'],
  ['is of another kernel', { 'k/old.json': fixtureText(FIXTURE as never) }, 'it is of case, not of k'],
  ['is none', { 'k/old.json': '[]' }, 'regressions: old.json: '],
])('a regression that %s is an error of the contract', (_what, files, reason) => {
  expect(problems({ ...GOOD, regressions: ['old.json'] }, { 'k/k.cu': SOURCE, ...files })).toContain(reason);
});

test('a name that leaves the folder is refused', () => {
  expect(problems({ ...GOOD, regressions: ['../old.json'] })).toContain(
    'a regression is the name of a fixture beside the contract',
  );
});
