/** Covers: one that fits speaks for launches that fit, whatever they ask. */
import { describe, expect, test } from 'bun:test';
import { CHIPS, SERVED_CHIPS } from '../../src/audit/chips/all.ts';
import type { Chip } from '../../src/audit/chips/chip.ts';
import type { Asked } from '../../src/audit/cover.ts';
import { coverFits, coversOf } from '../../src/audit/cover.ts';
import type { Extent, LaunchAt } from '../../src/audit/launch.ts';
import { leastMeasured } from '../../src/audit/least.ts';
import type { Measured } from '../../src/audit/measured.ts';
import { brokenLimits } from '../../src/audit/rules/rules.ts';
import type { Random } from '../../src/numerics/random.ts';
import { random } from '../../src/numerics/random.ts';
import { cuda, launch } from './rules-kit.ts';

const pick = <T>(rng: Random, values: readonly T[]): T => values[rng.int(0, values.length - 1)] as T;
const extents: readonly Extent[] = [
  [64, 1, 1],
  [256, 1, 1],
  [32, 8, 1],
  [1024, 1, 1],
];

/** Values about the limits of every chip, and what is usual. */
const FACTS: Readonly<Record<Chip['dialect'], Readonly<Record<string, readonly unknown[]>>>> = {
  cuda: {
    registers: [16, 32, 64, 65, 128, 255],
    staticShared: [0, 1024, 40_000, 49_152, 49_153],
    barriers: [0, 1, 16, 17],
    maxThreads: [undefined, undefined, [256, 1, 1], [1024, 1, 1]],
    requiredThreads: [undefined, undefined, [256, 1, 1]],
    cluster: [undefined, undefined, undefined, [2, 1, 1]],
    explicitCluster: [false, false, false, true],
    maxClusterRank: [undefined, undefined, 1, 8],
    stack: [0, 512],
    spillStores: [0, 8],
  },
  hip: {
    vgprs: [1, 32, 64, 128, 192, 256, 512],
    staticLds: [0, 1024, 40_000, 65_536],
    wave: [32, 64],
    wgpMode: [undefined, true, false],
    maxFlatWorkgroup: [256, 1024],
    requiredWorkgroup: [undefined, undefined, [256, 1, 1]],
    sgprs: [16, 100],
    scratch: [0, 64],
  },
  xpu: {
    simd: [8, 16, 32],
    grf: [128, 256],
    slm: [0, 1024, 65_536, 131_072],
    barriers: [0, 1, 32, 33],
    requiredWorkgroup: [undefined, undefined, [256, 1, 1]],
    requiredSubgroup: [undefined, 16, 32],
    spills: [0, 64],
  },
  metal: {
    staticThreadgroup: [0, 1024, 32_768],
    maxThreads: [undefined, 256, 512, 1024],
    reserved: [undefined, 256, 1024],
    tensorOps: [undefined, true],
  },
};

function measuredOn(rng: Random, chip: Chip): Measured {
  const drawn = Object.entries(FACTS[chip.dialect]).flatMap(([fact, values]) => {
    const value = pick(rng, values);
    return value === undefined ? [] : [[fact, value]];
  });
  return { ...leastMeasured('k', chip), ...Object.fromEntries(drawn) } as Measured;
}

const launchIn = (rng: Random, threads: Extent): LaunchAt => ({
  threads,
  grid: [pick(rng, [0, 1, 7, 65_535, 2 ** 24]), pick(rng, [1, 8, 65_535, 65_536]), pick(rng, [1, 2])],
  localBytes: pick(rng, [0, 0, 0, 16_384]),
  optIn: pick(rng, [false, false, true]),
  ...(rng.unit() < 0.1 && { cluster: 2 }),
});

function askedOn(rng: Random, chip: Chip, place: number): Asked {
  const threads = pick(rng, extents);
  const at = Array.from({ length: rng.int(1, 3) }, () => launchIn(rng, threads));
  return { place, at, measured: measuredOn(rng, chip), isPending: rng.unit() < 0.1 };
}

describe('launches drawn about the limits', () => {
  const counts = { fits: 0, shared: 0, refused: 0, open: 0 };

  test.each(SERVED_CHIPS.map((chip) => [chip.name, chip] as const))('on %s', (name, chip) => {
    for (let round = 0; round < 40; round++) {
      const rng = random(`cover ${name} ${round}`);
      const asked = Array.from({ length: 60 }, (_, place) => askedOn(rng, chip, place));
      const { covers, open } = coversOf(asked);
      const places = [...covers.flatMap((cover) => cover.places), ...open].toSorted((a, b) => a - b);
      expect(places).toEqual(asked.map(({ place }) => place));
      counts.open += open.length;
      for (const cover of covers) {
        if (!coverFits(cover, chip)) counts.refused++;
        else {
          counts.fits++;
          if (cover.places.length > 1) counts.shared++;
          for (const place of cover.places) {
            const { at, measured, isPending } = asked[place] as Asked;
            expect(brokenLimits(at, measured, chip)).toEqual([]);
            expect(isPending).toBe(cover.isPending);
          }
        }
      }
    }
  });

  test('are covered, refused and left open often enough to prove it', () => {
    expect(Math.min(...Object.values(counts))).toBeGreaterThan(100);
  });
});

test('a cover asks the most of each: kernels that fit by themselves may not fit under one', () => {
  const sm80 = CHIPS.find(({ name }) => name === 'sm_80') as Chip;
  const of = (place: number, registers: number, grid: Extent): Asked => ({
    place,
    at: [launch({ grid })],
    measured: cuda({ registers }),
    isPending: false,
  });
  const { covers, open } = coversOf([of(0, 255, [1, 1, 1]), of(1, 16, [7, 2, 1])]);
  expect(open).toEqual([]);
  expect(covers).toMatchObject([{ places: [0, 1], launch: { grid: [7, 2, 1] }, measured: { registers: 255 } }]);
  expect(covers.map((cover) => coverFits(cover, sm80))).toEqual([true]);
});
