/**
 * The host device against PoCL and plain C++ on the same work: bun scripts/bench/host.ts [rounds] [case] [schedule].
 *
 * CPU time of one process, its subjects in turn, medians. PoCL (Debian's pocl-opencl-icd, and opencl-c-headers to build against)
 * has one thread, and its compiler's time is not counted; of its twins the fastest counts. Before a time is printed every output
 * lies within the range that the formula's fp32 evaluation may reach, and the host device's bits are plain C++'s.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findClang } from '../../src/device/toolchain/clang.ts';
import { compileHost } from '../../src/device/toolchain/host.ts';
import { buildRuntime } from '../../src/device/toolchain/runtime.ts';
import { ranges, reference } from '../../src/families/answer.ts';
import { ordinaryInputs } from '../../src/families/fills/ordinary.ts';
import type { Dialect } from '../../src/families/formula/functions.ts';
import { limitOf } from '../../src/families/libraries/library.ts';
import type { Inputs } from '../../src/families/inputs.ts';
import { mainOutput } from '../../src/families/problem.ts';
import { byteCount } from '../../src/families/tensor.ts';
import { compareBits, compareRanges } from '../../src/gates/compare.ts';
import { KERNELS } from '../../src/spec/folder.ts';
import { type Case, HERE, readCases, type Sourced } from './host/cases.ts';

const ROUNDS = Number(process.argv[2] ?? 15);
const ONLY = process.argv[3] ?? '';
const SCHEDULE = process.argv[4] ?? '0';
const LEAST_ROUNDS = 7;
const HEADERS: Readonly<Record<Dialect, string>> = { cuda: 'cuda', hip: 'hip', metal: 'metal', xpu: 'opencl' };

async function must(command: readonly string[], options: { cwd?: string; stdin?: Uint8Array } = {}): Promise<string> {
  const env = { ...process.env, POCL_MAX_PTHREAD_COUNT: '1', POCL_CACHE_DIR: join(folder, 'pocl') };
  const child = Bun.spawn([...command], { env, stdout: 'pipe', stderr: 'inherit', ...options });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`${command[0]} ended with ${child.exitCode}`);
  return text;
}

async function buildDriver(): Promise<string> {
  const driver = join(folder, 'driver');
  const sources = ['driver.cpp', 'subjects.cpp', 'pocl.cpp', 'plain.cpp'].map((name) => join(HERE, name));
  const flags = ['-std=c++17', '-O3', '-ffp-contract=off', ...(process.arch === 'x64' ? ['-march=x86-64-v3'] : [])];
  await must([(await findClang()).path, ...flags, ...sources, '-o', driver, '-lstdc++', '-lm', '-ldl']);
  return driver;
}

async function imageOf({ dialect, path, text, defines }: Sourced): Promise<Uint8Array> {
  const includeDirs = [join(KERNELS, 'shared', HEADERS[dialect]), join(KERNELS, dirname(path))];
  const compiled = await compileHost({ kind: 'fast', dialect, source: text, path, defines, includeDirs });
  if ('error' in compiled) throw new Error(compiled.error);
  return compiled.image;
}

/** What the driver reads. */
async function requestOf(one: Case, inputs: Inputs, work: string): Promise<string> {
  const lines = [`runtime\t${join(folder, 'runtime.so')}`, `rounds\t${ROUNDS}`];
  for (const source of one.device) {
    const image = join(work, `${source.label}.so`);
    writeFileSync(image, await imageOf(source));
    lines.push(['device', source.label, image, source.symbol, ...source.grid, SCHEDULE].join('\t'));
  }
  for (const { label, symbol, grid } of one.twins)
    lines.push(['pocl', label, join(HERE, 'twins.cl'), symbol, ...grid].join('\t'));
  lines.push(['plain', 'plain', one.plain.symbol, one.plain.rows].join('\t'));
  for (const name of one.args) lines.push(argumentLine(one, inputs, work, name));
  return `${lines.join('\n')}\n`;
}

function argumentLine({ problem, shape }: Case, inputs: Inputs, work: string, name: string): string {
  const input = inputs.bytes[name];
  const output = problem.outputs[name];
  if (input) {
    writeFileSync(join(work, name), input);
    return `in\t${join(work, name)}\t${input.length}`;
  }
  if (output) return `out\t${byteCount(output, shape)}`;
  return name in shape ? `u32\t${shape[name]}` : `f32\t${problem.scalars[name]}`;
}

