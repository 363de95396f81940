/**
 * `--watch`: runs what the paths name, and again what a saved file touches. Each run is a process of its own, so that a contract is
 * read as it is now; a file that is saved meanwhile ends the run, and what it had not finished runs again.
 */
import { existsSync, watch as watchFolder } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { ENTRY } from '../gates/lanes/entry.ts';
import { counted } from '../report/words.ts';
import type { Outside } from '../spec/outside.ts';
import { wordsOf } from './arguments/arguments.ts';
import type { ExitCode } from './errors.ts';
import { UsageError } from './errors.ts';
import type { Options } from './arguments/flags.ts';
import type { FlagTable } from './arguments/flag.ts';
import { FLAGS } from './arguments/flags.ts';
import { outsideOf } from './outside/named-paths.ts';
import { print } from './print.ts';

/** Editors write a file in several steps. */
const SETTLES_MS = 150;
const CLEAR = '\u001b[2J\u001b[3J\u001b[H';

/** Runs until it is left by q, Ctrl-C or SIGTERM; returns the exit code of the last run. */
export async function watch(options: Options, argv: readonly string[]): Promise<ExitCode> {
  if (options.paths.length === 0)
    throw new UsageError('--watch needs the path of what it watches.\n  As in: tf-kernel-contract ./softmax --watch');
  const watcher = new Watcher(options.paths, flagsOf(argv));
  const leaves = leaving();
  const stopped = watcher.start();
  await leaves.promise;
  await watcher.stop();
  leaves.restore();
  await stopped;
  return watcher.code;
}

/** The flags with their values, less `--watch`. */
const flagsOf = (argv: readonly string[]): string[] =>
  wordsOf(argv, FLAGS as FlagTable).flatMap((word) =>
    word.kind === 'flag' && word.name !== 'watch' ? argv.slice(word.from, word.to) : [],
  );

class Watcher {
  code: ExitCode = 0;
  private readonly changed = new Set<string>();
  private readonly watched = new Map<string, { close: () => void }>();
  /** Contracts, by their paths below the root, of which no run has ended since they changed. */
  private due = new Set<string>();
  private child: Bun.Subprocess | undefined;
  private wake: () => void = () => {};
  private isOver = false;

  constructor(
    private readonly paths: readonly string[],
    private readonly flags: readonly string[],
  ) {}

  async start(): Promise<void> {
    let named = outsideOf(this.paths);
    this.due = new Set(named.contracts);
    while (!this.isOver) {
      this.follow(named);
      if (this.due.size > 0) await this.run(named);
      if (this.changed.size === 0) await this.change();
      if (this.isOver) break;
      await Bun.sleep(SETTLES_MS);
      named = this.take(named);
    }
  }

  /** Watches the folders of the kernels, and what they share. */
  private follow({ root, contracts }: Outside): void {
    const folders = [...new Set(contracts.map((path) => join(root, dirname(path)))), join(root, 'shared')];
    for (const folder of folders) {
      if (this.watched.has(folder) || !existsSync(folder)) continue;
      const watcher = watchFolder(folder, { recursive: true }, (_, file) => this.note(join(folder, String(file))));
      this.watched.set(folder, watcher);
    }
  }

  private note(file: string): void {
    if (!/\.(ts|json|cu|cuh|hip|hpp|metal|cl|h|clh)$/.test(file)) return; // an editor's own file
    this.changed.add(file);
    this.child?.kill('SIGHUP');
    this.wake();
  }

  private change(): Promise<void> {
    return new Promise((resolve) => (this.wake = resolve));
  }

  /** What the changed files touch: the kernel of their folder, and all of them where it is a file that kernels share. */
  private take(before: Outside): Outside {
    const files = [...this.changed];
    this.changed.clear();
    const named = this.paths.every((path) => existsSync(path)) ? outsideOf(this.paths) : before;
    const touches = (contract: string): boolean => {
      const folder = `${join(named.root, dirname(contract))}/`;
      const shared = `${join(named.root, 'shared')}/`;
      return (
        !before.contracts.includes(contract) || files.some((file) => file.startsWith(folder) || file.startsWith(shared))
      );
    };
    for (const contract of named.contracts) if (touches(contract)) this.due.add(contract);
    this.say(files);
    return named;
  }

  private say(files: readonly string[]): void {
    if (process.stdout.isTTY) process.stdout.write(CLEAR);
    print([`SAVED  ${files.map((file) => relative('.', file)).join(', ')}`]);
  }

  private async run({ root, contracts }: Outside): Promise<void> {
    const due = contracts.filter((contract) => this.due.has(contract));
    const files = due.map((contract) => relative('.', join(root, contract)));
    const self = Bun.isStandaloneExecutable ? [process.execPath] : [process.execPath, ENTRY];
    this.child = Bun.spawn([...self, ...files, ...this.flags], {
      env: process.env,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const code = await this.child.exited;
    this.child = undefined;
    if (this.changed.size > 0 || this.isOver) return; // ended for what was saved
    this.due.clear();
    this.code = code as ExitCode;
    print([`WATCHING  ${counted(contracts.length, 'contract')}${process.stdin.isTTY ? '; q leaves' : ''}`]);
  }

  async stop(): Promise<void> {
    this.isOver = true;
    for (const watcher of this.watched.values()) watcher.close();
    this.child?.kill('SIGHUP');
    await this.child?.exited;
    this.wake();
  }
}

interface Leaving {
  readonly promise: Promise<void>;
  readonly restore: () => void;
}

/** Resolves at q, Ctrl-C or a signal that ends programs; restore gives the terminal back. */
function leaving(): Leaving {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { stdin } = process;
  const onKey = (key: Buffer): void => {
    if (['q', 'Q', '\u0003', '\u0004'].includes(key.toString())) resolve();
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, resolve);
  if (stdin.isTTY) {
    stdin.setRawMode(true);
    stdin.on('data', onKey);
    stdin.resume();
  }
  return {
    promise,
    restore: () => {
      for (const signal of signals) process.off(signal, resolve);
      if (!stdin.isTTY) return;
      stdin.off('data', onKey);
      stdin.setRawMode(false);
      stdin.pause();
    },
  };
}
