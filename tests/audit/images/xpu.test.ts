import { describe, expect, test } from 'bun:test';
import { membersOf } from '../../../src/audit/images/archive.ts';
import { isXpuImage, readZebin } from '../../../src/audit/images/zebin.ts';
import type { ImageProblem, ImageReading, XpuMeasured } from '../../../src/audit/measured.ts';
import { ascii, join } from './elf-kit.ts';
import { expectAnswers } from './mutate.ts';
import { archive, zebin, zeInfo, zeKernel } from './xpu-kit.ts';

const read = (bytes: Uint8Array): ImageReading => readZebin(bytes, 'f');
const info = (...kernels: readonly string[]): Uint8Array => zebin({ info: zeInfo(kernels) });
const kernelsOf = ({ kernels, problems }: ImageReading): readonly XpuMeasured[] => {
  expect(problems).toEqual([]);
  return kernels as readonly XpuMeasured[];
};

function problemOf({ kernels, problems }: ImageReading): ImageProblem {
  expect([kernels.length, problems.length]).toEqual([0, 1]);
  return problems[0]!;
}

describe('a zebin', () => {
  test('gives what it must state, and zero for what it leaves out', () => {
    expect(kernelsOf(read(info(zeKernel('k'))))).toEqual([
      { dialect: 'xpu', symbol: 'k', chip: 'acm-g10', simd: 16, grf: 128, slm: 0, barriers: 0, scratch: 0, spills: 0 },
    ]);
  });

  test('gives the environment', () => {
    const environment = ['slm_size: 160', 'barrier_count: 2', 'required_work_group_size: [ 32, 4, 2 ]'];
    expect(kernelsOf(read(info(zeKernel('k', environment))))[0]).toMatchObject({
      slm: 160,
      barriers: 2,
      requiredWorkgroup: [32, 4, 2],
    });
  });

  test('required sizes stand in the environment or in the attributes', () => {
    const attributes = [
      'user_attributes:',
      '  intel_reqd_sub_group_size: 8',
      '  reqd_work_group_size:',
      '    - 8',
      '    - 2',
      '    - 1',
    ];
    const older = { requiredSubgroup: 8, requiredWorkgroup: [8, 2, 1] };
    expect(kernelsOf(read(info(zeKernel('k', [], attributes))))[0]).toMatchObject(older);
    const newer = ['required_sub_group_size: 16'];
    expect(kernelsOf(read(info(zeKernel('k', newer, attributes))))[0]).toMatchObject({
      ...older,
      requiredSubgroup: 16,
    });
  });

  test('scratch is the sum of its buffers, and spills are what is stated as such', () => {
    const buffers = [
      'per_thread_memory_buffers:',
      '  - { type: scratch, usage: spill_fill_space, size: 1024 }',
      '  - { type: global, usage: private_space, size: 64, is_simt_thread: true }',
    ];
    expect(kernelsOf(read(info(zeKernel('k', [], buffers))))[0]).toMatchObject({ scratch: 1088, spills: 1024 });
    const stated = kernelsOf(read(info(zeKernel('k', ['spill_size: 96'], buffers))));
    expect(stated[0]).toMatchObject({ scratch: 1088, spills: 96 });
  });

  test('several kernels, in order, with comments and blank lines between; what follows the list is not read', () => {
    const yaml = zeInfo([zeKernel('a'), '\n# a comment\n  # another\n', zeKernel('b')]).replace(
      'name:            k',
      '*',
    );
    expect(kernelsOf(read(zebin({ info: yaml, code: ['a', 'b'] }))).map(({ symbol }) => symbol)).toEqual(['a', 'b']);
  });

  test('keys that are not known are stepped over', () => {
    const own = ['payload_arguments:', '  - arg_type: new', '    deep: { a: [ 1, 2 ] }', 'experimental: 3'];
    expect(kernelsOf(read(info(zeKernel('k', ['eu_thread_count: 8', 'new: x'], own))))).toHaveLength(1);
  });

  test('arguments are not parsed, however many and whatever they hold', () => {
    const own = ['payload_arguments:', ...Array.from({ length: 20000 }, () => "  - { arg_type: &a 'open"), 'other: *a'];
    expect(kernelsOf(read(info(zeKernel('k', [], own), zeKernel('k'))))).toHaveLength(2);
  });

  test('a list may stand at the column of its key', () => {
    const own = ['per_thread_memory_buffers:', '- { type: scratch, usage: single_space, size: 8 }', '# a comment'];
    expect(kernelsOf(read(info(zeKernel('k', [], own))))[0]).toMatchObject({ scratch: 8 });
  });

  test('lines may end as on Windows, and the list may start at the margin', () => {
    expect(kernelsOf(read(zebin({ info: zeInfo([zeKernel('k')]).replaceAll('\n', '\r\n') })))).toHaveLength(1);
    const margin =
      "version: '1.20'\nkernels:\n- name: k\n  execution_env: { grf_count: 256, simd_size: 32 }\nother: 1\n";
    expect(kernelsOf(read(zebin({ info: margin })))[0]).toMatchObject({ grf: 256, simd: 32 });
  });

  test('the entry of functions that kernels call is no kernel', () => {
    const bytes = info(zeKernel('k'), zeKernel('Intel_Symbol_Table_Void_Program'));
    expect(kernelsOf(read(bytes)).map(({ symbol }) => symbol)).toEqual(['k']);
  });

  test.each<[string, Readonly<Record<number, number>>, string]>([
    ['PVC by its family', { 1: 0x4f7 }, 'pvc'],
    ['DG1 by its family', { 1: 0x4ba }, 'dg1'],
    ['Battlemage by its configuration', { 1: 0x4f6, 6: 0x05004000 }, 'bmg'],
    ['Lunar Lake by its configuration', { 6: 0x05010004 }, 'lnl'],
    ['acm-g11 by its configuration', { 1: 0x4f6, 6: 0x030e0005 }, 'acm-g11'],
    ['a family that is not known', { 1: 9999 }, 'product-9999'],
    ['a configuration that is not known', { 6: (50 << 22) | (3 << 14) | 1 }, 'ip-50.3.1'],
  ])('the chip: %s', (_, notes, chip) => {
    expect(kernelsOf(read(zebin({ info: zeInfo([zeKernel('k')]), notes })))[0]!.chip).toBe(chip);
  });

  test.each([1, 0xff11, 0xff12, 0xff13])('of ELF type %d is read', (type) => {
    const bytes = zebin({ info: zeInfo([zeKernel('k')]), type, machine: type === 1 ? 205 : 0x4f6 });
    expect([isXpuImage(bytes), kernelsOf(read(bytes)).length]).toEqual([true, 1]);
  });

  const kernel = zeInfo([zeKernel('k')]);
  test.each<[string, Uint8Array, ImageProblem['class']]>([
    ['patch tokens in an ELF', zebin({ info: kernel, type: 0xff04, machine: 0 }), 'legacy-patch-tokens'],
    ['bare patch tokens', ascii('CTNI....'), 'legacy-patch-tokens'],
    ['an ELF type to come', zebin({ info: kernel, type: 0xff20 }), 'newer-than-known'],
    ['another machine', zebin({ info: kernel, machine: 62 }), 'not-an-image'],
    ['a newer .ze_info', zebin({ info: zeInfo([zeKernel('k')], '2.0') }), 'newer-than-known'],
    ['no .ze_info', zebin({ info: undefined }), 'no-kernels'],
    ['no version', zebin({ info: 'kernels:\n' }), 'malformed'],
    ['no kernels', zebin({ info: zeInfo([]) }), 'no-kernels'],
    ['no list of kernels', zebin({ info: "version: '1.20'\n" }), 'no-kernels'],
    ['no note of a chip', zebin({ info: kernel, notes: {} }), 'malformed'],
    ['a kernel without code', zebin({ info: kernel, code: ['other'] }), 'malformed'],
    ['no GRF count', zebin({ info: kernel.replace('grf_count', 'grf') }), 'malformed'],
    ['a GRF count in words', zebin({ info: kernel.replace('128', 'many') }), 'malformed'],
    ['a negative SIMD size', zebin({ info: kernel.replace('16\n', '-16\n') }), 'malformed'],
    ['two required sizes', info(zeKernel('k', ['required_work_group_size: [ 1, 2 ]'])), 'malformed'],
    ['a kernel that is a number', info('  - 7\n'), 'malformed'],
    ['a kernel named by a number', info(zeKernel('7')), 'malformed'],
    ['an anchor', info(zeKernel('&a k')), 'malformed'],
    ['a merge', info(zeKernel('k', ['<<: { slm_size: 1 }'])), 'malformed'],
    ['YAML that does not parse', info(zeKernel('k', ["x: 'open"])), 'malformed'],
    ['lists nested without end', info(zeKernel('k', [`x: ${'['.repeat(60000)}`])), 'malformed'],
    ['an environment of two megabytes', info(zeKernel('k', [`x: ${'y'.repeat(2 ** 21)}`])), 'malformed'],
    ['a kernel in braces', info('  - { name: k, execution_env: { grf_count: 128, simd_size: 8 } }\n'), 'malformed'],
  ])('%s is a problem by name', (_, bytes, kind) => {
    expect(problemOf(read(bytes)).class).toBe(kind);
  });

  test('one broken kernel does not hide the others, and is named by its place', () => {
    const broken = zeKernel('k').replace('simd_size', 'simd');
    const { kernels, problems } = read(info(zeKernel('k'), broken, zeKernel('k')));
    expect(kernels).toHaveLength(2);
    expect(problems).toEqual([
      { class: 'malformed', where: 'f: kernel 2', what: '.ze_info: a kernel has no simd_size' },
    ]);
  });

  test('a hundred thousand broken kernels are a bounded list of problems', () => {
    const { problems } = read(info('  - x\n'.repeat(100000)));
    expect(problems.length).toBeLessThan(100);
    expect(problems.at(-1)!.what).toMatch(/^\d+ more problems/);
  });
});

