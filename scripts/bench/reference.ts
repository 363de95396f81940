/**
 * Float64 references and ranges: nanoseconds an element of rows formulas, products a second of projections. One run, medians of
 * seven; compare ratios of figures of one run, since machines differ and are noisy.
 */
import { contract, splitContraction } from '../../src/families/contraction.ts';
import { ranges, reference } from '../../src/families/answer.ts';
import { ordinaryInputs } from '../../src/families/fills/ordinary.ts';
import type { MapName } from '../../src/families/formula/functions.ts';
import { limitOf } from '../../src/families/libraries/library.ts';
import type { Problem } from '../../src/families/problem.ts';
import { elementCount } from '../../src/families/tensor.ts';
import { mainOutput } from '../../src/families/problem.ts';
import { readListing } from '../../src/spec/listing.ts';
import { loadKernels } from '../../src/spec/load.ts';

const RUNS = 7;

/** The median of the milliseconds that `work` takes. */
function median(work: () => unknown): number {
  const times = Array.from({ length: RUNS + 1 }, () => {
    const from = performance.now();
    work();
    return performance.now() - from;
  });
  return times.slice(1).toSorted((a, b) => a - b)[RUNS >> 1] ?? 0;
}

function rowsLine(name: string, problem: Problem): string {
  const shape = { rows: 32, width: 4096 };
  const inputs = ordinaryInputs(problem.inputs, shape, {}, name);
  const elements = Math.max(elementCount(mainOutput(problem), shape), 32 * 4096);
  const arithmetic = { depth: 30, flush: false, error: (op: MapName) => limitOf(op, 'cuda') };
  const value = median(() => reference(problem, inputs));
  const range = median(() => ranges(problem, inputs, arithmetic));
  const ns = (ms: number): string => ((ms * 1e6) / elements).toFixed(1).padStart(8);
  return `${name.padEnd(20)} value ${ns(value)} ns   range ${ns(range)} ns   an element`;
}

function projectionLine(name: string, problem: Problem, rows: number): string {
  const shape = { rows, k: 4096, n: 256 };
  const inputs = ordinaryInputs(problem.inputs, shape, {}, name);
  const ms = median(() => contract(problem, splitContraction(problem), { ...inputs })); // sums are kept for an object's identity
  return `${name.padEnd(20)} rows ${String(rows).padStart(2)}  ${((rows * 4096 * 256) / ms / 1e6).toFixed(2).padStart(6)} G products/s, with their magnitudes`;
}

for (const { name, problem } of loadKernels(await readListing())) {
  if (!problem) continue;
  if (problem.formula.family === 'rows') console.log(rowsLine(name, problem));
  else for (const rows of [1, 8, 32]) console.log(projectionLine(name, problem, rows));
}
