/** Contracts outside the project, in a folder of the test's own, and the program run from source beside them. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Ran } from '../cli/executable.ts';
import { ran } from '../cli/executable.ts';

export const MAIN = join(import.meta.dir, '../../src/main.ts');

export interface Outside {
  readonly folder: string;
  write(path: string, text: string): void;
  /** Runs the program in the folder. */
  run(...args: readonly string[]): Promise<Ran>;
  close(): void;
}

/** What a person's shell has, less what could name other kernels or records. */
export const environment = (): Record<string, string | undefined> => ({
  ...process.env,
  TF_KERNELS: undefined,
  TF_RECORDS: undefined,
  NO_COLOR: '1',
});

export function openOutside(): Outside {
  const folder = mkdtempSync(join(tmpdir(), 'tf-outside-'));
  return {
    folder,
    write: (path, text) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    },
    run: (...args) => ran([process.execPath, MAIN, ...args], { cwd: folder, env: environment() }),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export const SOURCE = `extern "C" __global__ void tf_copy(const float* x, float* y, unsigned width) {
  const unsigned i = blockIdx.x * width + threadIdx.x;
  y[i] = x[i];
}
`;

/** A contract that a person would write: its sizes from a file of data, its grid from a file of code. */
export const CONTRACT = `import { edit, f32, kernel, rows } from 'tf-kernel-contract';
import sizes from './sizes.json';
import { onePerRow } from './grids.ts';

export default kernel({
  name: 'copy',
  dims: { rows: {}, width: {} },
  served: [{ rows: sizes.rows, width: 64 }],
  inputs: { x: f32('rows', 'width') },
  outputs: { y: f32('rows', 'width') },
  args: ['x', 'y', 'width'],
  formula: rows('width', 'y = x'),
  nan: 'propagate',
  accumulator: 'none',
  launch: { cuda: { symbol: 'tf_copy', threads: 64, grid: onePerRow, depth: () => 0 } },
  controls: [
    { fault: 'the sign is lost', reddens: 'shapes', finding: 'value', edit: { cuda: edit('= x[i]', '= fabsf(x[i])') } },
    { fault: 'nothing is written', reddens: 'repeat', finding: 'unwritten', edit: { cuda: edit('y[i] = x[i];', '') } },
  ],
});
`;

/** Writes the contract above with its source, as the kernel of a folder. */
export function writeCopy({ write }: Outside, folder: string): void {
  write(join(folder, 'copy.contract.ts'), CONTRACT);
  write(join(folder, 'copy.cu'), SOURCE);
  write(join(folder, 'sizes.json'), '{ "rows": [1, 3] }');
  write(
    join(folder, 'grids.ts'),
    'export const onePerRow = ({ rows }: { readonly rows: number }): number[] => [rows];\n',
  );
}
