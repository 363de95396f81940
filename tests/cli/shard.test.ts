import { describe, expect, test } from 'bun:test';
import type { Options } from '../../src/cli/arguments/flags.ts';
import { readFlags } from '../../src/cli/arguments/flags.ts';
import { selectionOf } from '../../src/cli/selection.ts';
import { emptyShardText, reportPlan, shardOf, spread, unitTimes } from '../../src/cli/reports/shard.ts';
import { LIMITS_UNIT } from '../../src/report/schema.ts';
import { report } from '../report/report-kit.ts';

describe('units are spread over shards', () => {
  const units = new Map(Object.entries({ a: 9, b: 7, c: 6, d: 5, e: 4, f: 3 }));

  test('the longest first, each to the shard that has least', () => {
    expect([...spread(units, 2)].filter(([, shard]) => shard === 1).map(([unit]) => unit)).toEqual(['a', 'd', 'f']);
  });

  test('the same whatever order they come in', () => {
    const turned = new Map([...units].toReversed());
    expect(new Map([...spread(turned, 3)].toSorted())).toEqual(new Map([...spread(units, 3)].toSorted()));
  });

  test('so that none is longer than the mean by more than its last unit', () => {
    const many = new Map(Array.from({ length: 200 }, (_, i) => [`u${i}`, 1 + ((i * 37) % 101)] as [string, number]));
    const loads = [0, 0, 0, 0, 0];
    for (const [unit, shard] of spread(many, 5)) loads[shard - 1]! += many.get(unit)!;
    const mean = loads.reduce((a, b) => a + b) / 5;
    expect(Math.max(...loads)).toBeLessThan(mean + 101);
  });
});

test('what a unit took is what its gates and its controls that ran took, in every dialect', () => {
  expect(unitTimes(report)).toEqual(
    new Map([
      ['rms_rows:nonfinite host', 500],
      ['rms_rows:shapes host', 265],
    ]),
  );
});

describe('a selection in shards', async () => {
  const options: Options = readFlags(['--device', 'host', '--only', 'row_', '--dialect', 'cuda,hip']);
  const whole = await selectionOf(options);
  const parts = [1, 2, 3].map((index) => shardOf(whole, { index, of: 3 }));
  const texts = (list: (selection: typeof whole) => readonly string[]): [string[], string[]] => [
    parts.flatMap(list).toSorted(),
    [...list(whole)].toSorted(),
  ];

  test('has every job, every case and every control in one shard', () => {
    const [jobs, all] = texts(({ plan }) => plan.jobs.map((job) => JSON.stringify(job)));
    expect(jobs).toEqual(all);
    expect(all.length).toBeGreaterThan(4);
    const [cases, allCases] = texts(({ plan }) => plan.registrations.flatMap((planned) => planned.cases));
    expect(cases).toEqual(allCases);
    const [controls, allControls] = texts(({ plan }) =>
      plan.registrations.flatMap(({ kernel, dialect, controls: own }) =>
        own.map(({ id }) => `${kernel.name}@${dialect}!${id}`),
      ),
    );
    expect(controls).toEqual(allControls);
    expect(parts.filter(({ limits }) => limits)).toHaveLength(1);
  });

  test('tells every shard the same plan, which is that of the whole', () => {
    const plans = parts.map((part) => part.whole);
    expect(plans.map((plan) => ({ ...plan, shard: undefined }))).toEqual(
      plans.map(() => ({ ...plans[0], shard: undefined })),
    );
    expect(plans[0]?.hash).toBe(reportPlan(whole).hash);
    expect([plans[0]?.kernels, plans[0]?.controls]).toEqual([reportPlan(whole).kernels, reportPlan(whole).controls]);
  });

  test('is another plan where anything that is asked is another', async () => {
    const hashes = [['--seed', '2'], ['--no-controls'], ['--gate', 'shapes'], ['--lockstep']].map(async (more) => {
      const flags = ['--device', 'host', '--only', 'row_', '--dialect', 'cuda,hip', ...more];
      return reportPlan(await selectionOf(readFlags(flags))).hash;
    });
    const all = [reportPlan(whole).hash, ...(await Promise.all(hashes))];
    expect(new Set(all).size).toBe(all.length);
  });

  test('takes measured times where there are some', () => {
    const [longest] = whole.plan.jobs;
    const [row] = report.registrations;
    const registrations = whole.plan.jobs.map(({ kernel, gate }, i) => ({
      ...row!,
      kernel,
      gates: [{ ...row!.gates[0]!, gate, elapsedMs: i === 0 ? 1000 : 1 }],
      controls: [],
    }));
    const { units } = reportPlan(whole, { index: 1, of: 2 }, { ...report, registrations });
    const own = units.find(({ unit }) => unit === `${longest?.kernel}:${longest?.gate} host`)?.shard;
    const beside = units.filter(({ shard, unit }) => shard === own && unit !== LIMITS_UNIT);
    expect(beside).toHaveLength(1);
  });

  test('that is cut into more shards than it has units has shards that hold nothing, and say so', () => {
    const of = reportPlan(whole).units.length + 1;
    const empty = shardOf(whole, { index: of, of });
    expect([empty.plan.registrations, empty.plan.jobs, empty.limits, empty.selected]).toEqual([[], [], undefined, 0]);
    expect(emptyShardText(empty)).toStartWith(`Shard ${of} of ${of} holds nothing: the plan has ${of - 1} units`);
    expect(emptyShardText(parts[0] ?? {})).toBeUndefined();
  });
});
