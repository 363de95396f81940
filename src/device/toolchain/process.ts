/** Runs compilers: text in, text out, no more at once than the machine has cores. */

export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const free = { slots: Math.max(1, navigator.hardwareConcurrency) };
const waiting: (() => void)[] = [];

/** Runs a command to its end with `input` on its standard input; a command that cannot start has code -1. */
export async function run(command: readonly string[], input = ''): Promise<Finished> {
  await takeSlot();
  try {
    const child = Bun.spawn([...command], { stdin: new TextEncoder().encode(input), stdout: 'pipe', stderr: 'pipe' });
    const [stdout, stderr, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    return { code, stdout, stderr };
  } catch (error) {
    return { code: -1, stdout: '', stderr: String(error) };
  } finally {
    giveSlot();
  }
}

async function takeSlot(): Promise<void> {
  if (free.slots > 0) free.slots--;
  else await new Promise<void>((resolve) => waiting.push(resolve));
}

/** Hands the slot to the next in line, or back. */
function giveSlot(): void {
  const next = waiting.shift();
  if (next) next();
  else free.slots++;
}
