/** Fixtures: what is written is what is read, and what is damaged is refused in words, never run. */
import { describe, expect, test } from 'bun:test';
import { bytesFor } from '../../src/families/inputs.ts';
import { givenData } from '../../src/gates/given.ts';
import { random } from '../../src/numerics/random.ts';
import { fixtureOf, targetOf } from '../../src/repro/fixture.ts';
import type { Minimal } from '../../src/repro/minimise.ts';
import { replay } from '../../src/repro/replay.ts';
import { Suspect } from '../../src/repro/suspect.ts';
import { affine, bf16, codes, edit, f16, f32, grouped } from '../../src/spec/contract.ts';
import type { Fixture } from '../../src/spec/fixture.ts';
import { FixtureError, fixtureText, readFixture } from '../../src/spec/fixture.ts';
import { fixtureInputs, statedInputs } from '../../src/spec/fixture-inputs.ts';
import { SETTINGS, STATED, each, shopOf, smallestOf } from './kit.ts';

const DROPS = each('fmaxf(v, 0.0f)');
const KEEPS = each('v < 0.0f ? 0.0f : v');
type OwnShop = ReturnType<typeof shopOf>;

async function written(shop: OwnShop, small: Minimal | undefined): Promise<Fixture> {
  if (!small) throw new Error('nothing was found');
  const { target, way, schedules, inputs, finding, label } = small;
  const suspect = await Suspect.prepare(shop, target, [way], { ...SETTINGS, ...(schedules && { schedules }) });
  suspect.release();
  return fixtureOf(suspect, { inputs, finding, label });
}

const FIXTURE = await written(shopOf(STATED, DROPS), await smallestOf(shopOf(STATED, DROPS), 'nonfinite'));
const changed = (change: object): string => JSON.stringify({ ...FIXTURE, ...change });

/** What reading a fixture of the test's kernel throws. */
function refused(text: string): string {
  try {
    fixtureInputs(readFixture(text), shopOf(STATED, DROPS).kernel.contract);
    return 'read';
  } catch (error) {
    if (!(error instanceof FixtureError)) throw error;
    return error.message;
  }
}

test('a fixture has the input in bits and in words, and reads back as it was', () => {
  expect(FIXTURE.address).toStartWith('case@cuda:nonfinite:rows=');
  expect(FIXTURE).toMatchObject({ kernel: 'case', gate: 'nonfinite', mode: 'plain', shape: { rows: 1, width: 1 } });
  expect(FIXTURE.inputs).toEqual({ x: { dtype: 'f32', cells: [{ at: [0, 0], bits: '0x7fc00000', value: 'NaN' }] } });
  expect(FIXTURE.expect).toMatchObject({ verdict: 'fail', cause: { code: 'class', of: 'y' } });
  const text = fixtureText(FIXTURE);
  expect(text).toContain('        { "at": [ 0, 0 ], "bits": "0x7fc00000", "value": "NaN" }\n');
  expect(readFixture(text)).toEqual(FIXTURE);
});

test('inputs of every kind come back bit by bit', () => {
  const shape = { rows: 2, k: 128, n: 3 };
  const tensors = {
    x: bf16('rows', 'k'),
    q: codes(4, 'n', 'k'),
    scale: grouped(f16('n', 'k'), 64),
    w: f32('n'),
  };
  const source = random('fixtures');
  const sizes = { x: 512, q: 192, scale: 12, w: 12 };
  const bytes = Object.fromEntries(
    Object.entries(sizes).map(([name, size]) => [
      name,
      Uint8Array.from({ length: size }, () => (source.unit() < 0.9 ? 0 : source.int(0, 255))),
    ]),
  );
  const contract = {
    ...STATED,
    name: 'case',
    dims: { rows: {}, k: { step: 64 }, n: {} },
    inputs: tensors,
    outputs: { y: f32('rows', 'n') },
    formula: affine('k', 'y = sum(x * q)', { factored: false }),
  };
  const stated = { ...FIXTURE, shape, inputs: statedInputs({ shape, bytes }, tensors) };
  const read = fixtureInputs(readFixture(fixtureText(stated)), contract as never);
  for (const name of Object.keys(sizes)) expect(bytesFor(read, name)).toEqual(bytes[name] ?? new Uint8Array(0));
});