describe('an archive', () => {
  const image = zebin({ info: zeInfo([zeKernel('k')]) });
  const pad = { name: 'pad_0/', bytes: ascii('12345678') };

  test('gives each member’s kernels under the chip of its name, and passes over padding and portable code', () => {
    const members = [
      pad,
      { name: '64.12.55.8/', bytes: join(image, ascii('odd')) },
      { name: 'generic_ir/', bytes: ascii('spirv') },
      { name: '64.20.1.0/', bytes: image },
      { name: '64.99.1.2/', bytes: image },
    ];
    const bytes = archive(members);
    expect(isXpuImage(bytes)).toBe(true);
    expect(kernelsOf(read(bytes)).map(({ chip }) => chip)).toEqual(['acm-g10', 'bmg', 'ip-99.1.2']);
  });

  test('long names stand in a table', () => {
    const table = { name: '//', bytes: ascii('first_long_member/\nsecond_long_member/\n') };
    const members = [table, { name: '/19', bytes: ascii('x') }, { name: '/0', bytes: ascii('y') }];
    expect([...membersOf(archive(members))].map(({ name }) => name)).toEqual([
      'second_long_member',
      'first_long_member',
    ]);
  });

  test.each<[string, Uint8Array, ImageProblem['class']]>([
    ['without a member for a chip', archive([pad]), 'no-executable-image'],
    ['with nothing in it', archive([]), 'no-executable-image'],
  ])('%s is a problem by name', (_, bytes, kind) => {
    expect(problemOf(read(bytes)).class).toBe(kind);
  });

  test('a member cut short is truncated, and those before it are read', () => {
    const whole = archive([
      { name: '64.12.55.8/', bytes: image },
      { name: '64.12.60.7/', bytes: image },
    ]);
    const { kernels, problems } = read(whole.subarray(0, whole.length - 10));
    expect(kernels.map(({ chip }) => chip)).toEqual(['acm-g10']);
    expect(problems.map(({ class: kind }) => kind)).toEqual(['truncated']);
  });

  test('a broken member does not hide the others, and is named', () => {
    const members = [
      { name: '64.12.55.8/', bytes: zebin({ info: undefined }) },
      { name: '64.12.60.7/', bytes: image },
    ];
    const { kernels, problems } = read(archive(members));
    expect(kernels.map(({ chip }) => chip)).toEqual(['pvc']);
    expect(problems).toEqual([{ class: 'no-kernels', where: 'f: 64.12.55.8', what: 'no section .ze_info' }]);
  });

  test.each([
    ['a zebin', info(zeKernel('a', ['slm_size: 4']), zeKernel('k'))],
    ['an archive', archive([pad, { name: '64.12.55.8/', bytes: image }])],
  ])('%s: damaged copies are answered', (_, bytes) => {
    expectAnswers(bytes, 1000, read);
  });
});
