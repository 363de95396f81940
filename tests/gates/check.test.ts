/** Check images over the registered kernels: which shapes they run at, and that no order gives a false report. */
import { expect, test } from 'bun:test';
import { openHost } from '../../src/device/host.ts';
import { compilingStore, runtimeImage } from '../../src/device/store.ts';
import { DIALECTS } from '../../src/families/formula/functions.ts';
import { checkCases } from '../../src/gates/check.ts';
import { Stage } from '../../src/gates/stage.ts';
import { prepareSubject } from '../../src/gates/subject.ts';
import { sizeOf } from '../../src/families/tensor.ts';
import { readListing } from '../../src/spec/listing.ts';
import { loadKernels } from '../../src/spec/load.ts';
import { checkShapes } from '../../src/spec/shapes-check.ts';
import { routeBases, sameRoutes, volume } from '../../src/spec/shapes.ts';

const listing = await readListing();
const kernels = loadKernels(listing);
const SCHEDULES = 6;

test.each(kernels.map((kernel) => [kernel.name, kernel] as const))(
  '%s: each route at an edge and at its longest sums, within the cost of a check',
  (_, { contract, problem, rule }) => {
    const over = problem?.formula.over ?? rule?.over ?? '';
    const shapes = checkShapes(contract, over);
    for (const base of routeBases(contract)) {
      const route = shapes.filter((shape) => sameRoutes(contract, base, shape));
      expect(route.length).toBeGreaterThan(0);
      expect(Math.max(...route.map(volume))).toBeLessThanOrEqual(1 << 20);
      expect(Math.max(...route.map((shape) => sizeOf(shape, over)))).toBeGreaterThanOrEqual(sizeOf(base, over));
    }
  },
);

// Each kernel in one dialect, in turn; scripts/sweep-check.ts takes all of them in as many orders as it is asked for.
test.each(kernels.map((kernel, i) => [kernel.name, kernel, DIALECTS[i % DIALECTS.length] ?? 'cuda'] as const))(
  '%s gives no report in any order, with threads switched at accesses or not',
  async (_, kernel, dialect) => {
    const device = openHost({ bytes: await runtimeImage() });
    const sources = { texts: listing.sources, images: compilingStore() };
    const subject = (await prepareSubject(device, sources, kernel, dialect, [{ mode: 'check' }])).inWay(
      { mode: 'check' },
      '1',
    );
    for (const { prepare } of checkCases(kernel, '1').slice(0, 2)) {
      const stage = new Stage(device, kernel.contract, prepare().inputs, 30_000);
      for (let schedule = 0; schedule < SCHEDULES; schedule++)
        stage.run(subject.route(stage.shape), { schedule, check: { preempt: schedule % 2 === 1 } });
      expect(stage.verify()).toEqual([]);
    }
    device.close();
  },
  60_000,
);
