/**
 * Builds the release twice, the second time from a copy of the files in another folder, and compares every file's hash:
 * `bun scripts/release/reproduce.ts [PLATFORM...]`. Both take the images from one cache; TF_HOST_CACHE with an empty folder has the
 * first build make them, and the second find them.
 */
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../binary/build-for.ts';

/** Builds in a folder; what its SHA256SUMS lists. */
function build(root: string, cache: string): string[] {
  const command = [process.execPath, 'scripts/build.ts', '--release', ...process.argv.slice(2)];
  const { exitCode } = Bun.spawnSync(command, {
    cwd: root,
    env: { ...process.env, TF_HOST_CACHE: cache },
    stdio: ['inherit', 'inherit', 'inherit'],
  });
  if (exitCode !== 0) throw new Error(`the build in ${root} ended with ${exitCode}`);
  return readFileSync(join(root, 'dist/release/SHA256SUMS'), 'utf8').trim().split('\n');
}

const copy = mkdtempSync(join(tmpdir(), 'tf-reproduce-'));
try {
  const cache = process.env['TF_HOST_CACHE'] ?? join(ROOT, 'build/host/cache');
  const first = build(ROOT, cache);
  const clone = Bun.spawnSync(['git', 'clone', '--quiet', ROOT, join(copy, 'tree')], { stderr: 'inherit' });
  if (clone.exitCode !== 0) throw new Error('the repository does not clone');
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'tree/node_modules'));
  const second = build(join(copy, 'tree'), cache);
  const different = first.filter((line) => !second.includes(line));
  for (const line of different) console.log(`DIFFERENT  ${line.slice(66)}`);
  console.log(`${first.length} files, ${different.length} different`);
  process.exitCode = different.length > 0 || first.length !== second.length ? 1 : 0;
} finally {
  rmSync(copy, { recursive: true, force: true });
}
