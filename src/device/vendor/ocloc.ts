/** Intel's ocloc: one source for one chip at a time, to a zebin. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { run } from '../processes/process.ts';
import type { Compile, Compiled, Compiler, Missing, Vendor } from './vendor.ts';
import { firstOf, notFound, outputOf, releaseOf, runIn, sourceFlags, wordsOf } from './vendor.ts';

const PLACES = ['ocloc'];
const INSTALL = 'install it (apt-get install intel-opencl-icd, or intel-ocloc), or name it by --ocloc or TF_OCLOC';
/** No -cl-std: that of 3.0 breaks the build of some chips' builtins in 22.43. */
export const OPTIONS = ['-cl-fp32-correctly-rounded-divide-sqrt'];

const NAMED = '--ocloc or TF_OCLOC';

export const OCLOC: Vendor = { find, knows, together: false, compile, salt: () => OPTIONS.join(' ') };

async function find(override: string | undefined): Promise<Compiler | Missing> {
  const path = firstOf(override, PLACES);
  if (path === undefined) return { name: 'ocloc', why: notFound(NAMED, override, PLACES), install: INSTALL };
  const version = oclocVersion(await outputOf([path, '--version'])) || (await queriedVersion(path));
  if (version === '') return { name: 'ocloc', why: `${path} tells no version`, install: INSTALL };
  return { name: 'ocloc', path, version, release: releaseOf(version) };
}

/** `24.35.30872` of a text that names it; '' where it names none. */
export function oclocVersion(output: string): string {
  return /\b(\d{2}\.\d{2}\.\d{4,6})\b/.exec(output)?.[1] ?? '';
}

/** Releases without --version write the driver's version into a file of their working folder. */
async function queriedVersion(path: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tf-ocloc-'));
  try {
    await runIn(folder, [path, 'query', 'OCL_DRIVER_VERSION']);
    const file = join(folder, 'OCL_DRIVER_VERSION');
    return existsSync(file) ? oclocVersion(readFileSync(file, 'utf8')) : '';
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function knows({ path }: Compiler, chip: string): Promise<boolean> {
  return (await run([path, 'ids', chip])).code === 0;
}

async function compile({ path }: Compiler, request: Compile): Promise<Compiled[]> {
  const { folder, source, chips, output } = request;
  const image = `${output}.zebin`;
  const options = [...OPTIONS, ...sourceFlags(request)].join(' ');
  const target = ['-output', basename(image), '-output_no_suffix', '-out_dir', dirname(image), '--format', 'zebin'];
  rmSync(image, { force: true });
  const command = [path, 'compile', '-file', source, '-device', chips.join(','), ...target, '-options', options];
  const finished = await runIn(folder, command);
  rmSync(`${image}.spv`, { force: true });
  // Some releases end well after an unknown device or option.
  if (finished.code === 0 && existsSync(image)) return [{ chips, image }];
  const stdout = finished.stdout.replace(/^Command was: .*$/gm, '');
  return [{ chips, error: wordsOf({ ...finished, stdout }) }];
}
