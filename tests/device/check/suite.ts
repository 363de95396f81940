/** What holds of any source of faults: each is told by its words, and seen in every order; what is right stays so. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { COMPILE_MS, Checked } from './kit.ts';

export interface Suite {
  /** In `sources`. */
  readonly file: string;
  readonly schedules: readonly number[];
  /** What each fault is told as; `{mark}` stands for the line of `name:mark`, `*` for a place or a size. */
  readonly faults: Readonly<Record<string, readonly [failure: string, text: string]>>;
  /** Faults of which the order decides what is told. */
  readonly told?: ReadonlySet<string>;
  readonly right: readonly string[];
}

/** In CUDA and HIP as steps, and in CUDA as fibers. */
export const describeFaults = ({ file, schedules, faults, told, right }: Suite): void =>
  describe.each([
    ['cuda', ''],
    ['hip', ''],
    ['cuda', 'fibers'],
  ] as const)('%s %s', (dialect, form) => {
    let checked: Checked;
    beforeAll(async () => {
      checked = await Checked.open(dialect, file, form);
    }, COMPILE_MS);
    afterAll(() => checked.device.close());

    test.each(Object.keys(faults))('%s is told by its place, and seen in every order', (name) => {
      const [failure = '', text = ''] = faults[name] ?? [];
      const known = text.replace(/\{(\w+)\}/g, (_, mark: string) => checked.at(`${name}:${mark}`));
      const expected = new RegExp(known.replace(/[.()]/g, '\\$&').replaceAll('*', '\\d+'));
      for (const schedule of schedules)
        for (const preempt of [false, true]) {
          const outcome = checked.run(name, { schedule, check: { preempt } });
          expect([name, schedule, preempt, outcome.failure]).toEqual([name, schedule, preempt, failure]);
          if (schedule === 0 && !preempt && told?.has(name) !== true) expect(outcome.text).toMatch(expected);
        }
    });

    test.each([...right])('%s is right in every order and under every option', (name) => {
      const { y } = checked.run(name);
      for (const schedule of schedules)
        for (const check of [{}, { preempt: true }, { strictWarps: true }, { lockstep: true }]) {
          const outcome = checked.run(name, { schedule, check });
          expect([schedule, check, outcome.failure, outcome.text]).toEqual([schedule, check, 'right', '']);
          expect(new Uint32Array(outcome.y.buffer)).toEqual(new Uint32Array(y.buffer));
        }
    });
  });