/** Throws where an output is out of its range, or the host device's bits are not plain C++'s. */
function verify(one: Case, inputs: Inputs, outputs: ReadonlyMap<string, Uint8Array>): void {
  const { problem, shape, depth } = one;
  const [name = '', tensor = mainOutput(problem)] = Object.entries(problem.outputs)[0] ?? [];
  const want = reference(problem, inputs)[name] ?? new Float64Array(0);
  const devices = new Set(one.device.map(({ label }) => label));
  const plain = outputs.get('plain') ?? new Uint8Array(0);
  for (const dialect of ['cuda', 'xpu'] as const) {
    const ends = ranges(problem, inputs, { depth, flush: false, error: (op) => limitOf(op, dialect) })[name];
    for (const [label, bytes] of outputs) {
      if ((dialect === 'cuda') !== (devices.has(label) || label === 'plain') || !ends) continue;
      const judged = { name: `${one.name} ${label} ${name}`, tensor, shape, bytes };
      const { finding } = compareRanges(judged, want, ends);
      const wrong =
        finding ?? (label === 'cuda' ? compareBits(judged, plain, 'bits', "differ from plain C++'s") : null);
      if (wrong) throw new Error(`${wrong.what}\n  ${wrong.worst}`);
    }
  }
}

const median = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[times.length >> 1] ?? Number.NaN;

/** Runs a case; its medians in milliseconds by label, and PoCL's own name. */
async function measure(one: Case, driver: string): Promise<{ times: Map<string, number>; pocl: string }> {
  const work = join(folder, one.name);
  mkdirSync(work);
  const inputs = ordinaryInputs(one.problem.inputs, one.shape, one.fills, one.name);
  const request = await requestOf(one, inputs, work);
  const text = await must([driver], { cwd: work, stdin: new TextEncoder().encode(request) });
  const times = new Map<string, number[]>();
  let pocl = 'absent';
  for (const [kind, label = '', time] of text.split('\n').map((line) => line.split('\t'))) {
    if (kind === 'pocl') pocl = label;
    if (kind === 'time') times.set(label, [...(times.get(label) ?? []), Number(time) / 1e6]);
  }
  const outputs = [...times.keys()].map((label) => [label, new Uint8Array(readFileSync(join(work, `${label}.out`)))]);
  verify(one, inputs, new Map(outputs as [string, Uint8Array][]));
  return { times: new Map([...times].map(([label, list]) => [label, median(list)])), pocl };
}

function report(one: Case, times: ReadonlyMap<string, number>): void {
  const of = (label: string): number => times.get(label) ?? Number.NaN;
  const twins = one.twins.map(({ label }) => label).filter((label) => times.has(label));
  const best = twins.toSorted((a, b) => of(a) - of(b))[0];
  const ours = of('cuda');
  const ratio = (to: number): string => (ours / to).toFixed(2);
  const against =
    best === undefined ? 'PoCL absent' : `PoCL ${of(best).toFixed(2)} (${best})  ratio ${ratio(of(best))}`;
  console.log(
    `${one.name.padEnd(18)} cuda ${ours.toFixed(2)} ms  ${against}  C ${of('plain').toFixed(2)}  ratio ${ratio(of('plain'))}`,
  );
  const rest = [...times].filter(([label]) => !['cuda', 'plain', best].includes(label));
  if (rest.length > 0) console.log(`  ${rest.map(([label, time]) => `${label} ${time.toFixed(2)}`).join('  ')}`);
}

const folder = mkdtempSync(join(tmpdir(), 'tf-host-'));
try {
  if (!(ROUNDS >= LEAST_ROUNDS)) throw new Error(`medians want ${LEAST_ROUNDS} rounds or more`);
  const driver = await buildDriver();
  writeFileSync(join(folder, 'runtime.so'), await buildRuntime());
  let name = '';
  for (const one of await readCases()) {
    if (!one.name.includes(ONLY)) continue;
    const { times, pocl } = await measure(one, driver);
    if (pocl !== name) console.log(`PoCL: ${(name = pocl)}; CPU milliseconds, medians of ${ROUNDS}`);
    report(one, times);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
