#!/usr/bin/env node
// Runs the executable of this platform's package, and ends as it ends: with its exit code, or by its signal.
'use strict';
const { spawn } = require('node:child_process');
const { constants } = require('node:os');

const platform = `${process.platform}-${process.arch}`;

/** The executable's path: TF_KERNEL_CONTRACT_BINARY, or that of the package. */
function executable() {
  const named = process.env.TF_KERNEL_CONTRACT_BINARY;
  if (named) return named;
  const name = `@tf-kernel-contract/${platform}`;
  try {
    return require.resolve(`${name}/tf-kernel-contract`);
  } catch {
    const known = Object.keys(require('./package.json').optionalDependencies);
    const what = known.includes(name)
      ? `The package ${name} is not installed.\n  npm leaves it out under --omit=optional, and where a lockfile was made on another platform.\n  Run: npm install ${name}@${require('./package.json').version}`
      : `There is no executable for ${platform}.\n  There are ${known.map((one) => one.split('/')[1]).join(', ')}; elsewhere run from source.`;
    console.error(`tf-kernel-contract: ${what}`);
    process.exit(70);
  }
}

const child = spawn(executable(), process.argv.slice(2), { stdio: 'inherit' });

// A terminal gives Ctrl-C to both; what only this process got is handed on.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'])
  process.on(signal, () => {
    if (!(signal === 'SIGINT' && process.stdin.isTTY)) child.kill(signal);
  });

child.on('error', (error) => {
  console.error(`tf-kernel-contract: the executable does not start: ${error.message}`);
  process.exitCode = 70;
});

child.on('exit', (code, signal) => {
  if (signal === null) {
    process.exitCode = code;
    return;
  }
  process.removeAllListeners(signal);
  process.exitCode = 128 + (constants.signals[signal] ?? 0); // where the signal does not end this process
  process.kill(process.pid, signal);
});
