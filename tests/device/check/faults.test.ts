/** Planted faults of memory and barriers in all four dialects: each by its class, with every thread, line and variable. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { HostDialect } from '../../../src/device/toolchain/host.ts';
import { COMPILE_MS, Checked } from './kit.ts';

const FIRST = 'group (0,0,0) thread';

/** What each fault is told as; `{mark}` stands for the line of `name:mark`. */
const FAULTS: Readonly<Record<string, readonly [failure: string, text: string]>> = {
  tree_race: [
    'race',
    `race: ${FIRST} (1,0,0) writes 4 bytes at byte 4 of local memory s (1024 bytes, declared at {variable}), at ANY; ` +
      'thread (0,0,0) read it at {read}, and no barrier lies between',
  ],
  partials_race: [
    'race',
    `race: ${FIRST} (1,0,0) reads 4 bytes at byte 0 of local memory partials (32 bytes, declared at {variable}), at {read}; ` +
      'thread (0,0,0) wrote it at {write}, and no barrier lies between',
  ],
  warp_race: [
    'race',
    `race: ${FIRST} (1,0,0) writes 4 bytes at byte 4 of local memory s (1024 bytes, declared at {variable}), at {write}; ` +
      'thread (0,0,0) read it at {read}, and no barrier lies between',
  ],
  update_race: [
    'race',
    `race: ${FIRST} (NEXT,0,0) reads 4 bytes at byte 0 of local memory sum (4 bytes, declared at {variable}), at {read}; ` +
      'thread (ONE,0,0) wrote it at {write}, and no barrier lies between',
  ],
  update_groups: [
    'race',
    'race between groups: group (1,0,0) thread (0,0,0) reads 4 bytes at byte 0 of count (4 bytes, argument 2), at {read}; ' +
      'group (0,0,0) thread (0,0,0) wrote it at {write}, and nothing orders the two groups',
  ],
  groups_race: [
    'race',
    'race between groups: group (1,0,0) thread (0,0,0) writes 4 bytes at byte 0 of y (4096 bytes, argument 1), at {write}; ' +
      'group (0,0,0) thread (0,0,0) wrote it at {write}, and nothing orders the two groups',
  ],
  global_race: [
    'race',
    `race: ${FIRST} (40,0,0) writes 4 bytes at byte 160 of y (4096 bytes, argument 1), at {write}; ` +
      'thread (0,0,0) read it at {read}, and no barrier lies between',
  ],
  last_race: [
    'race',
    'race between groups: group (3,0,0) thread (0,0,0) reads 4 bytes at byte 4 of y (4096 bytes, argument 1), at {read}; ' +
      'group (0,0,0) thread (0,0,0) wrote it at {write}, and nothing orders the two groups',
  ],
  local_overrun: [
    'bounds',
    `out of bounds: ${FIRST} (255,0,0) writes 4 bytes at byte 1024 of local memory s (1024 bytes, declared at {variable}), at {write}`,
  ],
  buffer_overrun: [
    'bounds',
    'out of bounds: group (3,0,0) thread (255,0,0) reads 4 bytes at byte 4096 of x (4096 bytes, argument 0), at {read}',
  ],
  output_overrun: [
    'bounds',
    'out of bounds: group (3,0,0) thread (255,0,0) writes 4 bytes at byte 4096 of y (4096 bytes, argument 1), at {write}',
  ],
  null_pointer: ['bounds', `out of bounds: ${FIRST} (0,0,0) reads 4 bytes at a null pointer, at {read}`],
  misaligned: [
    'misaligned',
    `misaligned: ${FIRST} (0,0,0) takes byte 4 of x (4096 bytes, argument 0), at {read}, as a multiple of 16 bytes`,
  ],
  local_unset: [
    'uninitialised',
    `uninitialised: ${FIRST} (255,0,0) reads 4 bytes at byte 1024 of local memory s (1028 bytes, declared at {variable}), ` +
      'at {read}, and nothing has written them',
  ],
  sum_unset: [
    'uninitialised',
    `uninitialised: ${FIRST} (0,0,0) reads 4 bytes at byte 0 of local memory s (1024 bytes, declared at {variable}), ` +
      'at {read}, and nothing has written them',
  ],
  output_unset: [
    'uninitialised',
    `uninitialised: ${FIRST} (0,0,0) reads 4 bytes at byte 0 of y (4096 bytes, argument 1), at {read}, and nothing has written them`,
  ],
  input_written: [
    'input',
    `write to an input: ${FIRST} (0,0,0) writes 4 bytes at byte 0 of x (4096 bytes, argument 0), at {write}`,
  ],
  barrier_apart: [
    'divergence',
    `barrier divergence: ${FIRST} (100,0,0) waits at {other} while 100 threads, among them ${FIRST} (0,0,0), wait at {one}`,
  ],
};

