/** Runs compilers: text in, text out, no more at once than the machine has cores. */

import { type ForkServer, startServer } from './fork-server.ts';

export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const free = { slots: Math.max(1, navigator.hardwareConcurrency) };
const waiting: (() => void)[] = [];

/** Of a program that is forked: the library that makes it a server, and the servers that have nothing to do. */
interface Served {
  readonly library: string;
  readonly idle: ForkServer[];
}

const served = new Map<string, Served>();

/** From now on a program is loaded once and forked for each command, by the library at this path. */
export function serve(program: string, library: string): void {
  if (!served.has(program)) served.set(program, { library, idle: [] });
}

/** Runs a command to its end with `input` on its standard input; a command that cannot start has code -1. */
export async function run(command: readonly string[], input = ''): Promise<Finished> {
  const bytes = new TextEncoder().encode(input);
  await takeSlot();
  try {
    return (await runForked(command, bytes)) ?? (await runAlone(command, bytes));
  } catch (error) {
    return { code: -1, stdout: '', stderr: String(error) };
  } finally {
    giveSlot();
  }
}

/** Null where no server ran the command. */
async function runForked(command: readonly string[], input: Uint8Array): Promise<Finished | null> {
  const program = served.get(command[0] ?? '');
  if (!program) return null;
  const known = program.idle.pop();
  const server = known ?? startServer(command[0] ?? '', program.library);
  const finished = await server.run(command, input);
  if (finished) program.idle.push(server);
  else if (!known) served.delete(command[0] ?? ''); // it does not serve here
  return finished;
}

async function runAlone(command: readonly string[], input: Uint8Array): Promise<Finished> {
  const child = Bun.spawn([...command], { stdin: input, stdout: 'pipe', stderr: 'pipe' });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, stdout, stderr };
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
