import { describe, expect, test } from 'bun:test';
import { bf16, codes, rows, u32 } from '../../src/spec/contract.ts';
import { GOOD, problems } from './good.ts';

const inputs = { x: bf16('rows', 'width') };
const beside = (change: object) => ({
  inputs: { ...inputs, ...change },
  args: ['x', ...Object.keys(change), 'y'],
  formula: rows('width', `y = sum(x + ${Object.keys(change).join(' + ')})`),
});

describe('data', () => {
  test.each<[string, object, string]>([
    ['of an input that is not there', { fills: { z: 'normal' } }, "fills names 'z', which is no input: x"],
    ['of integers, not said to be random bits', beside({ n: u32('rows') }), "say fills: { n: 'codes' }"],
    [
      'of codes that end inside a word',
      beside({ q: codes(2, 'rows', 'width') }),
      'at width=8, which end inside a 32-bit',
    ],
    ['of a type that does not exist', { inputs: { x: { dtype: 'fp8', dims: ['rows', 'width'] } } }, 'fp8'],
    [
      'of a name that objects have',
      { inputs: { constructor: inputs.x }, args: ['constructor', 'y'] },
      'a field of every object',
    ],
  ])('%s are refused', (_what, change, said) => {
    expect(problems(change)).toContain(said);
  });

  test('of codes that end on whole words are accepted', () => {
    expect(problems(beside({ q: codes(4, 'rows', 'width') }))).toBe('');
  });
});

test('rows that are independent are of a dimension', () => {
  expect(problems({ rowIndependent: 'row' })).toContain(
    "rowIndependent names 'row', which is no dimension: rows, width",
  );
});

test('a known value says how far off it is, and no other finding does', () => {
  const entry = { gate: 'shapes', finding: 'value', what: 'w', link: 'docs/known-findings.md' };
  expect(problems({ known: [entry] })).toContain('within which multiple of the bound');
  expect(problems({ known: [{ ...entry, finding: 'row', within: 2 }] })).toContain('and nothing else');
  expect(problems({ known: [{ ...entry, within: 2 }] })).toBe('');
});

test('a control edits some dialect, and names a finding that there is', () => {
  const [first, second] = GOOD.controls;
  expect(problems({ controls: [first, { ...second, edit: {} }] })).toContain('an edit names the dialects');
  expect(problems({ controls: [first, { ...second, finding: 'valu' }] })).toContain('did you mean value?');
});

describe('a known finding', () => {
  const entry = { gate: 'shapes', finding: 'row', what: 'w', link: 'docs/known-findings.md' };
  test.each<[string, object[], string]>([
    ['of a dialect without a launch', [{ ...entry, on: ['hip'] }], "'w' (shapes: row) is of hip, which has no launch"],
    ['of no dialect', [{ ...entry, on: [] }], 'name it, or leave `on` out'],
    ['of no chip', [{ ...entry, chips: [] }], 'a known finding names its chips, as their driver does'],
    [
      "of another dialect's chip",
      [{ ...entry, chips: ['gfx1100'] }],
      'is of the chip gfx1100, which runs none of cuda',
    ],
    ['twice', [entry, entry], 'is stated twice for the same dialects and chips'],
    [
      'twice on one chip',
      [
        { ...entry, chips: ['sm_90'] },
        { ...entry, chips: ['sm_90', 'sm_80'] },
      ],
      'is stated twice',
    ],
  ])('%s is refused', (_what, known, said) => {
    expect(problems({ known })).toContain(said);
  });

  test('of a gate with nothing to prove is refused', () => {
    const known = [{ ...entry, gate: 'sums', finding: 'depth' }];
    const change = { formula: rows('width', 'y = max(x)'), accumulator: 'none', known };
    expect(problems(change)).toContain("'w' (sums: depth) can never be found: nothing is summed");
  });

  test('of a chip, of the host device, and of another chip stand beside each other', () => {
    expect(problems({ known: [entry, { ...entry, chips: ['sm_90'] }, { ...entry, chips: ['sm_80'] }] })).toBe('');
  });
});
