/** A program on a terminal of its own, for tests: what it shows, and keys for it. */

export interface TestTerminal {
  /** Waits until a text is shown behind what was seen last. */
  sees(text: string): Promise<void>;
  types(keys: string): void;
  /** Sends a signal to the program, as another program may. */
  signals(signal: 'SIGINT' | 'SIGTERM'): void;
  /** Moves down a menu to an entry, and takes it. */
  chooses(label: string): Promise<void>;
  /** The exit code, once the program has ended. */
  ended(): Promise<number>;
  text(): string;
}

/** Far beyond any load. */
const PATIENCE_MS = 2 * 60 * 1000;
const LOOK_MS = 20;
const DOWN = '\u001b[B';
const ERASE = '\u001b[J';
const FOOT = '└';
/** Entries of the longest menu. */
const MOST_ENTRIES = 16;

interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

export function openTerminal(command: readonly string[], { env, cwd }: Surroundings): TestTerminal {
  let shown = '';
  let seen = 0;
  const child = Bun.spawn([...command], {
    cwd,
    env: { ...env, TERM: 'xterm' },
    terminal: { cols: 200, rows: 60, data: (_terminal, data) => void (shown += Buffer.from(data).toString()) },
  });
  const waits = async (isThere: () => boolean, what: string): Promise<void> => {
    for (let left = PATIENCE_MS; !isThere(); left -= LOOK_MS) {
      if (left <= 0 || child.exitCode !== null)
        throw new Error(`the terminal never shows ${what}; it shows:\n${shown}`);
      await Bun.sleep(LOOK_MS);
    }
  };
  const sees = async (text: string): Promise<void> => {
    await waits(() => shown.includes(text, seen), JSON.stringify(text));
    seen = shown.indexOf(text, seen) + text.length;
  };
  const types = (keys: string): void => void child.terminal?.write(keys);
  // Frames are drawn over each other: what stands behind the last erasure is what is there, whole once its foot is.
  const frames = (): string[] => shown.split(ERASE);
  const isWhole = (): boolean => frames().at(-1)?.includes(FOOT) === true;
  const chooses = async (label: string): Promise<void> => {
    await sees('navigate');
    await waits(isWhole, 'the end of a menu');
    for (let moves = 0; !frames().at(-1)?.includes(`● ${label}`); moves++) {
      if (moves > MOST_ENTRIES) throw new Error(`no menu has ${label}; the terminal shows:\n${shown}`);
      const before = frames().length;
      types(DOWN);
      await waits(() => frames().length > before && isWhole(), 'another entry');
    }
    seen = shown.length;
    types('\r');
  };
  const signals = (signal: 'SIGINT' | 'SIGTERM'): void => child.kill(signal);
  return { sees, types, signals, chooses, ended: () => child.exited, text: () => shown };
}
