/** Check images of launches whose groups run side by side: grid and cluster barriers, another group's memory, spins. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { COMPILE_MS, Checked } from './kit.ts';

let checked: Checked;
beforeAll(async () => {
  checked = await Checked.open('cuda', 'wide.cu');
}, COMPILE_MS);
afterAll(() => checked.device.close());

const SCHEDULES = [0, 1, 2, 3, 4, 5, 6, 7];
const GRID = { cooperative: true } as const;
const CLUSTER = { cluster: 2 } as const;

const PAIRS = [
  ['grid', GRID, 'y (4096 bytes, argument 1)'],
  ['cluster', CLUSTER, 'local memory mine (1024 bytes, declared at'],
  ['flag', GRID, 'y (4096 bytes, argument 1)'],
] as const;

test.each(PAIRS)('%s: right with what orders the groups, in every order', (name, launch) => {
  for (const schedule of SCHEDULES)
    for (const preempt of [false, true]) {
      const outcome = checked.run(`${name}_right`, { ...launch, schedule, check: { preempt } });
      expect([schedule, preempt, outcome.failure, outcome.text]).toEqual([schedule, preempt, 'right', '']);
      if (name === 'grid') expect(outcome.count).toBe(0);
      if (name === 'flag') expect(outcome.y[0]).toBe(8);
    }
});

test.each(PAIRS)('%s: a race between groups without it, in every order', (name, launch, variable) => {
  for (const schedule of SCHEDULES) {
    const { failure, text } = checked.run(`${name}_race`, { ...launch, schedule });
    expect([schedule, failure]).toEqual([schedule, 'race']);
    expect(text).toStartWith('race between groups: group (');
    expect(text).toContain(variable);
    expect(text.split(checked.at(`${name}_race:write`)).length).toBeGreaterThan(2); // both lines are that of the macro's use
  }
});

test('a lock that groups hand on by failed exchanges is right, and ends', () => {
  for (const schedule of SCHEDULES) {
    const outcome = checked.run('lock_right', { ...GRID, schedule });
    expect([schedule, outcome.failure, outcome.text, outcome.y[0]]).toEqual([schedule, 'right', '', 1 + 2 + 3 + 4]);
  }
});

test('a spin on what no group writes ends at the limit', () => {
  expect(checked.run('asleep_for_ever', { ...GRID, limitMs: 100 }).failure).toBe('timeout');
});
