/** Each failure of a driver under a job: red on the kernel that it came under, in the driver's words, and the next kernel's verdict is its own. */
import { describe, expect, test } from 'bun:test';
import { DeviceGone } from '../../src/device/device-gone.ts';
import type { Emulated } from './emulated.ts';
import { FAILURES, SMALL } from './failures.ts';
import type { GpuJob } from './job-kit.ts';
import { gpuJobs, jobRig } from './job-kit.ts';

const DIALECTS: readonly Emulated[] = ['cuda', 'hip', 'xpu', 'metal'];
const JOBS = [
  ['copy_rows', 'repeat'],
  ['negate_rows', 'repeat'],
] as const;
const OPTIONS = { controls: false, limitMs: 500 } as const;

const said = ({ gate }: GpuJob): string =>
  [gate.reason, ...gate.notes, ...gate.findings.map(({ what }) => what)].join('\n');

describe.each(DIALECTS)('%s', async (dialect) => {
  const rig = await jobRig(dialect, SMALL);
  const own = FAILURES.flatMap(({ words, ...failure }) => {
    const word = words[dialect];
    return word === undefined ? [] : [{ ...failure, word }];
  });
  const ending = own.filter(({ verdicts, ends }) => verdicts !== undefined && ends?.includes(dialect));
  const going = own.filter(({ verdicts, ends }) => verdicts !== undefined && !ends?.includes(dialect));

  test.each(own.filter(({ verdicts }) => verdicts === undefined))('$what: nothing opens', async (failure) => {
    const { plan, driver = rig.driver, word } = failure;
    await expect(gpuJobs({ ...rig, driver }, plan, JOBS)).rejects.toThrow(word);
  });

  test.each(going)('$what', async ({ plan, verdicts, word }) => {
    const jobs = await gpuJobs(rig, plan, JOBS, OPTIONS);
    expect(jobs.map(({ gate }) => gate.status.toUpperCase())).toEqual([...(verdicts ?? [])]);
    expect(said(jobs[0] as GpuJob)).toContain(word);
    expect([jobs[0]?.violations, jobs[0]?.leaks]).toEqual([[], []]);
  });

  // A launch that hangs under HIP or keeps CUDA's driver takes this process with it: whole runs show those.
  test.each(ending.filter(({ plan }) => !/hang|stuck/.test(plan)))(
    '$what: the process ends',
    async ({ plan, word }) => {
      const error = await gpuJobs(rig, plan, JOBS, OPTIONS).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(DeviceGone);
      expect(String(error)).toContain(word);
    },
  );
});
