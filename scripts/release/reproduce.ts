/**
 * Builds the release twice, from copies of the commit in two folders, and compares every file's hash:
 * `bun scripts/release/reproduce.ts [PLATFORM...]`. Packages are copied too: names in the executable come from where they lie in the
 * tree. Both builds take images from one cache, TF_HOST_CACHE: where that is an empty folder the first makes them and the second finds them.
 */
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../binary/build-for.ts';

const copies = mkdtempSync(join(tmpdir(), 'tf-reproduce-'));
const cache = process.env['TF_HOST_CACHE'] ?? join(ROOT, 'build/host/cache');

/** Builds in a folder of its own; what its SHA256SUMS lists. */
function build(name: string): string[] {
  const root = join(copies, name);
  const clone = Bun.spawnSync(['git', 'clone', '--quiet', ROOT, root], { stderr: 'inherit' });
  if (clone.exitCode !== 0) throw new Error('the repository does not clone');
  cpSync(realpathSync(join(ROOT, 'node_modules')), join(root, 'node_modules'), {
    recursive: true,
    verbatimSymlinks: true,
  });
  const { exitCode } = Bun.spawnSync([process.execPath, 'scripts/build.ts', '--release', ...process.argv.slice(2)], {
    cwd: root,
    env: { ...process.env, TF_HOST_CACHE: cache },
    stdio: ['inherit', 'inherit', 'inherit'],
  });
  if (exitCode !== 0) throw new Error(`the build in ${root} ended with ${exitCode}`);
  return readFileSync(join(root, 'dist/release/SHA256SUMS'), 'utf8').trim().split('\n');
}

try {
  const first = build('one');
  const second = build('another/place');
  const different = first.filter((line) => !second.includes(line));
  for (const line of different) console.log(`DIFFERENT  ${line.slice(66)}`);
  console.log(`${first.length} files, ${different.length} different`);
  process.exitCode = different.length > 0 || first.length !== second.length ? 1 : 0;
} finally {
  rmSync(copies, { recursive: true, force: true });
}
