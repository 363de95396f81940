/**
 * Runs dist/tf-kernel-contract where nothing is but a bare Debian: no node, no Bun, no compiler, no GPU. As root, since it makes the
 * system by debootstrap (`bun scripts/release/bare-root.ts [--quick] [FOLDER]`; a folder that is there is used again) and mounts a HOME that is
 * read-only and a temporary folder from which nothing may run. The working folder's bunfig.toml and .env are hostile. `--quick` leaves the whole contract out.
 */
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../binary/build-for.ts';

const words = process.argv.slice(2);
const isQuick = words.includes('--quick');
const bare = words.find((word) => word !== '--quick') ?? '/var/tmp/tf-bare';
/** The working folder, as it is called in the bare system. */
const HOSTILE = '/hostile';
const RAN = 'the folder ran its own code';

interface Check {
  readonly what: string;
  readonly args: readonly string[];
  readonly code: number;
  /** What its output ends with. */
  readonly ends: RegExp;
}

const CHECKS: readonly Check[] = [
  { what: 'version', args: ['--version'], code: 0, ends: /^tf-kernel-contract \S+ \(.*\)$/ },
  { what: 'gate 5', args: ['--gate', 'limits'], code: 0, ends: /^SUMMARY .* 0 limit problems/ },
  { what: 'a kernel that is not there', args: ['--only', 'no_such_kernel'], code: 1, ends: /\S/ },
  { what: 'the whole contract', args: [], code: 0, ends: /^SUMMARY .* 0 fail.* 0 missed/ },
];

function must(...command: readonly string[]): void {
  const { exitCode, stderr } = Bun.spawnSync([...command], { stdout: 'ignore', stderr: 'pipe' });
  if (exitCode !== 0) throw new Error(`${command.join(' ')} ended with ${exitCode}: ${stderr.toString().trim()}`);
}

function prepare(): void {
  if (!existsSync(join(bare, 'bin'))) must('debootstrap', '--variant=minbase', 'bookworm', bare);
  for (const name of [HOSTILE, 'home', 'noexec']) mkdirSync(join(bare, name), { recursive: true });
  cpSync(join(ROOT, 'dist/tf-kernel-contract'), join(bare, 'usr/local/bin/tf-kernel-contract'));
  const work = join(bare, HOSTILE);
  writeFileSync(join(work, 'bunfig.toml'), 'preload = ["./preload.ts"]\n');
  writeFileSync(
    join(work, 'preload.ts'),
    `require('node:fs').writeFileSync('${HOSTILE}/ran', '');\nconsole.log('${RAN}');\n`,
  );
  writeFileSync(join(work, '.env'), `FORCE_COLOR=1\nBUN_OPTIONS=--preload=${HOSTILE}/preload.ts\n`);
  rmSync(join(work, 'ran'), { force: true });
  must('mount', '-t', 'proc', 'proc', join(bare, 'proc'));
  must('mount', '-t', 'tmpfs', '-o', 'ro', 'tf-home', join(bare, 'home'));
  must('mount', '-t', 'tmpfs', '-o', 'noexec', 'tf-noexec', join(bare, 'noexec'));
}

function run({ what, args, code, ends }: Check): boolean {
  const from = performance.now();
  const environment = ['HOME=/home', 'TMPDIR=/noexec', 'PATH=/usr/local/bin:/usr/bin:/bin'];
  const inside = ['env', '-i', '-C', HOSTILE, ...environment, 'tf-kernel-contract', ...args];
  const { exitCode, stdout, stderr } = Bun.spawnSync(['chroot', bare, ...inside], { maxBuffer: 1 << 28 });
  const output = stdout.toString() + stderr.toString();
  const last = stdout.toString().trimEnd().split('\n').at(-1) || stderr.toString().trimEnd();
  const isHostile = output.includes(RAN) || existsSync(join(bare, HOSTILE, 'ran')) || output.includes('\u001b[');
  const isRight = exitCode === code && ends.test(last) && !isHostile;
  console.log(
    `${isRight ? 'PASS' : 'FAIL'}  ${what}  exit ${exitCode}  ${((performance.now() - from) / 1000).toFixed(1)} s`,
  );
  console.log(`      ${last}`);
  if (isHostile) console.log('      the working folder was obeyed');
  return isRight;
}

try {
  prepare();
  const results = CHECKS.filter(({ args }) => !isQuick || args.length > 0).map(run);
  process.exitCode = results.every(Boolean) ? 0 : 1;
} finally {
  for (const name of ['home', 'noexec', 'proc'])
    Bun.spawnSync(['umount', '-l', join(bare, name)], { stderr: 'ignore' });
}
