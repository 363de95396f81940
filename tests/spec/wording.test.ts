import { expect, test } from 'bun:test';
import { FILL_NAMES } from '../../src/families/fills/ordinary.ts';
import { contractSchema } from '../../src/spec/schema.ts';
import { problemsOf } from '../../src/spec/wording.ts';
import { GOOD, LAUNCH, problems } from './good.ts';

const { grid, ...GRIDLESS } = LAUNCH;

test.each([
  ['an unknown field', { inputz: {} }, 'the contract: `inputz` is no field here; did you mean `inputs`?'],
  ['a field like no other', { colour: 1 }, 'the contract: `colour` is no field here; there are name, dims, served,'],
  [
    'a misspelt field of a launch',
    { launch: { cuda: { ...GRIDLESS, grids: grid } } },
    'launch.cuda: `grid` is missing',
  ],
  [
    'a misspelt field of one of several launches',
    { launch: { cuda: [LAUNCH, { ...LAUNCH, grids: grid }] } },
    'launch.cuda.1: `grids` is no field here; did you mean `grid`?',
  ],
  ['an unknown dialect', { launch: { cud: LAUNCH } }, 'launch.cud: "cud" is none of cuda, hip, metal, xpu, everywhere'],
  ['a misspelt word', { nan: 'propogate' }, 'nan: "propogate" is none of propagate, rule; did you mean propagate?'],
  [
    'an unknown fill',
    { fills: { x: 'singed' } },
    `fills.x: "singed" is none of ${FILL_NAMES.join(', ')}; did you mean signed?`,
  ],
  ['a fill like no other', { fills: { x: 'gaussian' } }, `"gaussian" is none of ${FILL_NAMES.join(', ')}`],
])('%s is told in words', (_what, change, message) => {
  expect(problems(change)).toContain(message);
});

test('a field left out is told of the object that lacks it', () => {
  const { served: _, ...rest } = GOOD;
  expect(problemsOf(contractSchema, rest)).toEqual(['the contract: `served` is missing']);
});

test('every fill is accepted', () => {
  for (const fill of FILL_NAMES) expect(problems({ fills: { x: fill } })).toBe('');
});
