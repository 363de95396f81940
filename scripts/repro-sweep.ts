/**
 * Shrinks every control and every known finding that the arguments select, all of them without any, on the host device: how small
 * each input gets, whether that is proven, how long it takes, and whether the fixture that is written of it replays to the same verdict.
 * Exits with 1 where one takes 10 s or more, has more than 3 inputs that are not zero and no proof that each is needed, or does not replay.
 */
import { wayOf } from '../src/gates/mode.ts';
import { openHost } from '../src/device/host.ts';
import { HOST } from '../src/device/run-device.ts';
import { openImages, runtimeImage } from '../src/device/store.ts';
import { shapeText } from '../src/families/tensor.ts';
import { casesFor, findCase } from '../src/repro/find.ts';
import { fixtureOf } from '../src/repro/fixture.ts';
import { replay } from '../src/repro/replay.ts';
import type { Minimal } from '../src/repro/minimise.ts';
import { minimise } from '../src/repro/minimise.ts';
import type { Shop, Target } from '../src/repro/suspect.ts';
import { Suspect } from '../src/repro/suspect.ts';
import { controlAddress, matcher } from '../src/spec/address.ts';
import type { FindingClass } from '../src/spec/contract.ts';
import { GATES } from '../src/spec/contract.ts';
import { fixtureText, readFixture } from '../src/spec/fixture.ts';
import { readListing } from '../src/spec/listing.ts';
import { loadKernels } from '../src/spec/load.ts';
import type { Kernel } from '../src/spec/registration.ts';
import { knownFindings, modeOf } from '../src/spec/registration.ts';

const MOST_MS = 10_000;
/** What `--repro` gives a search. */
const SHRINK_MS = 8000;
const MOST_INPUTS = 3;

interface Aim {
  readonly address: string;
  readonly target: Target;
  readonly finding: FindingClass;
}

function aimsOf(kernel: Kernel): Aim[] {
  return kernel.dialects.flatMap((dialect) => {
    const known = GATES.flatMap((gate) =>
      knownFindings(kernel.contract, dialect, gate).map(({ finding }) => ({
        address: `${kernel.name}@${dialect}:${gate}`,
        target: { kernel, dialect, gate },
        finding,
      })),
    );
    const controls = kernel.controls.filter((control) => control.dialects.includes(dialect));
    const planted = controls.map((control) => ({
      address: controlAddress(kernel.name, dialect, control.id),
      target: { kernel, dialect, gate: control.reddens, control },
      finding: control.finding,
    }));
    return [...known, ...planted];
  });
}

interface Shrunk {
  readonly small?: Minimal;
  readonly ms: number;
  /** Why its fixture does not replay to the same verdict. */
  readonly unlike?: string;
}

/** The time is that of the search: what its images take to compile or to load stands apart. */
async function shrink(shop: Shop, { target, finding }: Aim): Promise<Shrunk> {
  const settings = { seed: '1', limitMs: 5000 };
  const mode = target.control ? modeOf(target.control) : 'plain';
  const cases = casesFor(target, {}, settings.seed).filter(
    (gateCase) => gateCase.mode === mode && gateCase.warp === target.control?.warp,
  );
  const suspect = await Suspect.prepare(shop, target, [wayOf({ mode, warp: target.control?.warp })], settings);
  const from = performance.now();
  try {
    const found = await findCase(suspect, cases, { class: finding }, () => Promise.resolve());
    const small = found && (await minimise(found, { until: from + SHRINK_MS }));
    const ms = performance.now() - from;
    const unlike = small && (await unlikeness(shop, suspect, small));
    return { ...(small && { small }), ms, ...(unlike !== undefined && { unlike }) };
  } finally {
    suspect.release();
  }
}

/** What a fixture of a smallest input comes to, written and read back, where that is another verdict. */
async function unlikeness(shop: Shop, suspect: Suspect, small: Minimal): Promise<string | undefined> {
  const { inputs, finding, label, schedules } = small;
  const shown = suspect.with(small.way, schedules && { schedules });
  const text = fixtureText(fixtureOf(shown, { inputs, finding, label }));
  const { isSame, findings, notRun } = await replay(shop, readFixture(text), { limitMs: 5000 });
  return isSame ? undefined : (notRun ?? (findings.map(({ what }) => what).join('; ') || 'it passes'));
}

const seconds = (ms: number): string => (ms / 1000).toFixed(2);

function line({ address, finding }: Aim, { small, ms, unlike }: Shrunk): string {
  if (unlike !== undefined) return `NOT THE SAME  ${address}  ${finding}: ${unlike}`;
  if (!small) return `NOT FOUND  ${address}  ${finding}`;
  const { nonzero, needsAll, isLeast, inputs, trials } = small;
  const proof = `${needsAll ? 'each needed' : 'not proven'}, ${isLeast ? 'no size less' : 'sizes not proven'}`;
  return `${address}  ${finding}  ${shapeText(inputs.shape)}  ${nonzero.length} not zero (${proof})  ${trials} trials  ${seconds(ms)} s`;
}

const isGood = ({ small, ms, unlike }: Shrunk): boolean =>
  small !== undefined &&
  unlike === undefined &&
  ms < MOST_MS &&
  (small.nonzero.length <= MOST_INPUTS || small.needsAll);

const listing = await readListing();
const kernels = loadKernels(listing);
const shop: Shop = {
  device: openHost({ bytes: await runtimeImage() }),
  on: HOST,
  sources: { texts: listing.sources, images: openImages() },
  kernels: new Map(kernels.map((kernel) => [kernel.name, kernel])),
};
const selects = matcher(process.argv.slice(2));
const shrunk: Shrunk[] = [];
for (const aim of kernels.flatMap(aimsOf).filter(({ address }) => selects(address))) {
  const one = await shrink(shop, aim);
  shrunk.push(one);
  console.log(`${isGood(one) ? '' : 'BAD  '}${line(aim, one)}`);
}

const times = shrunk.map(({ ms }) => ms).toSorted((a, b) => a - b);
const most = shrunk.filter(({ small }) => (small?.nonzero.length ?? 0) > MOST_INPUTS).length;
const unproven = shrunk.filter(({ small }) => !small?.needsAll || !small.isLeast).length;
const bad = shrunk.filter((one) => !isGood(one)).length;
console.log(
  `${shrunk.length} inputs: ${most} with more than ${MOST_INPUTS} not zero, ${unproven} not proven to be least in every way, ${bad} bad; median ${seconds(times[times.length >> 1] ?? 0)} s, longest ${seconds(times.at(-1) ?? 0)} s, images apart`,
);
process.exitCode = bad === 0 && shrunk.length > 0 ? 0 : 1;
