/** A program on a terminal of its own, for tests: what it shows, and keys for it. */

export interface TestTerminal {
  /** Waits until a text is shown behind what was seen last. */
  sees(text: string): Promise<void>;
  types(keys: string): void;
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
  const chooses = async (label: string): Promise<void> => {
    await sees('navigate'); // the menu is drawn to its end
    for (
      let moves = 0;
      !new RegExp(`[●>] ${label}`).test(shown.slice(shown.lastIndexOf('\u001b[J')).slice(-2000));
      moves++
    ) {
      if (moves > MOST_ENTRIES) throw new Error(`no menu has ${label}; the terminal shows:\n${shown}`);
      const before = shown.length;
      types(DOWN);
      await waits(() => shown.length > before, 'another entry');
      await Bun.sleep(LOOK_MS);
    }
    seen = shown.length;
    types('\r');
  };
  return { sees, types, chooses, ended: () => child.exited, text: () => shown };
}
