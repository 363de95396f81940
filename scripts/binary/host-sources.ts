/** Puts the host device's headers into the executable, which compiles contracts from outside with them. */
import type { BunPlugin } from 'bun';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hostHash } from '../../src/device/toolchain/host.ts';
import { bakedModule } from './baked.ts';

const HEADERS = 'ffi/host';
/** What a compile of an image reads: the runtime is embedded as it is built. */
const READ = ['dialect/**/*', '*.h', '*.c'];

/** The texts by their paths below the folder of headers. */
export function headerTexts(root: string): Record<string, string> {
  const folder = join(root, HEADERS);
  const paths = READ.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: folder })]).toSorted();
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
}

export function bakedHost(root: string): BunPlugin[] {
  const hash = hostHash(join(root, HEADERS), join(root, 'src/device/toolchain')).slice(0, 32);
  const texts = (): string => JSON.stringify(JSON.stringify(headerTexts(root)));
  return [
    bakedModule('baked host hash', /\/toolchain\/host-hash\.ts$/, () => `export const HOST_HASH = '${hash}';`),
    bakedModule(
      'baked host sources',
      /\/toolchain\/host-sources\.ts$/,
      () => `export const hostSources = () => JSON.parse(${texts()});`,
    ),
  ];
}
