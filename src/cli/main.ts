/** One command: read the flags, do what they ask, and tell whatever is thrown in one place. Returns the exit code. */
import type { ExitCode } from './errors.ts';
import { tell } from './errors.ts';
import { isFaults, isOffline, readFlags } from './flags.ts';

/** Runs the command behind the program's name. Nothing here ends the process, so that all output reaches its pipe. */
export async function main(argv: readonly string[]): Promise<ExitCode> {
  try {
    return await command(argv);
  } catch (error) {
    const { text, code } = tell(error);
    console.error(text);
    return code;
  }
}

async function command(argv: readonly string[]): Promise<ExitCode> {
  if (argv[0] === 'limits') return (await import('./limits.ts')).limits(argv.slice(1));
  if (isOffline(argv)) return (await import('./offline.ts')).offline(argv);
  if (isFaults(argv)) return (await import('./faults.ts')).faults(argv);
  const options = readFlags(argv);
  if (options.help) return print((await import('./usage.ts')).USAGE.trimEnd());
  if (options.version) return print((await import('./version.ts')).versionText());
  if (options.devices) return print((await (await import('./devices.ts')).deviceLines()).join('\n'));
  return (await import('./run.ts')).run(options);
}

function print(text: string): ExitCode {
  console.log(text);
  return 0;
}
