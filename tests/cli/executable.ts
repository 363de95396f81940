/** The built executable, for tests: built where it is not of the files that are there. */
import { join } from 'node:path';

const ROOT = join(import.meta.dir, '../..');

export const EXECUTABLE = join(ROOT, 'dist/tf-kernel-contract');

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Builds the executable; a build that fails is an error with the build's own text. */
export async function buildOnce(): Promise<void> {
  const { code, stdout, stderr } = await ran([process.execPath, join(ROOT, 'scripts/build.ts')], { env: process.env });
  if (code !== 0) throw new Error(`the build ended with ${code}\n${stdout}${stderr}`);
}

/** Far beyond any load: a run that still goes on then never ends. */
const HANGS_MS = 60 * 60 * 1000;

interface Surroundings {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Runs a command to its end, with nothing in its environment but what is given. */
export async function ran(command: readonly string[], { cwd, env = {} }: Surroundings = {}): Promise<Ran> {
  const child = Bun.spawn([...command], {
    ...(cwd !== undefined && { cwd }),
    env,
    stdin: 'ignore',
    timeout: HANGS_MS,
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, stdout, stderr };
}
