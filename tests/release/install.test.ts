import { afterAll, afterEach, describe, expect, test } from 'bun:test';
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../../scripts/release/archive.ts';
import { PROGRAM } from '../../src/cli/version.ts';
import { ownPlatform } from '../../src/device/toolchain/target.ts';
import type { Ran } from '../cli/executable.ts';
import { ran } from '../cli/executable.ts';
import { fakeRelease, INSTALL, removeFolders, temporaryFolder } from './kit.ts';

const platform = ownPlatform();
const ARCHIVE = `${PROGRAM}-${platform}.tar.gz`;
const PATH = process.env['PATH'] ?? '';
afterEach(removeFolders);

const install = (home: string, args: readonly string[], path = PATH, more = {}): Promise<Ran> =>
  ran(['sh', INSTALL, ...args], { cwd: home, env: { HOME: home, PATH: path, ...more } });

/** Every file below a folder. */
const filesIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => name)
        .sort()
    : [];

describe('a release in a folder', () => {
  test('is installed for this user, and told where that is', async () => {
    const home = temporaryFolder();
    const { code, stdout, stderr } = await install(home, ['--from', fakeRelease(platform)]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toStartWith(
      `${PROGRAM} 0.0.0 fake\nInstalled as ${home}/.local/bin/${PROGRAM}, which is not on your PATH.`,
    );
    expect(statSync(join(home, `.local/bin/${PROGRAM}`)).mode & 0o777).toBe(0o755);
    expect(filesIn(join(home, '.local'))).toEqual(
      [PROGRAM, PROGRAM, `_${PROGRAM}`, `${PROGRAM}.1`, `${PROGRAM}.fish`, 'LICENSES.txt'].sort(),
    );
  });

  test('is installed anew over a program that runs', async () => {
    const home = temporaryFolder();
    const release = fakeRelease(platform);
    await install(home, [`--from=${release}`, '--prefix=mine']);
    const before = statSync(join(home, `mine/bin/${PROGRAM}`)).ino;
    const again = await install(home, ['--from', release, '--prefix', 'mine'], `${home}/mine/bin:${PATH}`);
    expect([again.code, again.stdout]).toEqual([0, `${PROGRAM} 0.0.0 fake\n`]);
    expect(statSync(join(home, `mine/bin/${PROGRAM}`)).ino).not.toBe(before);
  });

  test('is installed where SHA256SUMS is the one that is trusted', async () => {
    const [home, release] = [temporaryFolder(), fakeRelease(platform)];
    const trusted = sha256(readFileSync(join(release, 'SHA256SUMS')));
    expect((await install(home, ['--from', release, '--sha256', trusted])).code).toBe(0);
    const other = await install(home, ['--from', release, '--prefix', 'other', '--sha256', '0'.repeat(64)]);
    expect([other.code, other.stderr]).toEqual([
      1,
      `install.sh: SHA256SUMS of ${release} is not the one that --sha256 names\n  Nothing was installed.\n`,
    ]);
    expect(filesIn(join(home, 'other'))).toEqual([]);
  });
});

describe('nothing is installed', () => {
  test('of a program that does not run here', async () => {
    const [home, release] = [temporaryFolder(), fakeRelease(platform)];
    const again = await install(home, ['--from', release], PATH, { FAKE_FAILS: '1' });
    expect([again.code, again.stderr.split('\n')[0], filesIn(home)]).toEqual([
      1,
      `install.sh: ${PROGRAM} does not run on this system, or not from ${home}/.local/bin`,
      [],
    ]);
  });

  test('by a script whose download was cut short', async () => {
    const [home, release] = [temporaryFolder(), fakeRelease(platform)];
    const text = readFileSync(INSTALL, 'utf8');
    for (const end of ['put_beside 755', 'install_file 644', 'case ":${PATH']) {
      writeFileSync(join(home, 'cut.sh'), text.slice(0, text.lastIndexOf(end)));
      const { code, stdout } = await ran(['sh', 'cut.sh', '--from', release], { cwd: home, env: { HOME: home, PATH } });
      expect([code !== 0, stdout, filesIn(home)]).toEqual([true, '', ['cut.sh']]);
    }
  });

  const refused = async (spoil: (release: string) => void): Promise<string> => {
    const [home, release] = [temporaryFolder(), fakeRelease(platform)];
    spoil(release);
    const { code, stdout, stderr } = await install(home, ['--from', release]);
    expect([code, stdout, filesIn(home)]).toEqual([1, '', []]);
    return stderr;
  };

  test('of an archive that was changed', async () => {
    const stderr = await refused((release) => {
      const bytes = readFileSync(join(release, ARCHIVE));
      bytes[bytes.length >> 1]! ^= 1;
      writeFileSync(join(release, ARCHIVE), bytes);
    });
    expect(stderr).toStartWith(`install.sh: ${ARCHIVE} is not what SHA256SUMS says: `);
  });

  test('of an archive that SHA256SUMS does not list', async () => {
    const stderr = await refused((release) =>
      writeFileSync(join(release, 'SHA256SUMS'), `${'0'.repeat(64)}  other.tar.gz\n`),
    );
    expect(stderr).toContain(`does not list ${ARCHIVE}`);
  });

  test('of an archive that is not there', async () => {
    const stderr = await refused((release) => Bun.spawnSync(['rm', join(release, ARCHIVE)]));
    expect(stderr).toContain(`/${ARCHIVE} cannot be read`);
  });

  test('on a system that has no release', async () => {
    const home = temporaryFolder();
    mkdirSync(join(home, 'bin'));
    writeFileSync(join(home, 'bin/uname'), '#!/bin/sh\n[ "$1" = -s ] && echo FreeBSD || echo amd64\n', { mode: 0o755 });
    const { code, stderr } = await install(home, ['--from', fakeRelease(platform)], `${home}/bin:${PATH}`);
    expect([code, stderr.split('\n')[0]]).toEqual([1, 'install.sh: there is no release for FreeBSD on amd64']);
  });

  test.skipIf(process.getuid?.() === 0)('where the prefix cannot be written (needs not to be root)', async () => {
    const home = temporaryFolder();
    mkdirSync(join(home, 'closed'));
    chmodSync(join(home, 'closed'), 0o500);
    const { code, stderr } = await install(home, ['--from', fakeRelease(platform), '--prefix', 'closed']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('cannot be made\n  Name another folder by --prefix.')]);
  });

  test('by a wrong command', async () => {
    const home = temporaryFolder();
    for (const args of [[], ['--from'], ['--from', 'x', '--prefx', 'y']]) {
      const { code, stderr } = await install(home, args);
      expect([code, stderr.split('\n')[1]]).toEqual([2, '  sh install.sh --help says what it takes.']);
    }
    expect((await install(home, ['--help'])).stdout).toContain('--prefix DIR');
  });
});

