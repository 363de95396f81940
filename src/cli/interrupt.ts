/** Ctrl-C and SIGTERM: say how far it came, leave nothing half-made, end with the code that shells give the signal. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE_FOLDER } from '../device/toolchain/flags.ts';

/** A run that is hung up has nobody to tell: its terminal is gone, or `--watch` begins another. */
const CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
type Signal = keyof typeof CODES;
const SIGNALS = Object.keys(CODES) as Signal[];

/** Does the work. A signal meanwhile ends the process, and `told` gives its last words on stderr. */
export async function interruptibly<T>(told: (signal: string) => string, work: () => Promise<T>): Promise<T> {
  const stop = (signal: Signal): never => {
    const words = told(signal);
    if (signal !== 'SIGHUP') console.error(words);
    removeTemporaries();
    // Workers run on otherwise: a launch cannot be called off.
    process.exit(CODES[signal]);
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  try {
    return await work();
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop);
  }
}

/** `Interrupted by SIGINT with 3 of 68 jobs done: …`. `journal`: the file that goes on from there. */
export function interruptedText(signal: string, done: number, total: number, journal?: string): string {
  return [
    `Interrupted by ${signal} with ${done} of ${total} jobs done, so there is no SUMMARY and no verdict holds for the run.`,
    journal === undefined
      ? '  Run the same command again, or less of it with --only.'
      : `  Run the same command again: it goes on from ${journal}.`,
  ].join('\n');
}

/** What compilers of this process had not finished. A name ends in `.PID-…` until it is whole. */
function removeTemporaries(): void {
  if (!existsSync(CACHE_FOLDER)) return;
  const own = `.${process.pid}-`;
  for (const name of readdirSync(CACHE_FOLDER).filter((each) => each.includes(own)))
    rmSync(join(CACHE_FOLDER, name), { force: true });
}
