import { describe, expect, test } from 'bun:test';
import { UsageError } from '../../src/cli/errors.ts';
import type { Options } from '../../src/cli/arguments/flags.ts';
import { readFlags } from '../../src/cli/arguments/flags.ts';
import { nearest } from '../../src/spec/nearest.ts';

const defaults: Omit<
  Options,
  'device' | 'images' | 'jobs' | 'json' | 'junit' | 'html' | 'resume' | 'schedules' | 'shard' | 'times'
> = {
  only: [],
  gate: ['nonfinite', 'repeat', 'shapes', 'sums', 'limits'],
  dialect: ['cuda', 'hip', 'metal', 'xpu'],
  mode: ['plain', 'fused', 'flushed', 'ulps-up', 'ulps-down', 'ulps-mixed', 'check'],
  seed: '1',
  timeout: 30,
  list: false,
  devices: false,
  'no-controls': false,
  'strict-warps': false,
  lockstep: false,
  github: false,
  version: false,
  records: undefined,
  watch: false,
  quiet: false,
  verbose: false,
  paths: [],
  help: false,
};

test.each<[string, Partial<Options>]>([
  // Nothing, and each flag
  ['', {}],
  ['--only a', { only: ['a'] }],
  ['--gate sums', { gate: ['sums'] }],
  ['--dialect hip', { dialect: ['hip'] }],
  ['--mode fused', { mode: ['fused'] }],
  ['--device cuda', { device: 'cuda' }],
  ['--device hip:1', { device: 'hip:1' }],
  ['--images dir --resume file', { images: 'dir', resume: 'file' }],
  ['--seed 0', { seed: '0' }],
  ['--jobs 3', { jobs: 3 }],
  ['--timeout 0.5', { timeout: 0.5 }],
  ['--json x.json', { json: 'x.json' }],
  ['--junit x.xml --html x.html --github', { junit: 'x.xml', html: 'x.html', github: true }],
  ['--no-controls --list --devices', { 'no-controls': true, list: true, devices: true }],
  ['--strict-warps --lockstep', { 'strict-warps': true, lockstep: true }],
  ['--shard 2/3 --times t.json', { shard: { index: 2, of: 3 }, times: 't.json' }],
  ['--schedules 3', { schedules: [0, 1, 2] }],
  ['--schedules 0,37', { schedules: [0, 37] }],
  ['--version', { version: true }],
  ['-h', { help: true }],

  // Forms
  ['--only=a --only b', { only: ['a', 'b'] }],
  ['--only=-x', { only: ['-x'] }],
  ['a b/ --list', { paths: ['a', 'b/'], list: true }],
  ['-- --list', { paths: ['--list'] }],
  ['--gate sums --gate nonfinite', { gate: ['nonfinite', 'sums'] }],
  ['--dialect xpu,cuda', { dialect: ['cuda', 'xpu'] }],
])('argv %p', (line, part) => {
  expect(readFlags(line === '' ? [] : line.split(' '))).toEqual({
    device: undefined,
    images: undefined,
    jobs: undefined,
    json: undefined,
    junit: undefined,
    html: undefined,
    resume: undefined,
    schedules: undefined,
    shard: undefined,
    times: undefined,
    ...defaults,
    ...part,
  });
});

describe('a wrong command says what to write instead', () => {
  test.each([
    // Names
    ['--shard 4/3', "--shard: '4/3' is no shard; 2/3 is the second of three"],
    ['--shard 0/3', "--shard: '0/3' is no shard"],
    ['--times a.json', '--times says how long the shards of a run take, so it needs --shard I/N.'],
    ['--schedules 1', "--schedules: '1' is not a number of schedules, 2 or more, nor a list such as 0,37"],
    ['--schedules 3,', "--schedules: '3,' is not a number of schedules"],
    ['--jsno x', 'Unknown flag --jsno (did you mean --json?).'],
    ['--control', 'Unknown flag --control'],
    ['-x', 'Unknown flag -x'],

    // Missing, needless and repeated values
    ['--seed', '--seed needs a value.'],
    ['--only --list', '--only needs a value.'],
    ['--list=1', "--list takes no value, but got '1'."],
    ['--seed 1 --seed 2', '--seed is given twice; it takes one value.'],

    // Values
    [
      '--gate shape',
      "--gate: 'shape' is no gate (did you mean shapes?); there are nonfinite, repeat, shapes, sums, limits.",
    ],
    ['--dialect opencl', "--dialect: 'opencl' is no dialect (did you mean xpu?); there are cuda, hip, metal, xpu."],
    ['--dialect OCL', '(did you mean xpu?)'],
    ['--dialect sycl', '(did you mean xpu?)'],
    ['--dialect intel', '(did you mean xpu?)'],
    ['--dialect rocm', '(did you mean hip?)'],
    ['--dialect nvidia', '(did you mean cuda?)'],
    ['--device apple', '(did you mean metal?)'],
    ['--device gpu', "--device: 'gpu' is no device"],
    ['--seed -1', "--seed: '-1' is not a whole number."],
    ['--seed 1234567890123456', "--seed: '1234567890123456' has 16 digits; a seed has 15 at most."],
    ['--seed 1.5', "--seed: '1.5' is not a whole number."],
    ['--jobs 0', "--jobs: '0' is not a whole number of worker threads, 1 or more."],
    ['--jobs 1.5', "--jobs: '1.5' is not a whole number"],
    ['--jobs two', "--jobs: 'two' is not a whole number"],
    ['--timeout 0', "--timeout: '0' is not a number of seconds above 0."],
    ['--timeout Infinity', "--timeout: 'Infinity' is not a number of seconds above 0."],

    // What does not go together
    ['--list --json x', '--json does not go with --list, which runs nothing'],
    ['--devices --json x', '--json does not go with --devices, which runs nothing'],

    // Empty values
    ['--only=', '--only: an empty value selects nothing'],
  ])('%p', (line, text) => {
    const read = () => readFlags(line.split(' '));
    expect(read).toThrow(UsageError);
    expect(read).toThrow(text);
  });

  test('and tells all wrong values at once', () => {
    expect(() => readFlags(['--seed', 'x', '--gate', 'y'])).toThrow(/--gate: 'y'[^]*--seed: 'x'/);
  });
});

test.each<[string, string | undefined]>([
  ['shape', 'shapes'],
  ['smus', 'sums'],
  ['nonfin', 'nonfinite'],
  ['limits', undefined],
])('the word nearest to %p is %p', (word, expected) => {
  expect(nearest(word, ['nonfinite', 'repeat', 'shapes', 'sums'])).toBe(expected as string);
});
