/** One command: read the flags, do what they ask, and tell whatever is thrown in one place. Returns the exit code. */
import type { ExitCode } from './errors.ts';
import { tell, UsageError } from './errors.ts';
import { UnknownFlag } from './arguments/flag.ts';
import { readFlags } from './arguments/flags.ts';
import { printError } from './print.ts';
import { takePaths } from './outside/take-paths.ts';

/** Runs the command behind the program's name. Nothing here ends the process, so that all output reaches its pipe. */
export async function main(argv: readonly string[]): Promise<ExitCode> {
  try {
    return await command(argv);
  } catch (error) {
    const { text, code } = tell(error instanceof UnknownFlag ? await elsewhere(error) : error);
    printError(text);
    return code;
  }
}

/** Of a flag that other commands have, those commands. */
async function elsewhere(error: UnknownFlag): Promise<UsageError> {
  const { COMMANDS } = await import('./arguments/commands.ts');
  const having = COMMANDS.filter(({ flags }) => Object.hasOwn(flags, error.flag));
  const [first] = having;
  if (!first) return error;
  return new UsageError(
    `--${error.flag} belongs to ${having.map(({ call }) => `'${call}'`).join(' and ')}.\n  tf-kernel-contract help ${first.name} says what it does and takes.`,
  );
}

type Run = (argv: readonly string[]) => Promise<ExitCode>;

/** Commands that are a word, the first one. Each loads what it needs. */
const WORDS: Readonly<Record<string, Run>> = {
  limits: async (argv) => (await import('./limits/limits.ts')).limits(argv.slice(1)),
  completions: async ([, shell]) => print((await import('./arguments/completions.ts')).completionsOf(shell).trimEnd()),
  man: async () => {
    const [{ manPage }, { BUILD_DATE, VERSION }] = await Promise.all([
      import('./arguments/man.ts'),
      import('./version.ts'),
    ]);
    return print(manPage(VERSION, BUILD_DATE).trimEnd());
  },
  new: async (argv) => (await import('./new/new.ts')).newKernel(argv.slice(1)),
  diff: async (argv) => (await import('./reports/diff.ts')).diff(argv.slice(1)),
  merge: async (argv) => (await import('./reports/merge.ts')).merge(argv.slice(1)),
  help: async ([, page]) => help(page),
};

/** Commands that are a flag, at any place. */
const FLAGS: Readonly<Record<string, Run>> = {
  offline: async (argv) => (await import('./offline/offline.ts')).offline(argv),
  faults: async (argv) => (await import('./faults/faults.ts')).faults(argv),
  repro: async (argv) => (await import('./repro/repro.ts')).repro(argv),
  replay: async (argv) => (await import('./repro/replay.ts')).replay(argv),
};

async function command(argv: readonly string[]): Promise<ExitCode> {
  const word = Object.hasOwn(WORDS, argv[0] ?? '') ? argv[0] : undefined;
  const flag = Object.keys(FLAGS).find((name) => argv.some((given) => isFlag(given, name)));
  const name = word ?? flag;
  if (name !== 'help' && argv.some((given) => given === '-h' || given === '--help')) return help(name);
  return (WORDS[word ?? ''] ?? FLAGS[flag ?? ''] ?? run)(argv);
}

const isFlag = (given: string, name: string): boolean => given === `--${name}` || given.startsWith(`--${name}=`);

async function run(argv: readonly string[]): Promise<ExitCode> {
  const options = readFlags(argv);
  if (options.version) return print((await import('./version.ts')).versionText());
  if (options.devices) return print((await (await import('./devices.ts')).deviceLines()).join('\n'));
  if (options.watch) return (await import('./watch.ts')).watch(options, argv);
  await takePaths(options);
  return (await import('./run.ts')).run(options);
}

async function help(page: string | undefined): Promise<ExitCode> {
  const { mainPage, pageOf } = await import('./arguments/usage.ts');
  return print(page === undefined ? mainPage() : pageOf(page));
}

function print(text: string): ExitCode {
  console.log(text);
  return 0;
}
