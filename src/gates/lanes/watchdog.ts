/**
 * Ends a process whose driver does not come back from a call, or whose parent is gone. The thread that calls cannot look after itself,
 * so another one does: both share the time until which the call may take, and its name.
 */
import { writeSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { Device } from '../../device/device.ts';
import { ENTRY } from './entry.ts';

/** What a driver's call may take beside a launch's own limit: an image may be compiled while it is loaded. */
const CALL_MS = 120_000;
/** What it may take to come back from a launch at its limit, and to open the device anew. */
const GRACE_MS = 10_000;
const LOOK_MS = 100;

const CALLS = [
  'alloc',
  'free',
  'upload',
  'download',
  'fill',
  'load',
  'unload',
  'kernel',
  'launch',
  'wait',
  'close',
] as const;
const isCall = (name: string | symbol): name is (typeof CALLS)[number] => CALLS.some((call) => call === name);

/** What the watching thread is given. `until`: when the call is over its time, 0 while there is none; `call`: its place in CALLS. */
export interface WatchdogData {
  readonly role: 'watchdog';
  readonly until: SharedArrayBuffer;
  readonly call: SharedArrayBuffer;
}

/** Starts the watch; what it returns puts the watch between a device and its caller. */
export function startWatchdog(limitMs: number): (device: Device) => Device {
  const data: WatchdogData = { role: 'watchdog', until: new SharedArrayBuffer(8), call: new SharedArrayBuffer(4) };
  const [until, call] = [new BigInt64Array(data.until), new Int32Array(data.call)];
  new Worker(ENTRY, { workerData: data }).unref();
  return (device) =>
    new Proxy(device, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        if (!isCall(name)) return value.bind(target);
        const most = name === 'wait' ? limitMs + GRACE_MS : CALL_MS;
        return (...given: unknown[]): unknown => {
          Atomics.store(call, 0, CALLS.indexOf(name));
          Atomics.store(until, 0, BigInt(Date.now() + most));
          try {
            return Reflect.apply(value, target, given);
          } finally {
            Atomics.store(until, 0, 0n);
          }
        };
      },
    });
}

/** The watching thread. */
export function watch(data: WatchdogData): void {
  const [until, call] = [new BigInt64Array(data.until), new Int32Array(data.call)];
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL');
    const end = Atomics.load(until, 0);
    if (end === 0n || Date.now() < Number(end)) return;
    writeSync(2, `the driver did not come back from ${CALLS[Atomics.load(call, 0)] ?? 'a call'}\n`);
    process.kill(process.pid, 'SIGKILL');
  }, LOOK_MS);
}
