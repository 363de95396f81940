/** A bar on stderr while the run goes on, drawn only on a terminal. It is taken away before any line of output. */

const WIDTH = 24;
const CLEAR = '\r\u001b[K';

export interface ProgressStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export interface Progress {
  show(done: number, total: number, what: string): void;
  clear(): void;
}

/** A progress bar on a stream; one that draws nothing where that is no terminal. */
export function progressOn(stream: ProgressStream): Progress {
  if (!stream.isTTY) return { show: () => {}, clear: () => {} };
  return {
    show: (done, total, what) => stream.write(CLEAR + barText(done, total, what).slice(0, (stream.columns || 80) - 1)),
    clear: () => stream.write(CLEAR),
  };
}

/** `[######------------------]  13/52  rms_rows shapes`. */
export function barText(done: number, total: number, what: string): string {
  const filled = total === 0 ? WIDTH : Math.floor((WIDTH * done) / total);
  return `[${'#'.repeat(filled).padEnd(WIDTH, '-')}]  ${done}/${total}  ${what}`;
}