describe('a release at an address', () => {
  let folder = '';
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      const file = Bun.file(join(folder, new URL(request.url).pathname));
      return (await file.exists()) ? new Response(file) : new Response('none', { status: 404 });
    },
  });
  afterAll(() => server.stop(true));
  const address = `http://127.0.0.1:${server.port}`;

  /** A PATH on which of curl and wget one alone is. */
  function pathWith(tool: string): string {
    const bin = temporaryFolder();
    const tools = [
      'sh',
      'awk',
      'cat',
      'chmod',
      'cp',
      'cut',
      'dirname',
      'gzip',
      'mkdir',
      'mktemp',
      'mv',
      'rm',
      'sha256sum',
      'tar',
      'uname',
    ];
    for (const name of [...tools, tool]) Bun.spawnSync(['ln', '-s', Bun.which(name) ?? name, join(bin, name)]);
    return bin;
  }

  test.each(['curl', 'wget'].filter((tool) => Bun.which(tool)))('is downloaded by %s and installed', async (tool) => {
    folder = fakeRelease(platform);
    const home = temporaryFolder();
    const { code, stdout, stderr } = await install(home, ['--from', `${address}/`], pathWith(tool));
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toStartWith(`${PROGRAM} 0.0.0 fake\n`);
  });

  test('that has no file leaves nothing behind', async () => {
    folder = temporaryFolder();
    const home = temporaryFolder();
    const { code, stderr } = await install(home, ['--from', address]);
    expect([code, stderr.trimEnd().split('\n').at(-1)]).toEqual([
      1,
      `install.sh: ${address}/SHA256SUMS does not download`,
    ]);
    expect(filesIn(home)).toEqual([]);
  });
});
