/** A GPU's driver fails in mid-job: the kernel that it failed under is red by name, and what follows runs on a device opened anew. */
import { expect, test } from 'bun:test';
import { DeviceGone } from '../../src/device/device-gone.ts';
import type { Kernel, PlantedControl } from '../../src/spec/registration.ts';
import type { GpuJob } from './job-kit.ts';
import { gpuJobs, jobRig } from './job-kit.ts';
import { KERNELS } from './emulated.ts';

const rig = await jobRig('cuda', KERNELS);
/** The kernel with its controls changed. */
const withControls =
  (part: Partial<PlantedControl>) =>
  (kernel: Kernel): Kernel => ({ ...kernel, controls: kernel.controls.map((control) => ({ ...control, ...part })) });
const withNeeds = withControls({ needs: 'schedules' });
const withRace = withControls({ finding: 'race' });

const found = ({ gate }: GpuJob): string => gate.findings.map(({ what }) => what).join('\n');

test('a right kernel passes, its controls go red, and the driver counts nothing left behind', async () => {
  const [job] = await gpuJobs(rig, '', [['right', 'shapes']]);
  expect(job?.gate.status).toBe('pass');
  expect(job?.controls.map(({ status }) => status)).toEqual(['red']);
  expect(job?.gate.loaded?.[0]).toMatchObject({ symbol: 'tf_right', attributes: { registers: expect.any(Number) } });
  expect([job?.violations, job?.leaks]).toEqual([[], []]);
});

test('controls that a GPU cannot show are not run there, each with its reason', async () => {
  const [needing] = await gpuJobs(rig, '', [['right', 'repeat']], { modes: ['plain', 'check'] }, withNeeds);
  expect(needing?.controls.map(({ status, reason }) => `${status}: ${reason}`)).toEqual([
    "not run: only the host device's orders show it with certainty",
  ]);
  const [checked] = await gpuJobs(rig, '', [['right', 'repeat']], { modes: ['plain', 'check'] }, withRace);
  expect(checked?.controls.map(({ status, reason }) => `${status}: ${reason}`)).toEqual([
    'not run: mode check is an image of the host device',
  ]);
  expect(needing?.gate.status).toBe('pass');
});

test('after a hang the kernel is not launched any more, nor are its controls, which are broken by what stopped it', async () => {
  const [job] = await gpuJobs(rig, 'hang@1', [['right', 'shapes']]);
  expect(job?.gate.findings).toHaveLength(1);
  expect(job?.gate.notes.every((note) => note.includes('not launched any more: did not finish'))).toBe(true);
  expect(job?.controls.map(({ status }) => status)).toEqual(['broken']);
  expect(job?.controls[0]?.reason).toBe(found(job as GpuJob));
});

test('an image that the driver refuses is red with its log, and loads no other', async () => {
  const [job] = await gpuJobs(rig, 'reject-image@1', [['right', 'shapes']], { controls: false });
  expect(job?.gate).toMatchObject({ status: 'fail', cases: 0, reason: expect.stringContaining('CUDA_ERROR') });
});

test('memory that is not there makes a case not run, with the sizes, and never a finding', async () => {
  const [job] = await gpuJobs(rig, 'oom@1', [['right', 'shapes']], { controls: false });
  expect(job?.gate).toMatchObject({
    status: 'not run',
    findings: [],
    reason: expect.stringMatching(/^cases that do not fit: 1 of \d+$/),
  });
  expect(job?.gate.notes[0]).toMatch(
    /^not run at \S+: its tensors take [\d,]+ bytes of the device: .*CUDA_ERROR_OUT_OF_MEMORY/,
  );
});

test('a fault that stays in the process is told as the loss of the device: another process is needed', async () => {
  await expect(gpuJobs(rig, 'sticky@2', [['right', 'shapes']])).rejects.toThrow(DeviceGone);
  await expect(gpuJobs(rig, 'removed@2', [['right', 'shapes']])).rejects.toThrow(/does not open again/);
});

test('where a process ended, the case that ended it is red in its words, and the others are judged', async () => {
  const endings = [{ at: { subject: 'right@cuda', label: 'rows=1,width=64' }, what: 'it ends the process' }];
  const [own] = await gpuJobs(rig, '', [['right', 'shapes']], { endings });
  expect(own?.gate).toMatchObject({ status: 'fail', findings: [{ class: 'fault', what: 'it ends the process' }] });
  const control = [{ at: { subject: 'right@cuda!1' }, what: 'it ends the process' }];
  const [other] = await gpuJobs(rig, '', [['right', 'shapes']], { endings: control });
  expect(other?.gate.status).toBe('pass');
  expect(other?.controls.map(({ status }) => status)).toEqual(['broken']);
});
