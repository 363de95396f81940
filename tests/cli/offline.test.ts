/** `--offline DIR`: what is compiled, what is recorded, and what a second run finds changed. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from './offline-kit.ts';
import { openBench, source } from './offline-kit.ts';

let bench: Bench;
beforeEach(() => {
  bench = openBench();
  bench.kernel('one', source('tf_one', 40));
  bench.kernel('two', source('tf_two', 32));
});
afterEach(() => bench.close());

const SMS = ['sm_80', 'sm_86', 'sm_90', 'sm_120'];
const FILE = 'cuda/nvcc-13.0.jsonl';
const quiet = ['--no-controls'];
const write = [...quiet, '--write'];

const linesOf = (stdout: string, word: string): string[] => stdout.split('\n').filter((line) => line.startsWith(word));

describe('the first run', () => {
  test('records every kernel on every served chip that the compiler knows, and writes nothing unasked', async () => {
    const { code, stdout, stderr } = await bench.offline(quiet);
    expect([code, stderr]).toEqual([1, '']);
    const records = linesOf(stdout, 'RECORD');
    expect(records.map((line) => line.split(' ').slice(1, 5).join(' '))).toEqual(
      ['one', 'two'].flatMap((name) => SMS.map((sm) => `${name}@cuda ${sm} nvcc-13.0 tf_${name}`)),
    );
    expect(records[0]).toMatch(/ source=[0-9a-f]{16} registers=40 staticShared=0 .* maxThreads=256x1x1 /);
    expect(linesOf(stdout, 'NOT RUN')).toEqual([
      'NOT RUN  cuda  nvcc 13.0.88 does not know sm_87, sm_89, sm_100, sm_103, sm_110, sm_121; its records stay as they are',
    ]);
    expect(stdout).toMatch(/│ records\/cuda\/nvcc-13.0.jsonl +│ one, two +│ sm_80 sm_86 sm_90 sm_120 +│ new +│/);
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(
      'OFFLINE 8 records by nvcc-13.0: 8 differ from records/, not written: --write does; 2 of 2 compiles anew, 0 failed',
    );
    expect(existsSync(join(bench.folder, 'records'))).toBe(false);
  });

  test('compiles a source once for all SMs', async () => {
    await bench.offline(quiet);
    const sources = bench.nvcc.compiles().map((args) => args.find((arg) => arg.endsWith('.cu')));
    expect(sources.toSorted()).toEqual(['kernels/one/one.cu', 'kernels/two/two.cu']);
  });

  test('takes what --only selects', async () => {
    const { stdout } = await bench.offline([...quiet, '--only', 'two@cuda']);
    expect(linesOf(stdout, 'RECORD').every((line) => line.startsWith('RECORD two@cuda '))).toBe(true);
    expect(bench.nvcc.compiles()).toHaveLength(1);
  });
});

describe('a run with --write', () => {
  test('is idempotent: nothing is compiled again and no byte changes', async () => {
    expect((await bench.offline(write)).code).toBe(0);
    const before = bench.records(FILE);
    expect(before).toHaveLength(8);
    const { code, stdout } = await bench.offline(write);
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(
      'OFFLINE 8 records by nvcc-13.0: 0 differ from records/; 0 of 2 compiles anew, 0 failed',
    );
    expect(bench.records(FILE)).toEqual(before);
    expect(bench.nvcc.compiles()).toHaveLength(2);
  });

  test("changes an edited kernel's lines alone, and compiles it alone", async () => {
    await bench.offline(write);
    const before = bench.records(FILE);
    bench.kernel('one', source('tf_one', 48));
    const { code, stdout } = await bench.offline(write);
    expect(code).toBe(0);
    expect(stdout).toMatch(/│ one +│ sm_80 sm_86 sm_90 sm_120 +│ registers 40, now 48 +│/);
    const after = bench.records(FILE);
    const changed = after.filter((line) => !before.includes(line)).map((line) => JSON.parse(line));
    expect(changed.map(({ kernel, chip, registers }) => [kernel, chip, registers])).toEqual(
      SMS.map((sm) => ['one', sm, 48]),
    );
    expect(after).toHaveLength(8);
    expect(bench.nvcc.compiles()).toHaveLength(3);
  });

  test('tells a source whose compile gives the same', async () => {
    await bench.offline(write);
    bench.kernel('one', `// as before\n${source('tf_one', 40)}`);
    expect((await bench.offline(write)).stdout).toMatch(/│ the source alone +│/);
  });

  test('makes a damaged image anew', async () => {
    await bench.offline(write);
    writeFileSync(join(bench.folder, 'out/images/cuda/nvcc-13.0/one.fatbin'), 'damaged');
    const { code, stdout } = await bench.offline(write);
    expect([code, bench.nvcc.compiles().length]).toEqual([0, 3]);
    expect(stdout).toContain('0 differ from records/; 1 of 2 compiles anew');
  });

  test('drops the records of a launch that is gone', async () => {
    await bench.offline(write);
    bench.kernel('two', source('tf_two', 32).replaceAll('tf_two', 'tf_deux'));
    const path = join(bench.folder, 'kernels/two/two.contract.ts');
    writeFileSync(path, readFileSync(path, 'utf8').replace("'tf_two'", "'tf_deux'"));
    expect((await bench.offline(write)).code).toBe(0);
    expect(bench.records(FILE).filter((line) => line.includes('tf_two'))).toEqual([]);
    expect(bench.records(FILE)).toHaveLength(8);
  });

  test('of a later release holds the differences alone, and names what it inherits', async () => {
    bench.kernel('two', source('tf_two', 32, '// 13.2:registers 36\n'));
    await bench.offline(write);
    const before = bench.records(FILE);
    expect((await bench.offline(write, { FAKE_VERSION: '13.2' })).code).toBe(0);
    const [header = '', ...lines] = bench.records('cuda/nvcc-13.2.jsonl');
    expect(JSON.parse(header)).toEqual({ inherits: 'nvcc-13.0' });
    expect(
      lines.map((line) => JSON.parse(line)).map(({ kernel, chip, registers }) => [kernel, chip, registers]),
    ).toEqual(SMS.map((sm) => ['two', sm, 36]));
    expect(bench.records(FILE)).toEqual(before);
    const again = await bench.offline(write, { FAKE_VERSION: '13.2' });
    expect(again.stdout).toContain('0 differ from records/');
  });

  test('writes nothing over records that cannot be read', async () => {
    await bench.offline(write);
    const path = join(bench.folder, 'records', FILE);
    const damaged = readFileSync(path, 'utf8').replace('"registers":40', '"registers":"40"');
    writeFileSync(path, damaged);
    const { code, stdout } = await bench.offline(write);
    expect(code).toBe(1);
    expect(linesOf(stdout, 'FAIL')[0]).toStartWith(`FAIL  records/${FILE}:1: registers: `);
    expect(readFileSync(path, 'utf8')).toBe(damaged);
  });
});

describe('a source that does not compile', () => {
  test("is told under its kernel's address, and the rest goes on", async () => {
    bench.kernel('one', `#error\n${source('tf_one', 40)}`);
    const { code, stdout } = await bench.offline(write);
    expect(code).toBe(1);
    const lines = stdout.split('\n');
    const at = lines.findIndex((line) => line.startsWith('FAIL'));
    expect(lines[at]).toBe('FAIL  one@cuda  nvcc 13.0.88 does not compile it for sm_80, sm_86, sm_90, sm_120');
    expect(lines[at + 1]).toBe('      k.cu(1): error: #error directive');
    expect(linesOf(stdout, 'RECORD')).toHaveLength(4);
    expect(bench.records(FILE)).toHaveLength(4);
  });

  test('for one SM keeps its records of the others, and its old record of that one', async () => {
    await bench.offline(write);
    bench.kernel('one', `#error sm_90\n${source('tf_one', 48)}`);
    const { code, stdout } = await bench.offline(write);
    expect(code).toBe(1);
    expect(linesOf(stdout, 'FAIL')).toEqual(['FAIL  one@cuda  nvcc 13.0.88 does not compile it for sm_90']);
    const registers = bench
      .records(FILE)
      .map((line) => JSON.parse(line))
      .filter(({ kernel }) => kernel === 'one');
    expect(registers.map(({ chip, registers: n }) => [chip, n])).toEqual([
      ['sm_80', 48],
      ['sm_86', 48],
      ['sm_90', 40],
      ['sm_120', 48],
    ]);
  });

  test('to the symbol that its launch names is told', async () => {
    bench.kernel('one', source('tf_uno', 40));
    const { stdout } = await bench.offline(quiet);
    expect(linesOf(stdout, 'FAIL')[0]).toBe('FAIL  one@cuda  its image for sm_80 holds no tf_one');
  });
});

describe('planted edits', () => {
  test('are compiled and told by their address, and never recorded', async () => {
    const { code, stdout } = await bench.offline(['--write']);
    expect(code).toBe(0);
    expect(linesOf(stdout, 'RECORD one@cuda!1 ')).toHaveLength(4);
    expect(bench.nvcc.compiles()).toHaveLength(4);
    expect(bench.records(FILE)).toHaveLength(8);
    expect((await bench.offline(['--write'])).stdout).toContain('0 of 4 compiles anew');
  });

  test('lie apart from the images that are audited', async () => {
    await bench.offline(['--write']);
    const { code, stdout } = await bench.run(['limits', join(bench.folder, 'out')]);
    expect(code).toBe(0);
    expect(stdout).toContain('8 launches: 8 fit, 0 tight, 0 do not fit, 0 stale; 0 without a record');
  });
});

describe('a run that cannot be', () => {
  test.each([
    [['--nvcc', '/nowhere/nvcc'], "cuda  no compiler: --nvcc or TF_NVCC names '/nowhere/nvcc', which was not found"],
    [['--nvcc', '/bin/true'], 'cuda  no compiler: /bin/true --version names no nvcc'],
  ])('with %j tells what is missing and how to get it', async (args, what) => {
    const { code, stdout, stderr } = await bench.run([
      '--offline',
      join(bench.folder, 'out'),
      '--dialect',
      'cuda',
      ...args,
    ]);
    expect(code).toBe(1);
    expect(stdout).toContain(`NOT RUN  ${what}`);
    expect(stdout).toContain('developer.nvidia.com/cuda-downloads');
    expect(stderr).toStartWith('Nothing was compiled');
  });

  test.each([
    [['--offline'], '--offline needs a value.'],
    [['--offline', '--write'], '--offline needs a value.'],
    [['--offline', 'a', '--offline', 'b'], '--offline is given twice'],
    [['--offline', 'a', '--write=yes'], "--write takes no value, but got 'yes'."],
    [['--offline', 'a', '--list'], '--list does not go with --offline'],
    [['--offline', 'a', '--nvc', 'b'], 'Unknown flag --nvc (did you mean --nvcc?)'],
  ])('%j is a wrong command', async (args, what) => {
    const { code, stderr } = await bench.run(args);
    expect(code).toBe(2);
    expect(stderr).toContain(what.split(' (')[0] ?? '');
  });

  test('selects nothing', async () => {
    const { code, stderr } = await bench.offline(['--only', 'three']);
    expect([code, stderr.split(':')[0]]).toEqual([1, 'Nothing is selected, so nothing was compiled']);
  });
});
