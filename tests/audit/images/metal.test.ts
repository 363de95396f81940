/** On synthetic Mach-O, which no Apple tool made: what the reader does, not what Apple's tools write. */
import { describe, expect, test } from 'bun:test';
import type { PipelineBuilds } from '../../../src/audit/images/metal.ts';
import { gpuTexts, isMetalImage, measurePipeline, readMetal } from '../../../src/audit/images/metal.ts';
import type { ImageProblem, ImageReading } from '../../../src/audit/measured.ts';
import { ascii, buildElf, join } from './elf-kit.ts';
import type { FatForm } from './metal-kit.ts';
import { AIR, fat, G13G, G14G, machO, pipeline } from './metal-kit.ts';
import { expectAnswers, mutants } from './mutate.ts';

const plain = pipeline('code at 896', 'plain');
const builds = (parts: Partial<PipelineBuilds> = {}): PipelineBuilds => ({
  symbol: 'k',
  chip: 'M1',
  staticThreadgroup: 512,
  plain,
  reserved: [
    { threads: 1024, image: pipeline('code at 1024', 'T 1024') },
    { threads: 896, image: pipeline('code at 896', 'T 896') },
    { threads: 640, image: pipeline('code at 896', 'T 640') },
    { threads: 512, image: pipeline('code at 512', 'T 512') },
  ],
  ...parts,
});

function problemOf({ kernels, problems }: ImageReading): ImageProblem {
  expect([kernels.length, problems.length]).toEqual([0, 1]);
  return problems[0]!;
}

describe('a pipeline’s record', () => {
  test('is the largest thread count whose code is the plain pipeline’s; metadata does not count', () => {
    expect(measurePipeline(builds({ release: '32023.830' }), 'k')).toEqual({
      kernels: [
        { dialect: 'metal', symbol: 'k', chip: 'M1', release: '32023.830', maxThreads: 896, staticThreadgroup: 512 },
      ],
      problems: [],
    });
  });

  test('does not depend on the order of the translations', () => {
    const { reserved } = builds();
    expect(measurePipeline(builds({ reserved: reserved.toReversed() }), 'k')).toEqual(measurePipeline(builds(), 'k'));
  });

  test('code that is only longer is not the same', () => {
    const reserved = [{ threads: 1024, image: pipeline('code at 896 and more') }];
    expect(problemOf(measurePipeline(builds({ reserved }), 'k')).class).toBe('no-kernels');
  });

  test('is a problem where no translation has the code, with the counts that were tried', () => {
    const { class: kind, what } = problemOf(measurePipeline(builds({ plain: pipeline('other') }), 'k'));
    expect([kind, what]).toEqual([
      'no-kernels',
      "no translation has the plain pipeline's code; threads tried: 1024, 896, 640, 512",
    ]);
    expect(problemOf(measurePipeline(builds({ reserved: [] }), 'k')).what).toEndWith('tried: none');
  });

  test('is a problem where a translation cannot be read: a smaller count must not stand in for it', () => {
    const reserved = builds().reserved.map((build) =>
      build.threads === 896 ? { ...build, image: ascii('MTLB') } : build,
    );
    expect(problemOf(measurePipeline(builds({ reserved }), 'k')).class).toBe('not-an-image');
  });

  test('of a fat file needs every slice’s code', () => {
    const slices = (g13: string, g14: string): Uint8Array =>
      fat('metal', [
        { cpuType: AIR, cpuSubtype: 1, content: ascii(`AIR ${g13}`) },
        { cpuSubtype: G13G, content: pipeline(g13) },
        { cpuSubtype: G14G, content: pipeline(g14, '', G14G) },
      ]);
    const reserved = [
      { threads: 1024, image: slices('a', 'other') },
      { threads: 896, image: slices('a', 'b') },
      { threads: 960, image: fat('metal', [{ cpuSubtype: G13G, content: pipeline('a') }]) },
    ];
    const { kernels } = measurePipeline(builds({ plain: slices('a', 'b'), reserved }), 'k');
    expect(kernels).toMatchObject([{ maxThreads: 896 }]);
  });
});