test.each([
  ['no JSON', '{', 'it is no JSON'],
  ['another version', changed({ fixture: 1 }), 'this program reads fixtures of version 2'],
  [
    'a field that nobody knows',
    changed({ schedule: [1, 2] }),
    '`schedule` is no field here; did you mean `schedules`?',
  ],
  ['an unknown gate', changed({ gate: 'sum' }), 'did you mean sums?'],
  ['a size that no array has', changed({ shape: { rows: 1, width: 2 ** 31 } }), 'shape.width'],
  [
    'more memory than a fixture may take',
    changed({ shape: { rows: 2 ** 20, width: 64 } }),
    'and those of a fixture at most',
  ],
  [
    'a dimension too few',
    changed({ shape: { rows: 1 } }),
    'shape: it names rows, and the dimensions of case are rows, width',
  ],
  [
    'another type',
    changed({ inputs: { x: { dtype: 'f16', cells: [] } } }),
    'inputs.x: it is of f16, and case takes f32',
  ],
  [
    'an input that is not there',
    changed({ inputs: { z: { dtype: 'f32', cells: [] } } }),
    'inputs: it has z, and those of case are x',
  ],
  ['a place outside', withCell([0, 1], '0x3f800000', '1'), 'inputs.x[0, 1]: it lies outside of [1, 1]'],
  ['a value that is not its bits', withCell([0, 0], '0x3f800000', '2'), '0x3f800000 is 1, not 2'],
  ['a hash that is none', changed({ sources: 'x' }), 'a hash has 16 digits'],
  ['a control that is none', changed({ control: '../../x' }), 'a control reads'],
  ['more than a megabyte', `${changed({})}${' '.repeat(2 ** 20)}`, 'it has'],
  ['depth without end', '['.repeat(200_000), 'it is no JSON'],
])('%s is refused', (_what, text, reason) => {
  expect(refused(text)).toContain(reason);
});

function withCell(at: readonly number[], bits: string, value: string): string {
  return changed({ inputs: { x: { dtype: 'f32', cells: [{ at, bits, value }] } } });
}

test('damaged fixtures are refused or are whole: nothing else is thrown', () => {
  const text = fixtureText({ ...FIXTURE, schedules: [0, 3] });
  const source = random('damage');
  const pieces = [
    '"',
    '{',
    '}',
    '[',
    ']',
    '-',
    '0',
    '9',
    '1e999',
    'null',
    '"__proto__":{},',
    'x',
    ',',
    '\\u0000',
    '',
    text.slice(40, 90),
  ];
  const outcomes = Array.from({ length: 3000 }, () => {
    let damaged = text;
    for (let n = source.int(1, 4); n > 0; n--) {
      const at = source.int(0, damaged.length - 1);
      damaged =
        damaged.slice(0, at) + (pieces[source.int(0, pieces.length - 1)] ?? '') + damaged.slice(at + source.int(0, 9));
    }
    return refused(damaged) === 'read';
  });
  expect(outcomes.filter(Boolean).length).toBeLessThan(outcomes.length / 2);
});

describe('a replay', () => {
  test('of the same kernel has the same verdict', async () => {
    expect(await replay(shopOf(STATED, DROPS), FIXTURE, SETTINGS)).toMatchObject({ isSame: true, isStale: false });
  });

  test('of a mended kernel has not, and says that the source is another', async () => {
    const replayed = await replay(shopOf(STATED, KEEPS), FIXTURE, SETTINGS);
    expect(replayed).toMatchObject({ isSame: false, isStale: true, findings: [] });
  });

  test('of a fixture that passes is the same where it passes', async () => {
    const passes = { ...FIXTURE, expect: { verdict: 'pass' } } as const;
    expect((await replay(shopOf(STATED, KEEPS), passes, SETTINGS)).isSame).toBe(true);
    expect((await replay(shopOf(STATED, DROPS), passes, SETTINGS)).isSame).toBe(false);
  });

  test('of a control plants it', async () => {
    const control = {
      fault: 'fmax',
      reddens: 'nonfinite',
      finding: 'class',
      edit: { cuda: edit('v < 0.0f ? 0.0f : v', 'fmaxf(v, 0.0f)') },
    } as const;
    const shop = shopOf({ ...STATED, controls: [control] }, KEEPS);
    const fixture = await written(shop, await smallestOf(shop, 'nonfinite', {}, '1'));
    expect(fixture.control).toBe('1');
    expect((await replay(shop, fixture, SETTINGS)).isSame).toBe(true);
    expect(() => targetOf(fixture, shopOf(STATED, KEEPS))).toThrow('no control 1 of gate nonfinite');
  });

  test('of a kernel that is not there is refused', () => {
    expect(() => targetOf({ ...FIXTURE, kernel: 'other' }, shopOf(STATED, DROPS))).toThrow(FixtureError);
  });
});

test('given data are judged as values that may overflow: 0 / 0 is no weak data', () => {
  expect(givenData({ shape: {}, bytes: {} }).corners).toBeDefined();
});
