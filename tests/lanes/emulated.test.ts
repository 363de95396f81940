/** The whole program on an emulated GPU: whatever the driver does, each kernel has its verdict, and the run its SUMMARY. */
import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import type { Emulation } from './emulated.ts';
import { commandOf, emulated, environmentOf, fresh, imagesOf, KERNELS } from './emulated.ts';

const HOUR = 3600 * 1000;
const images = await imagesOf(KERNELS, 'cuda');
const emulation: Emulation = { dialect: 'cuda', images, kernels: KERNELS, env: { TF_EMULATE_LIMIT_MS: '2500' } };
const of = (lines: readonly string[], address: string): string[] =>
  lines.filter((line) => line.includes(`  ${address}`));

test(
  'kernels that hang, fault and do not compile are red by name, and the right one passes after them',
  async () => {
    const { code, stderr, lines, violations, leaks } = await emulated(
      emulation,
      '--timeout',
      '1.5',
      '--gate',
      'shapes,repeat',
    );
    expect([code, stderr]).toEqual([1, '']);
    expect(lines[0]).toBe(`cuda:0 Emulated H100  sm_90  driver CUDA 13.0  images of ${images}`);
    expect(of(lines, 'right@cuda')[0]).toMatch(
      /^PASS {2}right@cuda {2}cuda:0 Emulated H100 {2}worst 0\.00 of bound {2}2 gates/,
    );
    expect(of(lines, 'wild@cuda:shapes')[0]).toContain('CUDA_ERROR_ILLEGAL_ADDRESS (700)');
    expect(of(lines, 'endless@cuda:shapes')[0]).toContain('did not finish in 1.5 s');
    expect(of(lines, 'misspelt@cuda')[0]).toContain('misspelt.cu does not compile');
    expect(lines.find((line) => line.includes('Rerun'))).toContain(`--images ${images} --device cuda:0`);
    expect(lines.at(-1)).toStartWith('SUMMARY 4 kernels: 1 pass gates 2-3, 3 fail, 0 known findings, 0 not run; ');
    expect([violations, leaks]).toEqual([[], []]);
  },
  HOUR,
);

describe('a process that is ended', () => {
  test.each([
    ['sticky@2', 'CUDA_ERROR_ILLEGAL_ADDRESS (700)'], // no context of the process works again
    ['stuck@2', 'the driver did not come back from wait'], // nor does the driver come back
  ])(
    'by %s costs its kernel that job; a fresh one goes on',
    async (plan, words) => {
      const run = await emulated(
        { ...emulation, plan },
        '--timeout',
        '1.5',
        '--only',
        'right@cuda:repeat',
        '--no-controls',
      );
      const failed = of(run.lines, 'right@cuda').filter((line) => line.startsWith('FAIL'));
      expect(failed.length).toBeGreaterThan(0);
      expect(run.lines.join('\n')).toContain(words);
      expect(run.lines.at(-1)).toStartWith('SUMMARY 1 kernel: 0 pass gate 2, 1 fail');
      expect([run.code, run.stderr, run.violations]).toEqual([1, '', []]);
    },
    HOUR,
  );

  test(
    'from outside in mid-launch is the end of that case alone',
    async () => {
      const report = fresh('report');
      const slow = { ...emulation, env: { TF_EMULATE_LIMIT_MS: '60000' } };
      const args = ['--timeout', '60', '--gate', 'shapes', '--no-controls', '--only', 'endless', '--only', 'right'];
      const child = Bun.spawn(commandOf(slow, args), { env: await environmentOf(slow, report), stdout: 'pipe' });
      await until(() => pidsIn(report).length === 2);
      const [, lane = 0] = pidsIn(report);
      const opened = ticksOf(lane);
      await until(() => ticksOf(lane) > opened + 150); // its kernel runs: nothing else takes so long
      process.kill(lane, 'SIGKILL');
      const text = await new Response(child.stdout).text();
      expect(text).toContain('it ends the process that runs it (SIGKILL)');
      expect(text).toContain('PASS  right@cuda');
      expect(text).toContain('SUMMARY 2 kernels: 1 pass gate 3, 1 fail');
      expect(await child.exited).toBe(1);
    },
    HOUR,
  );
});

test(
  'a run whose process is killed goes on from its journal, and runs no finished job again',
  async () => {
    const [journal, report] = [fresh('journal'), fresh('report')];
    const args = ['--timeout', '1.5', '--gate', 'nonfinite,shapes,repeat', '--resume', journal];
    const child = Bun.spawn(commandOf(emulation, args), {
      env: await environmentOf(emulation, report),
      stdout: 'ignore',
    });
    await until(() => linesOf(journal) > 2);
    child.kill('SIGKILL');
    await child.exited;
    await until(() => pidsIn(report).every((pid) => !isAlive(pid))); // nothing of it goes on
    const finished = linesOf(journal) - 1;
    const { lines, code } = await emulated(emulation, ...args);
    expect(lines).toContain(`${finished} jobs of 12 from ${journal}`);
    expect(lines.at(-1)).toStartWith('SUMMARY 4 kernels: 1 pass gates 1-3, 3 fail');
    expect([code, linesOf(journal)]).toEqual([1, 13]);
    const other = await emulated(emulation, ...args, '--seed', '2');
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('it is of a run that differs in the seed')]);
  },
  HOUR,
);

test(
  'a device that is asked for and not there ends the run in words',
  async () => {
    const run = await emulated({ ...emulation, plan: 'no-device' });
    expect([run.code, run.stdout]).toEqual([1, '']);
    expect(run.stderr).toMatch(/^No cuda device: .*\n {2}Nothing was run/);
  },
  HOUR,
);

const textOf = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');
const linesOf = (file: string): number => textOf(file).split('\n').length - 1;
/** The processes that opened the device, in order: the one that looked for it, then those of its lane. */
const pidsIn = (report: string): number[] => [
  ...new Set([...textOf(report).matchAll(/^(\d+) open: /gm)].map(([, pid]) => Number(pid))),
];

/** Hundredths of a second of a processor that a process has taken: far more than opening a device once its kernel runs. */
const ticksOf = (pid: number): number => {
  const [, user = 0] = /\) (?:\S+ ){11}(\d+) /.exec(textOf(`/proc/${pid}/stat`)) ?? [];
  return Number(user);
};

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await Bun.sleep(20);
}
