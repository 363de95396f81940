/** Faults in parts of words, in struct copies that are judged at once, and at words that a whole group reads. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { COMPILE_MS, Checked } from './kit.ts';

const SCHEDULES = [0, 1, 2, 3, 4, 5, 6, 7];
const RIGHT = ['halves_right', 'copies_right', 'copies_same', 'common_right'];

/** What each fault is told as; `{mark}` stands for the line of `name:mark`, `*` for a place or a size. */
const FAULTS: Readonly<Record<string, readonly [failure: string, text: string]>> = {
  halves_race: ['race', 'writes 2 bytes at byte * of local memory s (512 bytes, declared at {variable}), at {write}'],
  halves_groups: ['race', 'writes 2 bytes at byte 0 of y (4096 bytes, argument 1), at {write}'],
  half_unset: [
    'uninitialised',
    'reads 2 bytes at byte * of local memory s (1024 bytes, declared at {variable}), at {read}',
  ],
  word_unset: [
    'uninitialised',
    'reads 4 bytes at byte * of local memory s (1024 bytes, declared at {variable}), at {read}',
  ],
  odd_overrun: [
    'bounds',
    'writes 2 bytes at byte 510 of local memory s (510 bytes, declared at {variable}), at {write}',
  ],
  copy_overrun: ['bounds', 'reads * bytes at byte * of x (4096 bytes, argument 0), at {read}'],
  words_overrun: ['bounds', 'reads * bytes at byte * of local memory s (1016 bytes, declared at {variable})'],
  copies_race: ['race', 'writes * bytes at byte 0 of y (4096 bytes, argument 1), at {write}'],
  copy_unset: [
    'uninitialised',
    'reads * bytes at byte * of local memory s (4096 bytes, declared at {variable}), at {read}',
  ],
  common_race: ['race', 'bytes at byte * of local memory s (16 bytes, declared at'],
};

describe.each([
  ['cuda', ''],
  ['hip', ''],
  ['cuda', 'fibers'],
] as const)('%s %s', (dialect, form) => {
  let checked: Checked;
  beforeAll(async () => {
    checked = await Checked.open(dialect, 'narrow.cu', form);
  }, COMPILE_MS);
  afterAll(() => checked.device.close());

  test.each(Object.keys(FAULTS))('%s is told by its part, and seen in every order', (name) => {
    const [failure = '', text = ''] = FAULTS[name] ?? [];
    const known = text.replace(/\{(\w+)\}/g, (_, mark: string) => checked.at(`${name}:${mark}`));
    const expected = new RegExp(known.replace(/[.()]/g, '\\$&').replaceAll('*', '\\d+'));
    for (const schedule of SCHEDULES)
      for (const preempt of [false, true]) {
        const outcome = checked.run(name, { schedule, check: { preempt } });
        expect([name, schedule, preempt, outcome.failure]).toEqual([name, schedule, preempt, failure]);
        if (schedule === 0 && !preempt) expect(outcome.text).toMatch(expected);
      }
  });

  test.each(RIGHT)('%s is right in every order and under every option', (name) => {
    const { y } = checked.run(name);
    for (const schedule of SCHEDULES)
      for (const check of [{}, { preempt: true }, { strictWarps: true }, { lockstep: true }]) {
        const outcome = checked.run(name, { schedule, check });
        expect([schedule, check, outcome.failure, outcome.text]).toEqual([schedule, check, 'right', '']);
        expect(new Uint32Array(outcome.y.buffer)).toEqual(new Uint32Array(y.buffer));
      }
  });
});
