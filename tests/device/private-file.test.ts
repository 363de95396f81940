import { afterAll, afterEach, expect, test } from 'bun:test';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { ABI_VERSION } from '../../src/device/abi.ts';
import { privateFile, privateFolders } from '../../src/device/private-file.ts';
import { openFirst } from '../../src/device/shim.ts';
import { buildRuntime } from '../../src/device/toolchain/runtime.ts';

const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function base(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tf-test-'));
  made.push(folder);
  return folder;
}

const BYTES = new Uint8Array(100_000).map((_, i) => i * 7);

test('a file is written whole, for this user alone, and found again', () => {
  const folder = join(base(), 'deep/cache');
  const path = privateFile(folder, BYTES);
  expect(new Uint8Array(readFileSync(path))).toEqual(BYTES);
  expect(statSync(path).mode & 0o777).toBe(0o500);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  const before = statSync(path).ino;
  expect(privateFile(folder, BYTES)).toBe(path);
  expect(statSync(path).ino).toBe(before);
  expect(readdirSync(folder)).toEqual([basename(path)]);
});

test('a file that was changed, cut or opened to others is replaced', () => {
  const folder = join(base(), 'cache');
  const path = privateFile(folder, BYTES);
  const spoil = [
    () =>
      writeFileSync(
        path,
        BYTES.map((byte) => byte ^ 1),
      ),
    () => writeFileSync(path, BYTES.slice(1)),
    () => chmodSync(path, 0o777),
  ];
  for (const damage of spoil) {
    chmodSync(path, 0o700);
    damage();
    expect(privateFile(folder, BYTES)).toBe(path);
    expect(new Uint8Array(readFileSync(path))).toEqual(BYTES);
    expect(statSync(path).mode & 0o777).toBe(0o500);
  }
});

test('a link in the place of a file is replaced, and what it leads to left alone', () => {
  const root = base();
  const folder = join(root, 'cache');
  const path = privateFile(folder, BYTES);
  const elsewhere = join(root, 'elsewhere');
  writeFileSync(elsewhere, BYTES, { mode: 0o500 });
  rmSync(path);
  symlinkSync(elsewhere, path);
  privateFile(folder, BYTES);
  expect(lstatSync(path).isSymbolicLink()).toBe(false);
  expect(existsSync(elsewhere)).toBe(true);
});

test('a folder that is a link is refused, and one that others may enter is closed to them', () => {
  const root = base();
  mkdirSync(join(root, 'real'));
  symlinkSync(join(root, 'real'), join(root, 'link'));
  expect(() => privateFile(join(root, 'link'), BYTES)).toThrow('is no folder');
  expect(readdirSync(join(root, 'real'))).toEqual([]);
  mkdirSync(join(root, 'open'), { mode: 0o755 });
  privateFile(join(root, 'open'), BYTES);
  expect(statSync(join(root, 'open')).mode & 0o777).toBe(0o700);
});

test('a folder that cannot be made says why', () => {
  const root = base();
  writeFileSync(join(root, 'file'), '');
  expect(() => privateFile(join(root, 'file/cache'), BYTES)).toThrow(/ENOTDIR|EEXIST/);
});

/** A folder that nothing may run from; none where this user may not mount. */
const NOEXEC = ((): string | undefined => {
  const folder = mkdtempSync(join(tmpdir(), 'tf-test-noexec-'));
  const { exitCode } = Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', 'noexec,mode=0700', 'tf-test', folder], {
    stderr: 'ignore',
  });
  if (exitCode === 0) return folder;
  rmSync(folder, { recursive: true });
  return undefined;
})();
afterAll(() => {
  if (NOEXEC === undefined) return;
  Bun.spawnSync(['umount', '-l', NOEXEC]);
  rmSync(NOEXEC, { recursive: true });
});

test.skipIf(NOEXEC === undefined)(
  'a library loads from the next folder where one lets nothing run (needs to mount)',
  async () => {
    const runtime = await buildRuntime();
    const blocked = join(NOEXEC ?? '', 'cache');
    expect(() => openFirst(runtime, [blocked])).toThrow('does not load from any folder');
    const next = join(base(), 'cache');
    expect(openFirst(runtime, [blocked, next]).symbols.tf_abi_version()).toBe(ABI_VERSION);
    expect(readdirSync(next)).toHaveLength(1);
  },
);

test('folders are tried from the one that is named to the temporary one', () => {
  const folders = privateFolders({ TF_CACHE_DIR: '/named', XDG_CACHE_HOME: '/cache' });
  expect(folders.slice(0, 2)).toEqual(['/named', '/cache/tf-kernel-contract']);
  expect(folders.at(-1)).toStartWith(join(tmpdir(), 'tf-kernel-contract-'));
  expect(privateFolders({})).toHaveLength(2);
});

test('forty processes that write one file at once find it whole', async () => {
  const folder = join(base(), 'cache');
  const module = join(import.meta.dir, '../../src/device/private-file.ts');
  const script = `
    const { privateFile } = await import(${JSON.stringify(module)});
    const bytes = new Uint8Array(${BYTES.length}).map((_, i) => i * 7);
    const path = privateFile(${JSON.stringify(folder)}, bytes);
    const found = require('node:fs').readFileSync(path);
    if (Buffer.compare(found, bytes) !== 0) process.exit(1);
    console.log(path);`;
  const processes = Array.from({ length: 40 }, () => Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe' }));
  const answers = await Promise.all(processes.map(({ stdout }) => new Response(stdout).text()));
  const codes = await Promise.all(processes.map(({ exited }) => exited));
  expect(codes).toEqual(Array.from({ length: 40 }, () => 0));
  expect(new Set(answers).size).toBe(1);
  expect(readdirSync(folder)).toHaveLength(1);
});
