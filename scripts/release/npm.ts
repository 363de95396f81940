/**
 * The packages for npm: a launcher, and a package a platform with its executable, of which npm installs the one that fits. Nothing runs as
 * they are installed. The tarballs lie beside the archives.
 */
import { chmodSync, copyFileSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import type { Platform } from '../../src/device/toolchain/target.ts';
import { PROGRAM } from '../../src/cli/version.ts';

const nameOf = (platform: Platform): string => `@${PROGRAM}/${platform}`;

/** Packs the launcher, and for each platform what its folder in `release` holds. */
export function packNpm(release: string, platforms: readonly Platform[]): void {
  const stage = join(release, '.npm');
  try {
    for (const platform of platforms) packPlatform(release, stage, platform);
    packLauncher(release, stage, platforms);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

const MAN_PAGE = `${PROGRAM}.1`;

const COMMON = {
  version: manifest.version,
  license: manifest.license,
} as const;

function packPlatform(release: string, stage: string, platform: Platform): void {
  const [os = '', cpu = ''] = platform.split('-');
  const folder = join(stage, platform);
  mkdirSync(folder, { recursive: true });
  for (const file of [PROGRAM, 'LICENSES.txt'])
    copyFileSync(join(release, `${PROGRAM}-${platform}`, file), join(folder, file));
  chmodSync(join(folder, PROGRAM), 0o755);
  npmPack(folder, release, {
    name: nameOf(platform),
    ...COMMON,
    description: `The executable of ${PROGRAM} for ${os} on ${cpu}`,
    os: [os],
    cpu: [cpu],
    ...(os === 'linux' && { libc: ['glibc'] }),
    files: [PROGRAM, 'LICENSES.txt'],
    preferUnplugged: true,
  });
}

function packLauncher(release: string, stage: string, platforms: readonly Platform[]): void {
  const folder = join(stage, 'launcher');
  mkdirSync(folder, { recursive: true });
  cpSync(join(import.meta.dir, 'launcher.js'), join(folder, 'launcher.js'));
  for (const file of ['README.md', 'LICENSE']) cpSync(join(import.meta.dir, '../..', file), join(folder, file));
  cpSync(join(release, `${PROGRAM}-${platforms[0]}`, MAN_PAGE), join(folder, MAN_PAGE)); // every platform's is the same
  npmPack(folder, release, {
    name: PROGRAM,
    ...COMMON,
    description: manifest.description,
    bin: { [PROGRAM]: 'launcher.js' },
    man: MAN_PAGE,
    files: ['launcher.js', MAN_PAGE],
    optionalDependencies: Object.fromEntries(platforms.map((platform) => [nameOf(platform), manifest.version])),
  });
}

function npmPack(folder: string, release: string, contents: object): void {
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(contents, null, 2)}\n`);
  const { exitCode, stderr } = Bun.spawnSync(['npm', 'pack', '--silent', '--pack-destination', release], {
    cwd: folder,
    stdout: 'ignore',
  });
  if (exitCode !== 0) throw new Error(`npm does not pack ${folder}: ${stderr.toString().trim()}`);
}
