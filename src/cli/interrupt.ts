/** Ctrl-C and SIGTERM: say how far it came, leave nothing half-made, end with the code that shells give the signal. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../spec/message-of.ts';
import { printError } from './print.ts';
import { CACHE_FOLDER } from '../device/toolchain/flags.ts';

/** A run that is hung up has nobody to tell: its terminal is gone, or `--watch` begins another. */
const CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
type Signal = keyof typeof CODES;
const SIGNALS = Object.keys(CODES) as Signal[];

/** What ended a run, and the code that it ends with. */
export interface Interruption {
  readonly signal: Signal;
  readonly exitCode: number;
}

/**
 * Does the work. A signal meanwhile ends the process: `told` writes what is to be left and gives the last words on stderr. Another
 * signal does not wait for that.
 */
export async function interruptibly<T>(
  told: (interruption: Interruption) => string | Promise<string>,
  work: () => Promise<T>,
): Promise<T> {
  let isStopping = false;
  const stop = async (signal: Signal): Promise<void> => {
    const exitCode = CODES[signal];
    if (!isStopping) {
      isStopping = true;
      const words = await lastWords(() => told({ signal, exitCode }));
      if (signal !== 'SIGHUP') printError(words);
    }
    removeTemporaries();
    // Workers run on otherwise: a launch cannot be called off.
    process.exit(exitCode);
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  try {
    return await work();
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop);
  }
}

/** A run ends by its signal whatever comes of writing what it leaves. */
async function lastWords(told: () => string | Promise<string>): Promise<string> {
  try {
    return await told();
  } catch (error) {
    return `Nothing could be written of the run: ${messageOf(error)}`;
  }
}

/** `Interrupted by SIGINT with 3 of 68 jobs done: …`. `journal`: the file that goes on from there; `reports`: files that hold what was done. */
export function interruptedText(
  { signal }: Interruption,
  done: number,
  total: number,
  { journal, reports = [] }: { readonly journal?: string | undefined; readonly reports?: readonly string[] } = {},
): string {
  return [
    `Interrupted by ${signal} with ${done} of ${total} jobs done, so there is no SUMMARY and no verdict holds for the run.`,
    journal === undefined
      ? '  Run the same command again, or less of it with --only.'
      : `  Run the same command again: it goes on from ${journal}.`,
    ...(reports.length > 0
      ? [
          `  What was done is in ${reports.join(', ')}, which ${reports.length > 1 ? 'say' : 'says'} that it is partial.`,
        ]
      : []),
  ].join('\n');
}

/** What compilers of this process had not finished. A name ends in `.PID-…` until it is whole. */
function removeTemporaries(): void {
  if (!existsSync(CACHE_FOLDER)) return;
  const own = `.${process.pid}-`;
  for (const name of readdirSync(CACHE_FOLDER).filter((each) => each.includes(own)))
    rmSync(join(CACHE_FOLDER, name), { force: true });
}
