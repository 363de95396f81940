/** `--faults` as a command: a bounded matrix in four dialects through the real gates, and what turns the run red. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KERNELS } from '../../src/spec/folder.ts';
import type { FaultsReport } from '../../src/report/faults-json.ts';
import type { Ran } from '../cli/executable.ts';
import { ran } from '../cli/executable.ts';

const MAIN = join(import.meta.dir, '../../src/main.ts');
const HOUR = 3600 * 1000;
const folder = mkdtempSync(join(tmpdir(), 'tf-matrix-'));
const json = join(folder, 'faults.json');

const run = (kernels: string, ...args: readonly string[]): Promise<Ran> =>
  ran([process.execPath, MAIN, '--faults', ...args], {
    env: { ...process.env, TF_KERNELS: kernels, FORCE_COLOR: undefined },
  });

/** Rules that fall at different gates. */
const RULES = ['barrier-dropped', 'order-by-atomics', 'sum-in-f16', 'input-overwritten', 'one-too-many', 'grid-short'];
/** A launch that only a chip refuses: no local memory of the kernel's own stands beside what it asks for. */
const REFUSED = 'affine_rows_4@hip~local-overfull.1';
const only = [
  ...RULES.flatMap((rule) => ['--only', `row_sum@*~${rule}.*`]),
  ...['--only', REFUSED],
  ...['--only', 'l2_rows@*~order-by-atomics.*'], // into bf16, which hides the order of a sum of squares in all but a few rows
];

describe('a matrix of one kernel', () => {
  let whole: Ran = { code: 70, stdout: '', stderr: '' };
  let report: FaultsReport | undefined;

  beforeAll(async () => {
    whole = await run(KERNELS, ...only, '--json', json);
    report = JSON.parse(readFileSync(json, 'utf8'));
  }, HOUR);

  const gatesOf = (rule: string): string[] => [
    ...new Set(report?.faults.filter((fault) => fault.rule === rule).map((fault) => `${fault.gate} ${fault.finding}`)),
  ];

  test('kills every fault in every dialect, and says so last', () => {
    expect(whole.stderr).toBe('');
    expect(whole.stdout.trimEnd().split('\n').at(-1)).toMatch(
      /^FAULTS \d+ faults: \d+ killed \(gate 1 \d+, gate 2 \d+, gate 3 \d+, gate 4 \d+, gate 5 \d+\); \d+ survive: .* 0 open; 0 dead anchors$/,
    );
    expect(whole.code).toBe(0);
    for (const dialect of ['cuda', 'hip', 'metal', 'xpu']) {
      const own = report?.faults.filter((fault) => fault.dialect === dialect && fault.kernel === 'row_sum') ?? [];
      expect(new Set(own.map(({ rule }) => rule))).toEqual(new Set(RULES));
      expect(own.filter(({ status }) => status === 'killed').length).toBeGreaterThanOrEqual(RULES.length);
    }
  });

  test('names the gate that sees a fault, and what it sees', () => {
    expect(gatesOf('order-by-atomics')).toEqual(['repeat different']);
    expect(gatesOf('input-overwritten')).toEqual(['nonfinite input']);
    expect(gatesOf('one-too-many')).toEqual(['nonfinite class']);
    expect(gatesOf('local-overfull')).toEqual(['limits local bytes']);
  });

  test('has a line of each fault and a row of each rule', () => {
    const lines = whole.stdout.split('\n');
    expect(lines.filter((line) => line.startsWith('KILLED  ')).length).toBe(
      report?.faults.filter(({ status }) => status === 'killed').length ?? -1,
    );
    for (const rule of RULES) expect(lines.filter((line) => line.startsWith(`│ ${rule} `))).toHaveLength(1);
  });
});

test.skipIf(process.platform !== 'linux')(
  'a process that is gone is replaced, and its faults are judged by another',
  async () => {
    const only = ['--only', 'row_sum@cuda~', '--jobs', '1'];
    const child = Bun.spawn([process.execPath, MAIN, '--faults', ...only], { stdout: 'pipe', stderr: 'pipe' });
    let stdout = '';
    let isEnded = false;
    for await (const piece of child.stdout.pipeThrough(new TextDecoderStream())) {
      stdout += piece;
      if (isEnded || !stdout.includes('KILLED')) continue;
      isEnded = true;
      for (const pid of childrenOf(child.pid)) process.kill(pid, 'SIGKILL');
    }
    expect(isEnded).toBe(true);
    expect(await child.exited).toBe(0);
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/^FAULTS (\d+) faults: \1 killed .* 0 open; 0 dead anchors$/);
    expect(stdout).not.toContain('it ends the process');
  },
  HOUR,
);