describe('the code of a pipeline', () => {
  test.each<FatForm>(['usual', 'wide', 'metal'])('in a fat file, %s', (form) => {
    const bytes = fat(form, [
      { cpuSubtype: G14G, content: pipeline('m2') },
      { cpuSubtype: G13G, content: pipeline('m1') },
    ]);
    const texts = [...gpuTexts(bytes)].map(([key, code]) => [key, new TextDecoder().decode(code)]);
    expect(isMetalImage(bytes)).toBe(true);
    expect(texts).toEqual([
      ['subtype 402', 'm2'],
      ['subtype 322', 'm1'],
    ]);
  });

  const slice = (inner: Uint8Array, times = 1): Uint8Array =>
    machO({
      sections: Array.from({ length: times }, () => ({ segment: '__TEXT', name: '__compute', content: inner })),
    });
  const text = { segment: '__TEXT', name: '__text', content: ascii('x') };
  test.each<[string, Uint8Array, ImageProblem['class']]>([
    ['AIR alone', ascii('MTLB....'), 'no-executable-image'],
    ['a pipeline alone', plain, 'no-kernels'],
    ['no slice for a GPU', machO({ cpuType: 7, sections: [text] }), 'no-executable-image'],
    ['no pipeline in the slice', machO({ sections: [text] }), 'no-kernels'],
    ['two pipelines in the slice', slice(machO({ sections: [text] }), 2), 'ambiguous'],
    ['no code in the pipeline', slice(machO({ sections: [] })), 'no-kernels'],
    ['two codes in the pipeline', slice(machO({ sections: [text, text] })), 'ambiguous'],
    ['a pipeline that is no Mach-O', slice(ascii('nothing of it')), 'malformed'],
    ['an empty pipeline', slice(ascii('')), 'truncated'],
    ['an empty file', ascii(''), 'truncated'],
    ['another file', ascii('something else'), 'not-an-image'],
    [
      'one GPU twice',
      fat(
        'usual',
        [1, 2].map(() => ({ cpuSubtype: 1, content: plain })),
      ),
      'ambiguous',
    ],
    ['a million slices', join(Uint8Array.of(0xca, 0xfe, 0xba, 0xbe, 0, 0xf, 0xff, 0xff), plain), 'malformed'],
  ])('%s is a problem by name', (_, bytes, kind) => {
    expect(problemOf(readMetal(bytes, 'f')).class).toBe(kind);
  });

  test('other files are not taken for Metal’s', () => {
    const others = [
      ascii(''),
      ascii('MT'),
      buildElf({ machine: 62, sections: [] }),
      machO({ cpuType: 7, sections: [] }),
    ];
    expect(others.map(isMetalImage)).toEqual([false, false, false, false]);
    expect([plain, ascii('MTLB')].map(isMetalImage)).toEqual([true, true]);
  });

  test('a load command of no bytes does not hold the reader', () => {
    const bytes = plain.slice();
    new DataView(bytes.buffer).setUint32(16, 0xffffffff, true);
    new DataView(bytes.buffer).setUint32(36, 0, true);
    expect(problemOf(readMetal(bytes, 'f')).class).toBe('malformed');
  });
});

describe('damaged copies are answered', () => {
  const both = fat('metal', [
    { cpuSubtype: G13G, content: plain },
    { cpuSubtype: G14G, content: pipeline('m2') },
  ]);

  test.each([
    ['thin', plain],
    ['fat', both],
  ])('%s', (_, image) => {
    expectAnswers(image, 1000, (bytes) => readMetal(bytes, 'f'));
    for (const bytes of mutants(image, 500, 7)) isMetalImage(bytes);
  });

  test('a damaged translation never gives a record above the counts that were tried', () => {
    for (const image of mutants(plain, 1000, 11)) {
      const { kernels } = measurePipeline(builds({ reserved: [{ threads: 896, image }] }), 'k');
      for (const kernel of kernels) expect(kernel).toMatchObject({ maxThreads: 896 });
    }
  });
});
