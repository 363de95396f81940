/** Two small kernels in every dialect, over the project's own headers: a reduction of a row, and a tile with a tie. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bf16, f32, grouped, rows, rule } from '#contract';
import type { Dialect } from '../../src/families/formula/functions.ts';
import { DIALECTS } from '../../src/families/formula/functions.ts';
import { problemOf } from '../../src/families/problem.ts';
import type { Texts } from '../../src/faults/matrix.ts';
import type { Contract } from '../../src/spec/contract.ts';
import { KERNELS, readSources } from '../../src/spec/folder.ts';
import type { Kernel } from '../../src/spec/registration.ts';

export const EXTENSIONS: Readonly<Record<Dialect, string>> = { cuda: 'cu', hip: 'hip', metal: 'metal', xpu: 'cl' };

const launch = (symbol: string): Contract['launch'] => ({
  everywhere: { symbol, threads: 256, grid: ({ rows: count = 1 }) => [count], depth: () => 20 },
});

const FOLD: Contract = {
  name: 'fold',
  dims: { rows: { least: 1 }, width: { tile: 256, step: 1, least: 1 } },
  served: [{ rows: 4, width: 1000 }],
  inputs: { x: f32('rows', 'width') },
  outputs: { y: bf16('rows') },
  scalars: { eps: 1e-6 },
  args: ['x', 'y', 'width', 'eps'],
  formula: rows('width', 'm = max(x); s = bf16(sum(exp(x - m)) + eps); y = s * 2'),
  nan: 'propagate',
  accumulator: 'f32',
  launch: launch('tf_fold'),
  controls: [],
};

const TILE: Contract = {
  name: 'tile',
  dims: { rows: { least: 1 }, n: { tile: 64, step: 1, least: 1 } },
  served: [{ rows: 4, n: 1000 }],
  inputs: { scale: grouped(f32('n'), 64) },
  outputs: { y: f32('rows', 'n') },
  args: ['scale', 'y', 'rows', 'n'],
  formula: rule('rows', 'ties go to the lower id', () => ({})),
  nan: 'rule',
  accumulator: 'none',
  launch: launch('tf_tile'),
  controls: [],
  regressions: [],
};

const kernelOf = (contract: Contract): Kernel => {
  const { name, formula, inputs, outputs, scalars = {}, dims } = contract;
  const path = `${name}/${name}.contract.ts`;
  const head = { name, folder: name, path, contract, dialects: DIALECTS, controls: [], regressions: [] };
  if (formula.family === 'rule') return { ...head, rule: formula };
  return { ...head, problem: problemOf(formula, inputs, outputs, scalars, Object.keys(dims)) };
};

export const KERNELS_OF_KIT: readonly Kernel[] = [kernelOf(FOLD), kernelOf(TILE)];

/** The sources of both kernels, and the project's headers. */
export const TEXTS: Texts = new Map([
  ...readSources(KERNELS),
  ...['fold', 'tile'].flatMap((name) =>
    DIALECTS.map((dialect) => {
      const file = `${name}.${EXTENSIONS[dialect]}`;
      return [`${name}/${file}`, readFileSync(join(import.meta.dir, 'sources', file), 'utf8')] as const;
    }),
  ),
]);