/** The processes that a process has started to judge faults. */
function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const isOwn = new RegExp(`^PPid:\\s*${parent}$`, 'm').test(readFileSync(`/proc/${pid}/status`, 'utf8'));
        return isOwn && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--serve-faults');
      } catch {
        return false; // it ended meanwhile
      }
    })
    .map(Number);
}

describe('a run of faults is red', () => {
  const kernels = join(folder, 'kernels');

  /** A kernel whose guard behind its loop can never be taken. */
  const idle = (source: string): void => {
    for (const name of ['shared', 'row_sum']) cpSync(join(KERNELS, name), join(kernels, name), { recursive: true });
    const contract = readFileSync(join(kernels, 'row_sum/row_sum.contract.ts'), 'utf8');
    const absolute = contract.replace("'#contract'", `'${join(KERNELS, '../src/spec/contract.ts')}'`);
    writeFileSync(join(kernels, 'row_sum/row_sum.contract.ts'), absolute);
    const path = join(kernels, 'row_sum/row_sum.cu');
    writeFileSync(path, readFileSync(path, 'utf8').replace('  // 1. Each', `${source}\n  // 1. Each`));
  };

  const explained = (entries: unknown): void =>
    writeFileSync(join(kernels, 'equivalent-faults.json'), JSON.stringify(entries));
  const because = 'No group has so many rows before it, so that the guard is never taken at all.';
  const address = 'row_sum@cuda~one-too-few.1';
  const edit = 'blockIdx.x > 5000 + width → blockIdx.x > 5000 + (width - 8)';

  beforeAll(() => {
    idle('  if (blockIdx.x > 5000 + width) return;');
  });

  test(
    'where a fault survives, until there is an argument',
    async () => {
      explained([]);
      const open = await run(kernels, '--only', address);
      expect(open.code).toBe(1);
      expect(open.stdout).toContain(`SURVIVES  ${address}  row_sum.cu:`);
      expect(open.stdout).toContain(edit);
      expect(open.stdout).toMatch(/0 equivalent \(0 by the same code\), 1 open/);
      explained([{ faults: address, edit, because }]);
      const closed = await run(kernels, '--only', address);
      expect(closed.stdout).toContain(because);
      expect(closed.stdout).toMatch(/1 equivalent \(0 by the same code\), 0 open/);
      expect(closed.code).toBe(0);
    },
    HOUR,
  );

  test(
    'where an explained fault is killed, or is not there',
    async () => {
      const killed = { faults: 'row_sum@cuda~barrier-dropped.*', edit: '__syncthreads() → (void)0', because };
      explained([killed, { faults: 'row_sum@cuda~barrier-dropped.9', edit: 'x → y', because }]);
      const { code, stdout } = await run(kernels, '--only', 'row_sum@cuda~barrier-dropped');
      expect(code).toBe(1);
      expect(stdout).toContain('does not survive at row_sum@cuda~barrier-dropped.1');
      expect(stdout).toContain("'row_sum@cuda~barrier-dropped.9' with 'x → y' names no fault");
      expect(stdout).toContain('2 explanations without their faults');
    },
    HOUR,
  );

  test('where a rule that applies finds no place', async () => {
    explained([]);
    const path = join(kernels, 'row_sum/row_sum.cu');
    writeFileSync(path, readFileSync(path, 'utf8').replace('__syncthreads();', 'asm("bar.sync 0;");'));
    const { code, stdout } = await run(kernels, '--only', 'row_sum@cuda~barrier-dropped');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^DEAD ANCHOR {2}row_sum@cuda {2}barrier-dropped applies and finds no place/m);
    expect(stdout).toMatch(/^FAULTS 0 faults: .* 1 dead anchor$/m);
    rmSync(folder, { recursive: true });
  });
});

test.each([
  ['--faults --only nothing', 1, 'No fault is selected, so nothing was run'],
  ['--faults --device cuda', 2, '--device does not go with --faults'],
  ['--faults --no-controls', 2, '--no-controls does not go with --faults'],
])('%s ends with %i and says why', async (line, code, words) => {
  const { code: ended, stderr } = await ran([process.execPath, MAIN, ...line.split(' ')], { env: process.env });
  expect([ended, stderr]).toEqual([code, expect.stringContaining(words)]);
});

test('without a compiler the command says what is missing and how to get it', async () => {
  const { code, stderr } = await ran([process.execPath, MAIN, '--faults', '--only', 'row_sum@cuda~grid-short'], {
    env: { ...process.env, TF_CLANG: '/nowhere/clang' },
  });
  expect([code, stderr]).toEqual([1, expect.stringContaining("TF_CLANG is '/nowhere/clang'")]);
});
