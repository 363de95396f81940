/** What a contract's own functions get wrong at a case is told of the contract, and the run goes on. */
import { expect, test } from 'bun:test';
import { f32, rows, rule } from '../../src/spec/contract.ts';
import type { Stated } from '../faults/harness.ts';
import { judge, verdict } from '../faults/harness.ts';

const SOURCE = `
extern "C" __global__ void k(const float* x, float* y, unsigned width) {
  for (unsigned i = threadIdx.x; i < width; i += 32) y[blockIdx.x * width + i] = 2.0f * x[blockIdx.x * width + i];
}
`;
const launch = { symbol: 'k', threads: 32, grid: ({ rows: n = 1 }) => [n], depth: () => 0 };
const fail = (): never => {
  throw new Error('mine');
};
const contract = (change: Partial<Stated> = {}): Stated => ({
  name: 'k',
  dims: { rows: { least: 1 }, width: { tile: 32, step: 1, least: 1 } },
  served: [{ rows: [1, 4], width: 48 }],
  inputs: { x: f32('rows', 'width') },
  outputs: { y: f32('rows', 'width') },
  args: ['x', 'y', 'width'],
  formula: rows('width', 'y = x + x'),
  accumulator: 'none',
  launch: { cuda: launch },
  ...change,
});
const ruled = (outputs: Parameters<typeof rule>[2]): Stated =>
  contract({ nan: 'rule', formula: rule('width', 'twice', outputs) });

test('a rule that throws', async () => {
  const result = await verdict(ruled(fail), SOURCE, 'shapes');
  expect([result.status, result.findings[0]?.what]).toEqual(['fail', "the contract's rule throws: mine"]);
});

test('a rule that gives too few codes', async () => {
  const result = await verdict(
    ruled(() => ({ y: new Uint32Array(5) })),
    SOURCE,
    'shapes',
  );
  expect(result.findings[0]?.what).toMatch(/^the rule gives 5 codes of y, which has \d+ elements$/);
});

const planted = (change: object): Stated => {
  const base = { reddens: 'shapes', finding: 'value' } as const;
  const edit = { cuda: { from: '2.0f', to: '3.0f' } };
  return contract({
    controls: [
      { ...base, fault: 'another factor', edit, ...change },
      { ...base, fault: 'another factor yet', edit },
    ],
  });
};

test.each<[string, object, string]>([
  ['that throws where it must stay green', { green: fail }, "the contract's green throws: mine"],
  [
    'whose grid throws',
    { edit: undefined, launch: () => ({ ...launch, grid: fail }) },
    "the contract's grid throws: mine",
  ],
  ['of half a group', { edit: undefined, launch: () => ({ ...launch, grid: () => [0.5] }) }, 'a side of 0.5 groups'],
])('a control %s is broken, and the next is red', async (_what, { edit, ...change }: { edit?: unknown }, said) => {
  const stated = planted(change);
  const [first, second] = stated.controls ?? [];
  const controls = first && second ? [edit === undefined && 'launch' in change ? without(first) : first, second] : [];
  const results = await judge({ ...stated, controls }, { cuda: SOURCE }, { gates: ['shapes'], runControls: true });
  expect(results.map(({ status }) => status)).toEqual(['pass', 'broken', 'red']);
  expect(results[1]).toHaveProperty('reason', expect.stringContaining(said));
});

function without<T extends { edit?: unknown }>({ edit: _edit, ...rest }: T): Omit<T, 'edit'> {
  return rest;
}
