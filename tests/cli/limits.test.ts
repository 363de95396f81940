/** `limits DIR`: images of registered kernels against launches and records, those of others against every chip. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as v from 'valibot';
import { limitsSchema } from '../../src/report/limits-json.ts';
import { buildContainer, buildCubin, buildHost, cubinEntry, long } from '../audit/images/cuda-kit.ts';
import { codeObject, KERNEL } from '../audit/images/hip-kit.ts';
import { pipeline } from '../audit/images/metal-kit.ts';
import { zebin, zeInfo, zeKernel } from '../audit/images/xpu-kit.ts';
import type { Ran } from './executable.ts';
import type { Bench } from './offline-kit.ts';
import { openBench, source } from './offline-kit.ts';

let bench: Bench;
beforeEach(() => {
  bench = openBench();
  bench.kernel('one', source('tf_one', 40));
});
afterEach(() => bench.close());

const images = (): string => join(bench.folder, 'images');
const limits = (...args: readonly string[]): Promise<Ran> => bench.run(['limits', images(), ...args]);
const last = ({ stdout }: Ran): string => stdout.trimEnd().split('\n').at(-1) ?? '';

function put(name: string, bytes: Uint8Array | string): void {
  const path = join(images(), name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
}

interface Parts {
  readonly registers?: number;
  readonly bound?: number;
  readonly shared?: number;
  readonly release?: string;
}

const cubin = (
  sm: number,
  name: string,
  { registers = 40, bound = 256, shared, release = '13.0' }: Parts = {},
): Uint8Array =>
  buildCubin({
    sm,
    kernels: [{ name, registers, ...(shared && { shared }), attributes: [long(0x05, bound, 1, 1)] }],
    note: { release, options: '' },
  });

describe('a registered kernel', () => {
  test('fits by its own image where no record says anything, and that is counted', async () => {
    put('a.cubin', cubin(80, 'tf_one'));
    const ran = await limits();
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/│ cuda │ sm_80 │\n.*\n│ one +│ fits +│/);
    expect(last(ran)).toStartWith(
      'SUMMARY 1 image, 0 other files: 1 launch: 1 fit, 0 tight, 0 do not fit, 0 stale; 1 without a record;',
    );
  });

  test('agrees with its record, chosen by the release of the image', async () => {
    await bench.offline(['--no-controls', '--write']);
    put('a.fatbin', buildContainer([80, 120].map((sm) => cubinEntry(sm, cubin(sm, 'tf_one', { release: '13.1' })))));
    const ran = await limits();
    expect(ran.code).toBe(0);
    expect(last(ran)).toContain('2 fit, 0 tight, 0 do not fit, 0 stale; 0 without a record, the others by nvcc-13.0;');
  });

  test('is stale where the image holds other numbers, and the command to run is printed', async () => {
    await bench.offline(['--no-controls', '--write']);
    put('a.cubin', cubin(80, 'tf_one', { registers: 48, release: '13.2' }));
    const ran = await limits();
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain('FAIL  one@cuda:limits:sm_80  stale: tf_one in a.cubin');
    expect(ran.stdout).toContain('registers 40, now 48 in the image, of release 13.2');
    expect(ran.stdout).toContain('Run: tf-kernel-contract --offline DIR --only one@cuda --write');
    expect(last(ran)).toContain('0 do not fit, 1 stale');
  });

  test('past its launch bound does not fit, and the sum is told', async () => {
    put('a.cubin', cubin(86, 'tf_one', { bound: 32 }));
    const ran = await limits();
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain('FAIL  one@cuda:limits:sm_86  does not fit: tf_one in a.cubin');
    expect(ran.stdout).toContain('launch bound at rows=3,width=64: 64 > 32 threads of the launch bound');
    expect(ran.stdout).toMatch(/│ one +│ launch bound ! +│/);
  });

  test('is found inside a host binary, in any folder', async () => {
    const fatbin = buildContainer([cubinEntry(90, cubin(90, 'tf_one'))]);
    put('deep/er/lib.so', buildHost({ '.nv_fatbin': fatbin }));
    put('deep/notes.txt', 'no image');
    const ran = await limits();
    expect(ran.code).toBe(0);
    expect(last(ran)).toStartWith('SUMMARY 1 image, 1 other file: 1 launch: 1 fit');
  });
});

describe('a kernel that no contract registers', () => {
  const put4 = (): void => {
    put('k.cubin', cubin(86, 'other', { registers: 80, bound: 1024 }));
    put('k.co', codeObject({ kernels: [{ ...KERNEL, bound: 512 }] }));
    put('k.zebin', zebin({ info: zeInfo([zeKernel('k')]) }));
  };

  test('is told with the chips that load it and the largest group that fits', async () => {
    put4();
    const { code, stdout } = await limits();
    expect(code).toBe(0);
    expect(stdout).toContain(
      'READ  k.cubin  other  sm_86 by 13.0  registers 80, registerCap 255, maxThreads 1,024 x 1 x 1',
    );
    // 80 registers: 2,560 a warp, 25 warps of 65,536, in fours 24: 768 threads.
    expect(stdout).toContain('      sm_86, sm_89: runs 768 threads a group');
    expect(stdout).toContain('      gfx1100: runs 512 threads a group');
    expect(stdout).toContain('      acm-g10: runs 1,024 threads a group');
  });

  test('is asked about one group and its dynamic memory', async () => {
    put4();
    const { code, stdout } = await limits('--threads', '1024', '--dynamic', '0');
    expect(code).toBe(0);
    expect(stdout).toContain('> 65,536 registers a block of sm_86');
    expect(stdout).toContain('      acm-g10: runs 1,024 threads a group');
    const more = await limits('--dynamic', '102400');
    expect(more.stdout).toContain('      sm_86, sm_89: no group of threads fits');
  });

  test('of a chip of Tegra loads there alone, and no other loads there', async () => {
    put('orin.cubin', cubin(87, 'other'));
    put('desktop.cubin', cubin(86, 'other'));
    const { stdout } = await limits();
    expect(stdout).toMatch(/sm_87 by 13.0.*\n {6}sm_87: runs/);
    expect(stdout).toMatch(/sm_86 by 13.0.*\n {6}sm_86, sm_89: runs/);
  });

  test('of a suffix loads on its own chip alone', async () => {
    put('a.fatbin', buildContainer([cubinEntry(90, cubin(90, 'other'), undefined, 0x100000)]));
    expect((await limits()).stdout).toMatch(/sm_90a by 13.0.*\n {6}sm_90: runs 256 threads a group/);
  });
});

describe('an image that cannot be read', () => {
  test('is a problem by name, and the others are read', async () => {
    put('a.cubin', cubin(80, 'tf_one'));
    put('b.cubin', cubin(80, 'tf_one').subarray(0, 300));
    put('c.elf', zebin({ info: undefined, type: 0xff04, machine: 0 }));
    const ran = await limits();
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/FAIL {2}b\.cubin {2}truncated: /);
    expect(ran.stdout).toMatch(/FAIL {2}c\.elf {2}legacy-patch-tokens: /);
    expect(last(ran)).toContain('2 problems of images and records');
  });

  test('of Metal is told to need a compile, and is no kernel that fits', async () => {
    put('m.gpu', pipeline('code'));
    const alone = await limits();
    expect(alone.code).toBe(1);
    expect(alone.stderr).toStartWith('Nothing was audited: none of the 1 file');
    put('a.cubin', cubin(80, 'tf_one'));
    const ran = await limits();
    expect(ran.code).toBe(0);
    expect(ran.stdout).toContain("NOT RUN  1 Metal image: no Metal image states its pipelines' thread limits");
  });
});

describe('the report', () => {
  test('holds all of it as JSON', async () => {
    put('a.cubin', cubin(86, 'tf_one', { bound: 32 }));
    put('k.co', codeObject({ kernels: [KERNEL] }));
    const file = join(bench.folder, 'report.json');
    const ran = await limits('--json', file);
    const report = v.parse(limitsSchema, JSON.parse(readFileSync(file, 'utf8')));
    expect(report.verdicts).toMatchObject([{ kernel: 'one', chip: 'sm_86', status: 'does not fit', recorded: false }]);
    expect(report.unregistered).toMatchObject([
      { file: 'k.co', measured: { symbol: 'k', vgprs: 20 }, runs: [{ chip: 'gfx1100' }] },
    ]);
    expect(report.controls.every(({ status }) => status === 'red')).toBe(true);
    expect([report.summary, report.exitCode]).toEqual([last(ran), 1]);
  });

  test('is refused before the work where it cannot be written', async () => {
    put('a.cubin', cubin(80, 'tf_one'));
    const { code, stderr } = await limits('--json', '/nowhere/report.json');
    expect(code).toBe(2);
    expect(stderr).toStartWith('--json /nowhere/report.json cannot be written: ');
  });
});

describe('a wrong command', () => {
  test.each([
    [['limits'], 'limits needs the folder of the images.'],
    [['limits', 'a', 'b'], "limits takes one folder, but got 'a' and 'b'."],
    [['limits', 'a', '--thread', '3'], 'Unknown flag --thread (did you mean --threads?).'],
    [['limits', 'a', '--threads', '0'], "--threads: '0' is not a whole number of 1 or more."],
    [['limits', 'a', '--dynamic', '1.5'], "--dynamic: '1.5' is not a whole number of 0 or more."],
    [['limits', '/nowhere/at/all'], 'limits /nowhere/at/all: there is no such folder.'],
  ])('%j', async (args, what) => {
    const { code, stderr } = await bench.run(args);
    expect([code, stderr.split('\n')[0]]).toEqual([2, what]);
  });

  test('with --help tells how it is meant', async () => {
    const { code, stdout } = await bench.run(['limits', '--help']);
    expect([code, stdout.split('\n')[0]]).toEqual([
      0,
      'tf-kernel-contract limits DIR: audits images that another host built',
    ]);
  });
});

const SAMPLES = join(import.meta.dir, '../../../shared/samples');

test.skipIf(!existsSync(SAMPLES))('a folder of every format is read whole', async () => {
  const ran = await bench.run(['limits', SAMPLES]);
  expect(ran.code).toBe(1);
  const problems = ran.stdout.split('\n').filter((line) => line.startsWith('FAIL'));
  expect(problems.map((line) => line.split('  ')[2]?.split(':')[0]).toSorted()).toEqual([
    'ambiguous',
    'legacy-patch-tokens',
    'no-executable-image',
    ...Array(6).fill('relocatable-only'),
  ]);
});
