/** A release with a program in the executable's place that tells how it was called. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Platform } from '../../src/device/toolchain/target.ts';
import { PROGRAM } from '../../src/cli/version.ts';
import { pack, writeSums } from '../../scripts/release/archive.ts';
import { writeCompanions } from '../../scripts/release/companions.ts';

export const INSTALL = join(import.meta.dir, '../../scripts/release/install.sh');

const made: string[] = [];

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tf-test-'));
  made.push(folder);
  return folder;
}

export function removeFolders(): void {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** Ends with the code that it is told, or by a signal. */
const FAKE = `#!/bin/sh
if [ -n "$FAKE_FAILS" ]; then exit 1; fi
case "$1" in
  --version) echo "tf-kernel-contract 0.0.0 fake" ;;
  code) exit "$2" ;;
  die) kill -"$2" $$ ;;
  wait) trap 'echo "got TERM"; exit 7' TERM; echo waiting; while :; do sleep 0.05; done ;;
  *) for word in "$@"; do echo "<$word>"; done ;;
esac
`;

/** The folder of a release for some platforms, with its archives and their hashes. */
export function fakeRelease(...platforms: readonly Platform[]): string {
  const release = temporaryFolder();
  for (const platform of platforms) {
    const name = `${PROGRAM}-${platform}`;
    mkdirSync(join(release, name));
    writeFileSync(join(release, name, PROGRAM), FAKE, { mode: 0o755 });
    writeCompanions(join(release, name));
    pack(release, name, join(release, `${name}.tar.gz`));
  }
  writeSums(release);
  return release;
}