/** Kernels beside them that do the same and are right, under any options. */
const RIGHT = ['tree_right', 'warp_right', 'last_right'];
const SCHEDULES = [0, 1, 2, 3, 4, 5, 6, 7];

const FORMS: readonly (readonly [dialect: HostDialect, form: string])[] = [
  ['cuda', 'steps'],
  ['hip', 'steps'],
  ['metal', 'steps'],
  ['xpu', 'fibers'],
  ['metal', 'fibers'],
];

describe.each(FORMS)('%s in %s', (dialect, form) => {
  let checked: Checked;
  beforeAll(async () => {
    checked = await Checked.open(dialect, undefined, form);
  }, COMPILE_MS);
  afterAll(() => checked.device.close());

  /** The words of a fault, with the lines of its marks; ANY is any line. */
  const told = (name: string, text: string): RegExp => {
    // The first to go on from a barrier: as fibers, the thread that came last; in steps, thread 0.
    const [one, next] = form === 'fibers' ? ['255', '0'] : ['0', '1'];
    const known = text.replace('ONE', one).replace('NEXT', next);
    const pattern = known.replace(/[.*+?^$|()[\]\\]/g, '\\$&').replace('ANY', '\\S+');
    return new RegExp(`^${pattern.replace(/\{(\w+)\}/g, (_, mark: string) => checked.at(`${name}:${mark}`))}$`);
  };

  for (const [name, [failure, text]] of Object.entries(FAULTS))
    test(`${name} is told with its lines`, () => {
      const outcome = checked.run(name);
      expect(outcome.failure).toBe(failure);
      expect(outcome.text).toMatch(told(name, text));
      expect(checked.run(name).text).toBe(outcome.text);
    });

  test.each(Object.keys(FAULTS))('%s is seen in every order', (name) => {
    const races = FAULTS[name]?.[0];
    for (const schedule of SCHEDULES)
      for (const preempt of [false, true])
        expect([name, schedule, checked.run(name, { schedule, check: { preempt } }).failure]).toEqual([
          name,
          schedule,
          races ?? '',
        ]);
  });

  test.each(RIGHT)('%s is right in every order and under every option', (name) => {
    const y = checked.run(name).y;
    for (const schedule of SCHEDULES)
      for (const check of [{}, { preempt: true }, { strictWarps: true }, { lockstep: true }]) {
        const outcome = checked.run(name, { schedule, check });
        expect([schedule, check, outcome.failure, outcome.text]).toEqual([schedule, check, 'right', '']);
        if (name !== 'last_right') expect(outcome.y).toEqual(y);
      }
  });

  test('a shuffle orders memory, but not where only barriers do', () => {
    expect(checked.run('warp_strict').failure).toBe('right');
    const strict = checked.run('warp_strict', { check: { strictWarps: true } });
    expect(strict.failure).toBe('race');
    for (const mark of ['variable', 'write', 'read']) expect(strict.text).toContain(checked.at(`warp_strict:${mark}`));
  });

  test('a tree that counts on lockstep is right in lockstep, and a race elsewhere', () => {
    expect(checked.run('lockstep_tree').failure).toBe('race');
    for (const schedule of SCHEDULES) {
      const { failure, y } = checked.run('lockstep_tree', { schedule, check: { lockstep: true } });
      expect([failure, y[0]]).toEqual(['right', (32 * 33) / 2]);
    }
    expect(checked.run('tree_race', { check: { lockstep: true } }).failure).toBe('race');
  });
});
