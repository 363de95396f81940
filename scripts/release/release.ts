/**
 * A release, in dist/release: for each platform the executable with its notices, man page and completions, as a folder and as an archive;
 * the packages for npm; install.sh; the hashes of them all. A part that its checks refuse is not packed.
 */
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Platform } from '../../src/device/toolchain/target.ts';
import { buildFor, ROOT } from '../binary/build-for.ts';
import { pack, writeSums } from './archive.ts';
import { checkExecutable } from './check.ts';
import { writeCompanions } from './companions.ts';
import { packNpm } from './npm.ts';
import { PROGRAM } from '../../src/cli/version.ts';

export const RELEASE = join(ROOT, 'dist/release');

export async function buildRelease(platforms: readonly Platform[]): Promise<void> {
  rmSync(RELEASE, { recursive: true, force: true });
  for (const platform of platforms) {
    const from = performance.now();
    const folder = join(RELEASE, `${PROGRAM}-${platform}`);
    const images = await buildFor(platform, join(folder, PROGRAM));
    const checked = await checkExecutable(platform, join(folder, PROGRAM));
    writeCompanions(folder);
    pack(RELEASE, `${PROGRAM}-${platform}`, join(RELEASE, `${PROGRAM}-${platform}.tar.gz`));
    const seconds = ((performance.now() - from) / 1000).toFixed(1);
    console.log(`${platform}  ${images} images  ${checked}  ${seconds} s`);
  }
  packNpm(RELEASE, platforms);
  cpSync(join(import.meta.dir, 'install.sh'), join(RELEASE, 'install.sh'));
  writeSums(RELEASE);
}
