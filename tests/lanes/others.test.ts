/** The whole program on emulated GPUs of AMD's, Intel's and Apple's: what the driver fails at is red by its words, and the run goes on. */
import { expect, test } from 'bun:test';
import { failedRun } from './failed-run.ts';

const HOUR = 3600 * 1000;

test.each([
  ['hip', 'a hang', 'hip:0 Emulated MI300X  gfx942  driver HIP 6.4'], // a fresh process goes on
  ['xpu', 'a fault that is seen later', 'xpu:0 Emulated  Arc  A770  acm-g10  driver Level Zero 1.3.24595'],
  ['metal', 'a device that is removed', 'metal:0 Apple M1 Pro  M1  driver Metal, macOS Version 15.1'], // no process does
] as const)(
  '%s: %s',
  async (dialect, what, gpu) => {
    const { run, problems } = await failedRun(dialect, what);
    expect(problems).toEqual([]);
    expect(run.lines[0]).toStartWith(gpu);
  },
  HOUR,
);
