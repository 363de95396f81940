/** A sweep's part in every process, and their totals together. */

/** Counts by name. */
export type Totals = Readonly<Record<string, number>>;

/**
 * Runs `script SIZE PROCESSES INDEX` in as many processes, INDEX from 0. Each prints its findings, and its totals as the last line
 * in JSON; findings are printed on. Throws where a process ends without its totals: what it did not run is not free of faults.
 */
export async function sweepInProcesses<T extends Totals>(script: string, size: number, processes: number): Promise<T> {
  const parts = await Promise.all(
    Array.from({ length: processes }, (_, index) => partOf(script, size, processes, index)),
  );
  const totals: Record<string, number> = {};
  for (const part of parts)
    for (const [name, count] of Object.entries(part)) totals[name] = (totals[name] ?? 0) + count;
  return totals as T;
}

async function partOf(script: string, size: number, processes: number, index: number): Promise<Totals> {
  const child = Bun.spawn([process.execPath, script, `${size}`, `${processes}`, `${index}`], {
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const lines = (await new Response(child.stdout).text()).trim().split('\n');
  const last = lines.pop() ?? '';
  for (const line of lines) console.log(line);
  if ((await child.exited) === 0 && last.startsWith('{')) return JSON.parse(last) as Totals;
  throw new Error(`process ${index} of ${processes} ended with ${child.exitCode} before its totals: ${last}`);
}
