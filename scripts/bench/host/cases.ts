/** What the benchmark runs: a formula at one shape, its registered sources or its own, its twins and its plain form. */
import { join } from 'node:path';
import type { Dialect } from '../../../src/families/formula/functions.ts';
import type { FillName } from '../../../src/families/fills/ordinary.ts';
import type { Problem } from '../../../src/families/problem.ts';
import { problemOf } from '../../../src/families/problem.ts';
import type { Shape } from '../../../src/families/tensor.ts';
import { dense, f32 } from '../../../src/spec/contract.ts';
import { readListing } from '../../../src/spec/listing.ts';
import { loadKernels } from '../../../src/spec/load.ts';
import type { Kernel } from '../../../src/spec/registration.ts';
import { routeOf, sourceOf } from '../../../src/spec/registration.ts';
import { firstWarp, launchShape } from '../../../src/spec/warps.ts';

export const HERE = import.meta.dir;

/** A launch of 256 threads a group. */
export interface Launched {
  readonly label: string;
  readonly symbol: string;
  readonly grid: readonly [number, number];
}

export interface Sourced extends Launched {
  readonly dialect: Dialect;
  /** Relative to kernels/, or absolute. */
  readonly path: string;
  readonly text: string;
  readonly defines: Readonly<Record<string, string | number>>;
}

export interface Case {
  readonly name: string;
  readonly problem: Problem;
  readonly shape: Shape;
  readonly fills: Readonly<Partial<Record<string, FillName>>>;
  readonly depth: number;
  /** In the order of every kernel's parameters. */
  readonly args: readonly string[];
  /** The first is the one that ratios are of. */
  readonly device: readonly Sourced[];
  readonly twins: readonly Launched[];
  /** A function of plain.cpp, and over how many rows it goes. */
  readonly plain: { readonly symbol: string; readonly rows: number };
}

const DIALECTS: readonly Dialect[] = ['cuda', 'hip', 'metal', 'xpu'];

/** Every case; the contracts are those of this tree. */
export async function readCases(): Promise<Case[]> {
  const listing = await readListing();
  const kernels = loadKernels(listing);
  const registered = (kernel: string, shape: Shape, twins: readonly string[], plain: string, rows: number): Case =>
    registeredCase(find(kernels, kernel), listing.sources, shape, twins, { symbol: plain, rows });
  return [
    registered('rms_rows_bf16', { rows: 512, width: 4096 }, RMS_TWINS, 'rms_rows', 512),
    registered('rms_rows_vec_bf16', { rows: 512, width: 4096 }, RMS_TWINS, 'rms_rows', 512),
    await matmulCase(512),
    registered('affine_rows_4', { rows: 1, k: 4096, n: 4096 }, ['affine_tree', 'affine_one'], 'affine_rows_4', 1),
    registered('softmax_rows_f32', { rows: 128, width: 16384 }, SOFTMAX_TWINS, 'softmax_rows', 128),
  ];
}

const RMS_TWINS = ['rms_tree', 'rms_warps', 'rms_one', 'rms_scalar'];
const SOFTMAX_TWINS = ['softmax_vector', 'softmax_kept', 'softmax_scalar'];

function find(kernels: readonly Kernel[], name: string): Kernel & { readonly problem: Problem } {
  const kernel = kernels.find((one) => one.name === name);
  if (!kernel?.problem) throw new Error(`no registered kernel '${name}' with a formula`);
  return { ...kernel, problem: kernel.problem };
}

function registeredCase(
  { name, folder, contract, problem }: Kernel & { readonly problem: Problem },
  sources: ReadonlyMap<string, string>,
  shape: Shape,
  twins: readonly string[],
  plain: Case['plain'],
): Case {
  let depth = 0;
  const device = DIALECTS.flatMap((dialect): Sourced[] => {
    const launch = routeOf(contract, dialect, shape);
    if (!launch) return [];
    const at = launchShape(shape, firstWarp(dialect, launch));
    depth = Math.max(depth, launch.depth(at));
    const path = sourceOf(folder, dialect, launch);
    const [x = 1, y = 1] = launch.grid(at);
    const { symbol, defines = {} } = launch;
    return [{ label: dialect, dialect, symbol, grid: [x, y], path, text: sources.get(path) ?? '', defines }];
  });
  const grid = device[0]?.grid ?? [1, 1];
  return {
    ...{ name, problem, shape, fills: contract.fills ?? {}, depth, args: contract.args, device, plain },
    twins: twins.map((symbol) => ({ label: symbol, symbol, grid })),
  };
}

/** y = x · wᵀ for square fp32 matrices. */
async function matmulCase(size: number): Promise<Case> {
  const path = join(HERE, 'matmul.cu');
  const shape = { m: size, n: size, k: size };
  const grid = [size / 64, size / 64] as const;
  const inputs = { x: f32('m', 'k'), w: f32('n', 'k') };
  const problem = problemOf(dense('k', 'y = sum(x * w)'), inputs, { y: f32('m', 'n') }, {}, ['m', 'n', 'k']);
  const text = await Bun.file(path).text();
  return {
    ...{ name: `matmul_${size}`, problem, shape, fills: {}, depth: size, args: ['x', 'w', 'y', 'n', 'k'] },
    device: [{ label: 'cuda', dialect: 'cuda', symbol: 'matmul', grid, path, text, defines: {} }],
    twins: ['matmul', 'matmul_scalar'].map((symbol) => ({ label: symbol, symbol, grid })),
    plain: { symbol: 'matmul', rows: size },
  };
}
