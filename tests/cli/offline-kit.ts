/** `--offline` and `limits` from source, over a kernels folder of the test's own and compilers that answer at once. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Fake } from '../device/vendor/kit.ts';
import { fakeCompiler } from '../device/vendor/kit.ts';
import type { Ran } from './executable.ts';
import { ran } from './executable.ts';

const ROOT = join(import.meta.dir, '../..');
const COMMAND = join(ROOT, 'src/main.ts');

export interface Bench {
  readonly folder: string;
  readonly nvcc: Fake;
  /** Writes a kernel: its source, and a contract that launches it with `threads`. */
  kernel(name: string, source: string, threads?: number): void;
  /** Runs the command with the bench's kernels and records. */
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ran>;
  /** `--offline` with the bench's folder and nvcc alone. */
  offline(args?: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ran>;
  /** The lines of a file of records. */
  records(file: string): string[];
  close(): void;
}

export function openBench(): Bench {
  const folder = mkdtempSync(join(tmpdir(), 'tf-offline-'));
  const nvcc = fakeCompiler(join(folder, 'bin'), 'nvcc');
  const run: Bench['run'] = (args, env = {}) =>
    ran([process.execPath, COMMAND, ...args], {
      env: {
        ...process.env,
        TF_KERNELS: join(folder, 'kernels'),
        TF_RECORDS: join(folder, 'records'),
        NO_COLOR: '1',
        ...env,
      },
    });
  return {
    folder,
    nvcc,
    kernel: (name, source, threads = 64) => {
      write(join(folder, 'kernels', name, `${name}.cu`), source);
      write(join(folder, 'kernels', name, `${name}.contract.ts`), contract(name, threads));
    },
    run,
    offline: (args = [], env) =>
      run(['--offline', join(folder, 'out'), '--dialect', 'cuda', '--nvcc', nvcc.path, ...args], env),
    records: (file) =>
      readFileSync(join(folder, 'records', file), 'utf8')
        .trimEnd()
        .split('\n'),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** A source with one kernel; the fake compiler reads its registers. */
export const source = (symbol: string, registers: number, more = ''): string =>
  `${more}extern "C" __global__ void ${symbol}(const float* x, float* y, unsigned width) {\n` +
  `  y[blockIdx.x * width + threadIdx.x] = x[blockIdx.x * width + threadIdx.x]; // registers ${registers}\n}\n`;

const contract = (name: string, threads: number): string => `
import { edit, f32, kernel, rows } from '${join(ROOT, 'src/spec/contract.ts')}';

export default kernel({
  name: '${name}',
  dims: { rows: {}, width: {} },
  served: [{ rows: [1, 3], width: 64 }],
  inputs: { x: f32('rows', 'width') },
  outputs: { y: f32('rows', 'width') },
  args: ['x', 'y', 'width'],
  formula: rows('width', 'y = x'),
  nan: 'propagate',
  accumulator: 'none',
  launch: { cuda: { symbol: 'tf_${name}', threads: ${threads}, grid: ({ rows }) => [rows], depth: () => 0 } },
  controls: [
    {
      fault: 'nothing is read',
      reddens: 'shapes',
      finding: 'value',
      edit: { cuda: edit('= x[blockIdx.x * width + threadIdx.x]', '= 0') },
    },
    { fault: 'one row is not launched', reddens: 'shapes', finding: 'unwritten', launch: (launch) => ({ ...launch, grid: ({ rows }) => [rows - 1] }) },
  ],
});
`;
