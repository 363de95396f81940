/** The flags of `--faults`, over those that every command has. */
import { UsageError } from './errors.ts';
import type { Options } from './flags.ts';
import { HELP, readFlags } from './flags.ts';
import { splitFlags } from './offline-flags.ts';

export const FAULTS_FLAGS = { faults: { type: 'boolean' } } as const;

/** Reads the arguments of `--faults`; throws a UsageError for whatever cannot be meant. */
export function readFaultsFlags(argv: readonly string[]): Options {
  const options = readFlags(splitFlags(FAULTS_FLAGS, argv).rest);
  if (options['no-controls'] || options.devices || options.version)
    throw new UsageError(
      `--faults runs planted faults alone: leave --no-controls, --devices and --version out.\n${HELP}`,
    );
  if (options.device !== 'host')
    throw new UsageError(`--faults runs on the host device: a fault may hang or damage another.\n${HELP}`);
  return options;
}
