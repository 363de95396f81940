/** Runs the arm64 executable of dist/release by the emulator, with the flags that are given: `bun scripts/release/arm64.ts --only rms_rows`. */
import { existsSync } from 'node:fs';
import { PROGRAM } from '../../src/cli/version.ts';
import { runner } from './check.ts';
import { RELEASE } from './release.ts';

const executable = `${RELEASE}/${PROGRAM}-linux-arm64/${PROGRAM}`;
const command = runner('linux-arm64');

if (!command || !existsSync(executable)) {
  console.error(
    command
      ? `${executable} is absent.\n  Run: bun scripts/build.ts --release linux-arm64`
      : 'Nothing here runs programs for arm64.\n  Install qemu-user-static, libc6-arm64-cross and libstdc++6-arm64-cross.',
  );
  process.exitCode = 2;
} else {
  const from = performance.now();
  const child = Bun.spawn([...command, executable, ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit'],
  });
  process.exitCode = await child.exited;
  console.error(`${((performance.now() - from) / 1000).toFixed(0)} s`);
}
