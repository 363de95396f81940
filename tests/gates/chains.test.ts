/** The longest chains that the registered kernels really have, in each dialect and route, at the shapes where they are asked. */
import { expect, test } from 'bun:test';
import { openHost } from '../../src/device/host.ts';
import { compilingStore, runtimeImage } from '../../src/device/store.ts';
import type { Dialect } from '../../src/families/formula/functions.ts';
import { DIALECTS } from '../../src/families/formula/functions.ts';
import { runJob } from '../../src/gates/job.ts';
import { readListing } from '../../src/spec/listing.ts';
import { loadKernels } from '../../src/spec/load.ts';
import { warpOfLabel } from '../../src/spec/warps.ts';

const device = openHost({ bytes: await runtimeImage() });
const listing = await readListing();
const kernels = loadKernels(listing);
const sources = { texts: listing.sources, images: compilingStore() };

/** `symbol longest/declared` of each sum in each dialect, `?` where it is not known. */
async function chainsOf(name: string): Promise<string[]> {
  const kernel = kernels.find((one) => one.name === name);
  if (!kernel) throw new Error(`no kernel ${name}`);
  const results = await runJob(device, sources, new Map(), kernel, 'sums', {
    seed: '1',
    limitMs: 9000,
    selects: (address) => address.includes('data=masks'),
    dialects: DIALECTS,
    modes: ['plain'],
    controls: false,
  });
  return results.map((result) => {
    const chains = result.kind === 'gate' ? (result.chains ?? []) : [];
    const at = (warp?: number): string =>
      chains
        .filter(({ label }) => warpOfLabel(label) === warp)
        .map(({ symbol, longest, declared }) => `${symbol.slice(3)} ${longest ?? '?'}/${declared}`)
        .join(', ');
    return `${result.dialect}: ${at()}${result.dialect === 'hip' ? `; at 64 lanes ${at(64)}` : ''}`;
  });
}

/** HIP's kernels add alike at both widths. */
const on = (dialect: Dialect, text: string): string =>
  `${dialect}: ${text}${dialect === 'hip' ? `; at 64 lanes ${text}` : ''}`;
const everywhere = (text: string): string[] => DIALECTS.map((dialect) => on(dialect, text));

// A tile and a step: one thread adds a second pack, or, where it takes single values, one more of them.
test.each<[string, string[]]>([
  ['row_sum', everywhere('row_sum 27/28')],
  ['dot_rows', everywhere('dot_rows 13/14')],
  ['rms_rows_bf16', everywhere('rms_rows_bf16 20/28')],
  ['rms_rows_vec_bf16', everywhere('rms_rows_vec_bf16 27/28')],
  ['l2_rows', everywhere('l2_rows 27/28')],
  ['layer_norm_rows', everywhere('layer_norm_rows 13/14, layer_norm_rows 13/14')],
  ['dense_rows', everywhere('dense_rows_vec 20/21, dense_rows_tile 263/264')],
  ['affine_rows_4', everywhere('affine_rows_4 15/19')],
  [
    'affine_rows_8',
    DIALECTS.map((dialect) => on(dialect, `affine_rows_8 ${dialect === 'cuda' || dialect === 'hip' ? 13 : 15}/19`)),
  ],
])(
  '%s',
  async (name, chains) => {
    expect(await chainsOf(name)).toEqual(chains);
  },
  60_000,
);
