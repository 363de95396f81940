/**
 * Compiles every kernel of a dialect for a chip by its run-time compiler, with each launch's macros, and says what did not compile:
 * `bun scripts/compile-at-run-time.ts [cuda|hip] [CHIP]`. Needs no GPU.
 */
import { requestFor } from '../src/gates/subject.ts';
import { compiledImages, isCompiled } from '../src/device/runtime-compilers/store.ts';
import { readListing } from '../src/spec/listing.ts';
import { loadKernels } from '../src/spec/load.ts';
import { launchesOf } from '../src/spec/registration.ts';

const [dialect = 'cuda', chip = dialect === 'hip' ? 'gfx942' : 'sm_90'] = process.argv.slice(2);
if (!isCompiled(dialect)) throw new Error(`no run-time compiler for ${dialect}; there are cuda and hip`);

const listing = await readListing();
const images = compiledImages(dialect, chip, listing.sources);
let failed = 0;
for (const kernel of loadKernels(listing).filter(({ dialects }) => dialects.includes(dialect)))
  for (const launch of launchesOf(kernel.contract, dialect)) {
    const from = performance.now();
    const result = await images.get(requestFor({ texts: listing.sources }, kernel, dialect, 'fast', launch, undefined));
    const ms = (performance.now() - from).toFixed(0);
    if ('image' in result)
      console.log(`PASS  ${kernel.name}@${dialect}  ${launch.symbol}  ${result.image.length} bytes  ${ms} ms`);
    else console.log(`FAIL  ${kernel.name}@${dialect}  ${launch.symbol}\n${result.error}`);
    if ('error' in result) failed++;
  }
process.exitCode = failed > 0 ? 1 : 0;
