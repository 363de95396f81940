import { describe, expect, test } from 'bun:test';
import { bf16, edit, kernel, rows, standing } from '../../src/spec/contract.ts';
import { readListing } from '../../src/spec/listing.ts';
import { loadKernels } from '../../src/spec/load.ts';
import { GOOD, LAUNCH, SOURCE, control, problems } from './good.ts';

describe('a contract at load', () => {
  test('is accepted when all is right', () => {
    expect(problems({})).toBe('');
  });

  test.each([
    // Values that types cannot hold
    [
      'least above the tile',
      { dims: { rows: {}, width: { tile: 8, least: 16 } } },
      'dims.width: least is at most the tile',
    ],
    [
      'a tile of broken steps',
      { dims: { rows: {}, width: { tile: 65, step: 8 } } },
      'a tile is a whole number of steps',
    ],
    ['a bad name', { name: 'K-1' }, 'name: a name is at most 64 lower-case letters'],
    ['no served shape', { served: [] }, 'served: a contract serves at least one shape'],
    ['a size of 0', { served: [{ rows: 0, width: 64 }] }, 'a size is at least 1'],

    // Names
    [
      'a wrong dimension',
      { inputs: { x: bf16('rows', 'cols') } },
      "x runs over 'cols', which is no dimension: rows, width",
    ],
    [
      'an argument of nothing',
      { args: ['x', 'y', 'z'] },
      "args names 'z', which is no input, output, dimension or scalar",
    ],
    ['an output left out', { args: ['x', 'width'] }, "args: it leaves out 'y'"],
    [
      'a served dimension left out',
      { served: [{ rows: 1 }] },
      'a served shape names rows, but the dimensions are rows, width',
    ],

    // The formula
    ['an unknown name', { formula: rows('width', 'y = sum(z)') }, "'z' is not known here. Known: x"],
    ['an output never assigned', { formula: rows('width', 'z = sum(x)') }, "the formula never assigns the output 'y'"],
    ['an input never used', { formula: rows('width', 'y = sum(width * 1)') }, 'sum(width * 1) reduces over a row'],
    ['an element for a row', { formula: rows('width', 'y = x') }, "output 'y' holds one value for each row"],
    ['a dimension that is none', { formula: rows('k', 'y = sum(x)') }, "the formula runs over 'k'"],
    ['a sum without an accumulator', { accumulator: 'none' }, "the formula sums, so accumulator must be 'f32'"],
    ['an accumulator without a sum', { formula: rows('width', 'y = max(x)') }, "accumulator must be 'none'"],

    // The envelope and its launches
    [
      'a size off its steps',
      { served: [{ rows: 1, width: 70 }] },
      'width is served at 70, but valid sizes are 8, 16, 24',
    ],
    [
      'a route that no shape reaches',
      { launch: { cuda: [{ ...LAUNCH, when: () => true }, LAUNCH] } },
      'no served shape reaches the cuda launch of k',
    ],
    [
      'a shape that no route takes',
      { launch: { cuda: { ...LAUNCH, when: ({ width }: { width: number }) => width > 64 } } },
      'no cuda launch takes the served shape rows=1,width=64',
    ],

    // Controls
    ['one control', { controls: [control('first()')] }, 'at least two controls'],
    [
      'an edit of a dialect without a launch',
      { controls: [control('first()'), { ...control('second()'), edit: { hip: edit('second()', '') } }] },
      "control 'without second()' edits hip, which has no launch",
    ],
    [
      'an edit that changes nothing',
      { controls: [control('first()'), { ...control('second()'), edit: { cuda: edit('second()', 'second()') } }] },
      'the edit changes nothing',
    ],
    [
      'a control that plants nothing',
      { controls: [control('first()'), { fault: 'f', reddens: 'shapes', finding: 'value' }] },
      'plants one thing',
    ],
    [
      'a rounding point without its control',
      { formula: rows('width', 's = bf16(x + 1); y = sum(s * s)') },
      "no control drops the rounding point s in cuda: add an edit with drops: 's'",
    ],
    [
      'a need that nothing has',
      { controls: [control('first()'), { ...control('second()'), needs: 'luck' as 'schedules' }] },
      'needs: "luck" is none of schedules',
    ],
    [
      'a need of a control that no GPU runs anyway',
      {
        controls: [
          control('first()'),
          { ...control('second()'), reddens: 'repeat', finding: 'race', needs: 'schedules' },
        ],
      },
      'is run on no GPU anyway: leave `needs` out',
    ],
    [
      'a quarantine without chips',
      { quarantine: [{ chips: [], why: 'it hangs', link: 'docs/x.md' }] },
      'a quarantine names its chips',
    ],
    [
      'a quarantine without a reason',
      { quarantine: [{ chips: ['sm_90'], why: '', link: 'docs/x.md' }] },
      'quarantine.0.why: a reason is not empty',
    ],
    [
      'a quarantine without a link',
      { quarantine: [{ chips: ['sm_90'], why: 'it hangs', link: '?' }] },
      'links to where it is tracked',
    ],
    [
      'a known finding without a link',
      { known: [{ gate: 'shapes', finding: 'value', within: 2, what: 'w', link: '?' }] },
      'links to where it is tracked',
    ],
    [
      'a symbol that is no name',
      { launch: { cuda: { ...LAUNCH, symbol: '../k' } } },
      'launch.cuda.symbol: a name in the',
    ],
    [
      'a source outside',
      { launch: { cuda: { ...LAUNCH, source: '../../x.cu' } } },
      'source: a source lies in the folder',
    ],
    [
      'a define that is a flag',
      { launch: { cuda: { ...LAUNCH, defines: { 'A -o x': 1 } } } },
      'a name in the source is letters',
    ],
    [
      'a text that a terminal obeys',
      { controls: [control('first()'), { ...control('second()'), fault: 'x\u001b[2J' }] },
      'controls.1.fault: a text has no control characters',
    ],
    [
      'more shapes than an engine has',
      {
        served: [{ rows: Array.from({ length: 100 }, (_, i) => i + 1), width: Array.from({ length: 100 }, () => 64) }],
      },
      'served: a contract serves at most 4096 shapes',
    ],
    ['a kernel replaced that is not there', { replaces: 'other' }, 'replaces other, which is no registered kernel'],
  ])('is refused for %s', (_what, change, message) => {
    expect(problems(change)).toContain(message);
  });

  test('without its source, or a source without its launch, names both', () => {
    const text = problems({}, { 'k/k.hip': SOURCE });
    expect(text).toContain('the cuda launch of k needs kernels/k/k.cu, which is not there');
    expect(text).toContain('kernels/k/k.hip has no launch');
  });

  test('for everywhere is told of every source that is missing, and of the other way to say it', () => {
    const text = problems({ launch: { everywhere: LAUNCH } }, { 'k/k.cu': SOURCE, 'k/k.metal': SOURCE });
    expect(text).toContain('is for everywhere, which is every dialect not named beside it');
    expect(text).toContain("needs kernels/k/k.hip, kernels/k/k.cl, not there: add it, or name the launch's dialects");
    expect(problems({ launch: { everywhere: { ...LAUNCH, source: 'k.cu' } } })).toBe('');
  });

  test.each([
    ['an edit', { controls: [control('first()'), control('third()')] }],
    [
      'a formula edit',
      { controls: [control('first()'), { ...control(''), edit: undefined, formula: edit('mean', 'sum') }] },
    ],
  ])('is accepted with %s that matches nothing: that breaks its control alone', (_what, change) => {
    expect(problems(change)).toBe('');
  });

  test('tells all its mistakes at once, each with its file', () => {
    const text = problems({ controls: [control('first()')], accumulator: 'none' });
    expect(text.split('\n').filter((line) => line.startsWith('kernels/k/k.contract.ts: k: '))).toHaveLength(2);
  });

  test('twice under one name is refused', () => {
    const contracts = ['a', 'b'].map((folder) => ({ path: `${folder}/k.contract.ts`, exported: GOOD }));
    const sources = new Map([
      ['a/a.cu', SOURCE],
      ['b/b.cu', SOURCE],
    ]);
    expect(() => loadKernels({ contracts, sources })).toThrow('k is registered twice, in a and b');
  });

  test('gets the standing controls of its kernel, and each rounding point a claim without it', () => {
    const pointed = kernel({
      ...GOOD,
      formula: rows('width', 's = bf16(x + 1); y = sum(s * s)'),
      controls: [{ ...control('first()'), drops: 's' }, control('second()')],
    });
    const contracts = [
      { path: 'k/k.contract.ts', exported: pointed },
      { path: 'controls/standing.contract.ts', exported: standing('k', [control('first()')]) },
    ];
    const [loaded] = loadKernels({ contracts, sources: new Map([['k/k.cu', SOURCE]]) });
    expect(loaded?.controls.map(({ id }) => id)).toEqual(['1', '2', 'claim1', 'standing1']);
  });

  test('standing controls of no kernel are refused', () => {
    const contracts = [{ path: 'controls/standing.contract.ts', exported: standing('nothing', []) }];
    expect(() => loadKernels({ contracts, sources: new Map() })).toThrow("standing controls of 'nothing'");
  });
});

test("the project's own contracts load", async () => {
  const kernels = loadKernels(await readListing());
  expect(kernels.length).toBeGreaterThanOrEqual(17);
  for (const { name, dialects } of kernels) expect([name, ...dialects]).toEqual([name, 'cuda', 'hip', 'metal', 'xpu']);
});

test('a contract whose fields throw where they are read is told so', () => {
  const exported = {
    get name(): string {
      throw new Error('no name today');
    },
  };
  const load = (): unknown => loadKernels({ contracts: [{ path: 'k/k.contract.ts', exported }], sources: new Map() });
  expect(load).toThrow('kernels/k/k.contract.ts: reading what it exports throws: no name today');
});
