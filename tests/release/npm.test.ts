import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packNpm } from '../../scripts/release/npm.ts';
import { PROGRAM, VERSION } from '../../src/cli/version.ts';
import { ownPlatform } from '../../src/device/toolchain/target.ts';
import { ran } from '../cli/executable.ts';
import { fakeRelease, removeFolders, temporaryFolder } from './kit.ts';

const platform = ownPlatform();
const other = platform === 'darwin-arm64' ? 'linux-x64' : 'darwin-arm64';
let home = '';
const env = {
  PATH: process.env['PATH'],
  get HOME() {
    return home;
  },
};

beforeAll(async () => {
  const release = fakeRelease(platform, other);
  packNpm(release, [platform, other]);
  home = temporaryFolder();
  writeFileSync(join(home, 'package.json'), '{}');
  const tarballs = [`${PROGRAM}-${VERSION}.tgz`, `${PROGRAM}-${platform}-${VERSION}.tgz`].map((name) =>
    join(release, name),
  );
  const flags = ['--offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { code, stderr } = await ran(['npm', 'install', ...flags, ...tarballs], { cwd: home, env });
  if (code !== 0) throw new Error(stderr);
}, 120_000);
afterAll(removeFolders);

const launched = (...args: readonly string[]) =>
  ran([join(home, `node_modules/.bin/${PROGRAM}`), ...args], { cwd: home, env });

describe('the packages, installed from their tarballs without a network', () => {
  test('are the launcher and the executable of this platform', () => {
    expect(readdirSync(join(home, `node_modules/@${PROGRAM}`))).toEqual([platform]);
    const { optionalDependencies, scripts, man } = JSON.parse(
      readFileSync(join(home, `node_modules/${PROGRAM}/package.json`), 'utf8'),
    );
    expect(readFileSync(join(home, `node_modules/${PROGRAM}`, man), 'utf8')).toStartWith('.TH ');
    expect(Object.keys(optionalDependencies)).toEqual([platform, other].map((name) => `@${PROGRAM}/${name}`));
    expect(scripts).toBeUndefined();
  });

  test('run by npx', async () => {
    const { code, stdout } = await ran(['npx', '--offline', PROGRAM, '--version'], { cwd: home, env });
    expect([code, stdout]).toEqual([0, `${PROGRAM} 0.0.0 fake\n`]);
  });

  test('pass arguments on as they are', async () => {
    const words = ['two words', '--flag=*', '', "'"];
    expect((await launched(...words)).stdout).toBe(words.map((word) => `<${word}>\n`).join(''));
  });

  test('end with the code of the executable', async () => {
    for (const code of [1, 2, 70]) expect((await launched('code', String(code))).code).toBe(code);
  });

  test('end by the signal that ended the executable', async () => {
    const child = Bun.spawn([join(home, `node_modules/.bin/${PROGRAM}`), 'die', 'KILL'], { cwd: home, env });
    await child.exited;
    expect(child.signalCode).toBe('SIGKILL');
  });

  test('hand a signal on', async () => {
    const child = Bun.spawn([join(home, `node_modules/.bin/${PROGRAM}`), 'wait'], { cwd: home, env, stdout: 'pipe' });
    const reader = child.stdout.getReader();
    await reader.read();
    child.kill('SIGTERM');
    expect(new TextDecoder().decode((await reader.read()).value)).toBe('got TERM\n');
    expect(await child.exited).toBe(7);
  });

  test('say what is missing where the executable was left out', async () => {
    const launcher = join(home, 'alone/launcher.js');
    const packed = join(home, `node_modules/${PROGRAM}`);
    for (const file of ['launcher.js', 'package.json'])
      await Bun.write(join(home, 'alone', file), Bun.file(join(packed, file)));
    Bun.spawnSync(['mv', join(home, `node_modules/@${PROGRAM}`), join(home, 'away')]);
    const { code, stderr } = await ran(['node', launcher], { cwd: home, env });
    Bun.spawnSync(['mv', join(home, 'away'), join(home, `node_modules/@${PROGRAM}`)]);
    expect(code).toBe(70);
    expect(stderr).toContain(`Run: npm install @${PROGRAM}/${platform}@${VERSION}`);
  });
});
