/**
 * Check images against their fast ones, at the cases that gate 2 runs of them: `bun scripts/bench/check.ts [ROUNDS] [TEXT]`.
 *
 * CPU time of launches alone, both images in turn in one process, the least of ROUNDS samples of at least `SAMPLE_MS`, since other
 * work on the machine only adds. Ends in the median, the worst, and how many are past ten times.
 */
import { openHost } from '../../src/device/host.ts';
import { openImages, runtimeImage } from '../../src/device/store.ts';
import { DIALECTS } from '../../src/families/formula/functions.ts';
import { checkCases } from '../../src/gates/check.ts';
import { Stage } from '../../src/gates/stage.ts';
import { prepareSubject } from '../../src/gates/subject.ts';
import { readListing } from '../../src/spec/listing.ts';
import { loadKernels } from '../../src/spec/load.ts';

const ROUNDS = Number(process.argv[2] ?? 7);
const ONLY = process.argv[3] ?? '';
const SAMPLE_MS = 4;
const LIMIT_MS = 30_000;
const MOST = 10;

/** CPU milliseconds of one call, over as many as a sample takes. */
function sample(launch: () => void): number {
  const from = process.cpuUsage();
  for (let calls = 1; ; calls++) {
    launch();
    const { user, system } = process.cpuUsage(from);
    if (user + system >= SAMPLE_MS * 1000) return (user + system) / 1000 / calls;
  }
}

const listing = await readListing();
const device = openHost({ bytes: await runtimeImage() });
const sources = { texts: listing.sources, images: openImages() };
const ratios: { readonly address: string; readonly ratio: number }[] = [];
for (const kernel of loadKernels(listing)) {
  for (const dialect of DIALECTS.filter((name) => kernel.dialects.includes(name))) {
    if (!`${kernel.name}@${dialect}`.includes(ONLY)) continue;
    const subject = await prepareSubject(device, sources, kernel, dialect, [{ mode: 'plain' }, { mode: 'check' }]);
    for (const { label, shape, prepare } of checkCases(kernel, '1')) {
      const stage = new Stage(device, kernel.contract, prepare().inputs, LIMIT_MS);
      const launches = (['plain', 'check'] as const).map((mode) => {
        const route = subject.inWay({ mode }, '1').route(shape);
        const options = mode === 'check' ? { check: {} } : {};
        stage.run(route, options);
        const launch = stage.launchOf(route, options);
        return () => {
          device.launch(launch);
          device.wait(LIMIT_MS);
        };
      });
      const least = launches.map(() => Infinity);
      for (let round = 0; round < ROUNDS; round++)
        launches.forEach((launch, i) => (least[i] = Math.min(least[i] ?? Infinity, sample(launch))));
      const [fast = 0, check = 0] = least;
      const address = `${kernel.name}@${dialect}:${label}`;
      ratios.push({ address, ratio: check / fast });
      console.log(`${fast.toFixed(4)} ms  ${check.toFixed(4)} ms  ${(check / fast).toFixed(1)}x  ${address}`);
      stage.close();
    }
    subject.release();
  }
}
device.close();
const sorted = ratios.toSorted((a, b) => a.ratio - b.ratio);
const median = sorted[Math.floor(sorted.length / 2)]?.ratio ?? 0;
const worst = sorted.at(-1);
const past = sorted.filter(({ ratio }) => ratio > MOST).length;
console.log(
  `CHECK ${sorted.length} cases: median ${median.toFixed(1)}x, worst ${worst?.ratio.toFixed(1)}x (${worst?.address}), ${past} past ${MOST}x`,
);
process.exitCode = past > 0 ? 1 : 0;
