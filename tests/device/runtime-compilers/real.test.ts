/** Kernels of the project by the vendors' own compilers, where they are installed; neither needs a GPU. */
import { describe, expect, test } from 'bun:test';
import { RuntimeCompiler } from '../../../src/device/runtime-compilers/compiler.ts';
import { COMPILERS } from '../../../src/device/runtime-compilers/kinds.ts';
import { compiledImages } from '../../../src/device/runtime-compilers/store.ts';
import { requestFor } from '../../../src/gates/subject.ts';
import { readListing } from '../../../src/spec/listing.ts';
import { loadKernels } from '../../../src/spec/load.ts';
import { launchesOf } from '../../../src/spec/registration.ts';

const KERNELS = ['relu2_rows', 'row_max', 'softmax_rows_bf16'];
const MACHINE = { cuda: 190, hip: 224 } as const; // e_machine

describe.each([
  { dialect: 'cuda', chip: 'sm_90' },
  { dialect: 'hip', chip: 'gfx90a' },
] as const)('$dialect', ({ dialect, chip }) => {
  const opened = RuntimeCompiler.open(COMPILERS[dialect]);

  test.skipIf('why' in opened)(
    `${COMPILERS[dialect].name} compiles kernels for ${chip}`,
    async () => {
      const listing = await readListing();
      const images = compiledImages(dialect, chip, listing.sources);
      const kernels = loadKernels(listing).filter(({ name }) => KERNELS.includes(name));
      expect(kernels.map(({ name }) => name).toSorted()).toEqual(KERNELS);
      for (const kernel of kernels)
        for (const launch of launchesOf(kernel.contract, dialect)) {
          const result = await images.get(
            requestFor({ texts: listing.sources }, kernel, dialect, { kind: 'fast' }, launch, undefined),
          );
          if ('error' in result) throw new Error(result.error);
          const view = new DataView(result.image.buffer, result.image.byteOffset);
          expect([view.getUint32(0), view.getUint16(18, true)]).toEqual([0x7f454c46, MACHINE[dialect]]);
          expect(Buffer.from(result.image).includes(launch.symbol)).toBe(true);
        }
    },
    60_000,
  );
});
