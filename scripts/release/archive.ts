/** Archives whose bytes depend on their files alone, and the list of their hashes. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeWhole } from '../../src/device/toolchain/cache.ts';

const FIXED = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mtime=@0', '--format=ustar'];

/** Packs the folder `name` in `parent`; throws where tar does not. */
export function pack(parent: string, name: string, archive: string): void {
  const { exitCode, stdout, stderr } = Bun.spawnSync(['tar', ...FIXED, '-C', parent, '-cf', '-', name], {
    maxBuffer: 1 << 30,
  });
  if (exitCode !== 0) throw new Error(`tar does not pack ${name}: ${stderr.toString().trim()}`);
  writeWhole(archive, Bun.gzipSync(new Uint8Array(stdout), { level: 9 }));
}

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Writes SHA256SUMS over the files of a folder, as `sha256sum -c` reads it. */
export function writeSums(folder: string): void {
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  const names = files.map(({ name }) => name).filter((name) => name !== 'SHA256SUMS');
  const lines = names.sort().map((name) => `${sha256(readFileSync(join(folder, name)))}  ${name}\n`);
  writeWhole(join(folder, 'SHA256SUMS'), lines.join(''));
}
