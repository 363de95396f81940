/**
 * The GPUs of this machine, found by a child: a driver that aborts or hangs while it is opened ends that process, and is the reason
 * why its dialect has no device.
 */
import type { Found } from '../device/find.ts';
import type { Dialect } from '../families/formula/functions.ts';
import { serving } from '../gates/lanes/entry.ts';

/** The word by which a process is told to look for the GPUs of the dialects behind it. */
export const SERVE_DEVICES = '--serve-devices';

/** How long the drivers of a machine may take to open. */
const LIMIT_MS = 30_000;

/** What there is of each dialect, in their order. */
export async function findDevices(dialects: readonly Dialect[]): Promise<Found[]> {
  const found: Found[] = [];
  for (let left = dialects; left.length > 0; left = dialects.slice(found.length)) {
    const before = found.length;
    const end = await ask(left, (one) => found.push(one));
    const [asked] = left.slice(found.length - before);
    if (asked !== undefined)
      found.push({ dialect: asked, devices: [], why: `its driver ends the process that opens it (${end})` });
  }
  return found;
}

/** Asks one child; returns what ended it. */
async function ask(dialects: readonly Dialect[], hear: (found: Found) => void): Promise<string> {
  const child = Bun.spawn([...serving(SERVE_DEVICES), ...dialects], {
    ipc: (found: Found) => hear(found),
    env: process.env,
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  const overdue = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  const code = await child.exited;
  clearTimeout(overdue);
  return child.signalCode === null ? `code ${code}` : String(child.signalCode);
}

/** The child's side. */
export async function serveDevices(dialects: readonly string[]): Promise<void> {
  const { findGpus } = await import('../device/find.ts');
  for (const dialect of dialects) process.send?.(await findGpus(dialect as Dialect));
  process.disconnect?.();
}
