/** What CI asks of the text itself: types, format, lint, and a lockfile that names no host. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dir, '..');
const FOLDERS = ['src', 'scripts', 'tests', 'kernels'];

interface Check {
  readonly name: string;
  readonly command: readonly string[];
  /** What to run where it fails. */
  readonly fix: string;
}

const CHECKS: readonly Check[] = [
  { name: 'types', command: [process.execPath, 'check', '--no-script'], fix: 'each line names a file and its fault' },
  { name: 'format', command: [process.execPath, 'fmt', '--check', ...FOLDERS], fix: `bun fmt ${FOLDERS.join(' ')}` },
  {
    name: 'lint',
    command: [join(ROOT, 'node_modules/.bin/oxlint'), '--deny-warnings', ...FOLDERS],
    fix: 'each message names its rule',
  },
];

async function passes({ name, command, fix }: Check): Promise<boolean> {
  const child = Bun.spawn([...command], { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  console.log(`${code === 0 ? 'PASS' : 'FAIL'}  ${name}`);
  if (code !== 0) console.log(`${(out + err).trimEnd()}\n      Fix: ${fix}`);
  return code === 0;
}

/** A recorded address would tie every clone to one registry. */
function lockfileIsHostless(): boolean {
  const isHostless = !readFileSync(join(ROOT, 'package-lock.json'), 'utf8').includes('"resolved"');
  console.log(`${isHostless ? 'PASS' : 'FAIL'}  lockfile`);
  if (!isHostless)
    console.log('      Fix: delete package-lock.json and run npm install; .npmrc leaves the addresses out');
  return isHostless;
}

const passed = [...(await Promise.all(CHECKS.map(passes))), lockfileIsHostless()];
process.exitCode = passed.every(Boolean) ? 0 : 1;
