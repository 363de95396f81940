/** A release: the executable of each platform, in dist/release/<platform>. */
import { join } from 'node:path';
import type { Platform } from '../../src/device/toolchain/target.ts';
import { buildFor, ROOT } from '../binary/build-for.ts';

export const RELEASE = join(ROOT, 'dist/release');

export async function buildRelease(platforms: readonly Platform[]): Promise<void> {
  for (const platform of platforms) {
    const from = performance.now();
    const images = await buildFor(platform, join(RELEASE, platform, 'tf-kernel-contract'));
    console.log(`${platform}  ${images} images  ${((performance.now() - from) / 1000).toFixed(1)} s`);
  }
}
