/** A contract in which all is right, and what loading says of it with a mistake in it. */
import type { Contract } from '../../src/spec/contract.ts';
import { bf16, edit, f32, rows } from '../../src/spec/contract.ts';
import { loadKernels } from '../../src/spec/load.ts';

export const SOURCE = 'extern "C" __global__ void k() {\n  first();\n  second();\n}\n';
export const LAUNCH = { symbol: 'k', threads: 64, grid: () => [1], depth: () => 1 };
export const control = (from: string): Contract['controls'][number] => ({
  fault: `without ${from}`,
  reddens: 'shapes',
  finding: 'value',
  edit: { cuda: edit(from, '') },
});

export const GOOD = {
  name: 'k',
  dims: { rows: {}, width: { tile: 64, step: 8, least: 8 } },
  served: [{ rows: [1, 2], width: [64, 72] }],
  inputs: { x: bf16('rows', 'width') },
  outputs: { y: f32('rows') },
  args: ['x', 'y', 'width'],
  formula: rows('width', 'y = sum(x)'),
  nan: 'propagate',
  accumulator: 'f32',
  launch: { cuda: LAUNCH },
  controls: [control('first()'), control('second()')],
} as const;

/** What loading says of a contract, `GOOD` but for `change`. */
export function problems(change: object, sources: Readonly<Record<string, string>> = { 'k/k.cu': SOURCE }): string {
  const contracts = [{ path: 'k/k.contract.ts', exported: { ...GOOD, ...change } }];
  try {
    loadKernels({ contracts, sources: new Map(Object.entries(sources)) });
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}
