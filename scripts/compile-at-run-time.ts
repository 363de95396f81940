/**
 * Compiles every kernel of a dialect for a chip by its run-time compiler, with each launch's macros, and says what did not compile:
 * `bun scripts/compile-at-run-time.ts [cuda|hip|metal|xpu] [CHIP]`. Needs no GPU.
 */
import { DIALECTS } from '../src/families/formula/functions.ts';
import { requestFor } from '../src/gates/subject.ts';
import { compiledImages } from '../src/device/runtime-compilers/store.ts';
import { readListing } from '../src/spec/listing.ts';
import { loadKernels } from '../src/spec/load.ts';
import { launchesOf } from '../src/spec/registration.ts';

const CHIPS = { cuda: 'sm_90', hip: 'gfx942', metal: 'M1', xpu: 'pvc' } as const;
const [asked = 'cuda', named] = process.argv.slice(2);
const dialect = DIALECTS.find((known) => known === asked);
if (!dialect) throw new Error(`no dialect ${asked}; there are ${DIALECTS.join(', ')}`);
const chip = named ?? CHIPS[dialect];

const listing = await readListing();
const images = compiledImages(dialect, chip, listing.sources);
let failed = 0;
for (const kernel of loadKernels(listing).filter(({ dialects }) => dialects.includes(dialect)))
  for (const launch of launchesOf(kernel.contract, dialect)) {
    const from = performance.now();
    const result = await images.get(
      requestFor({ texts: listing.sources }, kernel, dialect, { kind: 'fast' }, launch, undefined),
    );
    const ms = (performance.now() - from).toFixed(0);
    if ('image' in result)
      console.log(`PASS  ${kernel.name}@${dialect}  ${launch.symbol}  ${result.image.length} bytes  ${ms} ms`);
    else console.log(`FAIL  ${kernel.name}@${dialect}  ${launch.symbol}\n${result.error}`);
    if ('error' in result) failed++;
  }
process.exitCode = failed > 0 ? 1 : 0;
