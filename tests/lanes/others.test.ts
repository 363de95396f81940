/** The whole program on an emulated GPU of Intel's and of Apple's: kernels pass, and what the driver fails at is red by its words. */
import { describe, expect, test } from 'bun:test';
import { KERNELS } from '../../src/spec/folder.ts';
import type { EmulatedRun } from './emulated.ts';
import { emulated, imagesOf } from './emulated.ts';

const HOUR = 3600 * 1000;
const NAMES = ['row_max', 'relu2_rows'];

describe.each([
  {
    dialect: 'xpu',
    gpu: 'xpu:0 Emulated  Arc  A770  acm-g10  driver Level Zero 1.3.24595',
    plan: 'fault@2',
    words: 'ZE_RESULT_ERROR_DEVICE_LOST',
  },
  {
    dialect: 'metal',
    gpu: 'metal:0 Apple M1 Pro  M1  driver Metal, macOS Version 15.1',
    plan: 'hang@2',
    words: 'did not finish in 0.5 s',
  },
] as const)('$dialect', async ({ dialect, gpu, plan, words }) => {
  const images = await imagesOf(KERNELS, dialect, (name) => NAMES.includes(name), false);
  const run = (emulate: string): Promise<EmulatedRun> => {
    const only = NAMES.flatMap((name) => ['--only', `${name}@${dialect}:repeat`]);
    return emulated({ dialect, images, plan: emulate }, ...only, '--no-controls', '--timeout', '0.5');
  };
  const verdicts = ({ lines }: EmulatedRun): string[] =>
    NAMES.map((name) => lines.find((line) => line.includes(`  ${name}@${dialect}`))?.slice(0, 4) ?? 'none');

  test(
    'right kernels pass, and the driver has nothing to say of its caller',
    async () => {
      const right = await run('');
      expect(right.lines[0]).toStartWith(gpu);
      expect(verdicts(right)).toEqual(['PASS', 'PASS']);
      expect([right.code, right.stderr, right.violations, right.leaks]).toEqual([0, '', [], []]);
    },
    HOUR,
  );

  test(
    `${plan} is its kernel’s, and the next one passes`,
    async () => {
      const failed = await run(plan);
      expect(verdicts(failed).toSorted()).toEqual(['FAIL', 'PASS']);
      expect(failed.lines.join('\n')).toContain(words);
      expect([failed.code, failed.stderr, failed.violations, failed.leaks]).toEqual([1, '', [], []]);
    },
    HOUR,
  );
});
