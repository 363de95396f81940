/** `--faults`: plant every fault that the rules make, one at a time, and say which gate kills it. */
import { findClang } from '../../device/toolchain/clang.ts';
import { writeWhole } from '../../device/toolchain/cache.ts';
import { runtimeImage } from '../../device/store.ts';
import { anchorAddress, explain, readEquivalents } from '../../faults/equivalents.ts';
import type { Explained } from '../../faults/equivalents.ts';
import { limitsVerdict } from '../../faults/limits.ts';
import type { Matrix, Texts } from '../../faults/matrix.ts';
import { matrixOf } from '../../faults/matrix.ts';
import type { FaultResult } from '../../faults/result.ts';
import type { Fault } from '../../faults/rule.ts';
import { runFaults } from '../../faults/run.ts';
import type { FaultRow } from '../../report/faults.ts';
import {
  faultExitCode,
  faultLines,
  faultProblemLines,
  faultSummary,
  faultTable,
  faultTally,
} from '../../report/faults.ts';
import { faultsReport } from '../../report/faults-json.ts';
import { counted, seconds } from '../../report/words.ts';
import { matcher } from '../../spec/address.ts';
import { GATES } from '../../spec/contract.ts';
import { KERNELS } from '../../spec/folder.ts';
import { readListing } from '../../spec/listing.ts';
import { loadKernels } from '../../spec/load.ts';
import type { Kernel } from '../../spec/registration.ts';
import { styleFor } from '../colour.ts';
import type { ExitCode } from '../errors.ts';
import { NothingRunError } from '../errors.ts';
import type { FaultsOptions } from './flags.ts';
import { readFaultsFlags } from './flags.ts';
import { LIMITS } from '../arguments/flags.ts';
import type { Interruption } from '../interrupt.ts';
import { interruptedText, interruptibly } from '../interrupt.ts';
import { requireWritable } from '../reports/json-file.ts';
import { readRecords, recordsRoot } from '../offline/records.ts';
import { print } from '../print.ts';
import { progressOn } from '../progress.ts';
import { BUILD_COMMIT, COMMAND, PLATFORM, VERSION } from '../version.ts';

/** Runs what the options select of the matrix; returns 1 where a fault survives without an argument or a rule makes none. */
export async function faults(argv: readonly string[]): Promise<ExitCode> {
  const options = readFaultsFlags(argv);
  if (options.json !== undefined) requireWritable(options.json);
  if (Bun.isStandaloneExecutable) throw fromSource();
  const listing = await readListing();
  const kernels = loadKernels(listing);
  const whole = matrixOf(kernels, listing.sources, options.dialect);
  const selected = selectedOf(whole, options);
  if (options.list) {
    print(selected.faults.map(({ address }) => address));
    return 0;
  }
  if (selected.faults.length + selected.dead.length === 0) throw nothingSelected(options);
  await findClang(); // once here, so that its absence is told once
  await runtimeImage();
  const from = performance.now();
  const entries = readEquivalents(KERNELS);
  const judgeLimits = limitsJudge(options, kernels, listing.sources);
  const rows = await runSelected(selected.faults, options, explain(entries, whole, new Map()), judgeLimits);
  return finish(options, rows, selected, whole, performance.now() - from);
}

/** A filter that names no place of a rule selects the rule's dead anchors as well. */
function selectedOf({ faults: all, dead }: Matrix, { only }: FaultsOptions): Matrix {
  const selects = matcher(only);
  return {
    faults: all.filter(({ address }) => selects(address)),
    dead: dead.filter((anchor) => selects(anchorAddress(anchor))),
  };
}

type Judge = (result: FaultResult, fault: Fault) => FaultResult;

/** Gate 5's word on a launch that the others let through, where that gate is asked for. */
function limitsJudge({ gate }: FaultsOptions, kernels: readonly Kernel[], texts: Texts): Judge {
  if (!gate.includes(LIMITS)) return (result) => result;
  const records = readRecords(recordsRoot());
  return (result, fault) => {
    const kernel = kernels.find(({ name }) => name === fault.kernel);
    return kernel ? limitsVerdict(result, fault, kernel, texts, records) : result;
  };
}

async function runSelected(
  selected: readonly Fault[],
  options: FaultsOptions,
  explained: Explained,
  judgeLimits: Judge,
): Promise<FaultRow[]> {
  const byAddress = new Map(selected.map((fault) => [fault.address, fault]));
  const style = await styleFor(process.stdout, process.env);
  const context = { seed: options.seed, command: COMMAND, style };
  const progress = progressOn(process.stderr);
  const rows: FaultRow[] = [];
  const onResult = (judged: FaultResult): void => {
    const fault = byAddress.get(judged.address);
    if (!fault) throw new Error(`a result of ${judged.address}, which was not asked for`);
    const result = judgeLimits(judged, fault);
    rows.push({ fault, result });
    progress.clear();
    print(faultLines({ fault, result }, explained.because.get(result.address), context));
    if (rows.length < selected.length) progress.show(rows.length, selected.length, result.address);
  };
  const settings = {
    seed: options.seed,
    limitMs: options.timeout * 1000,
    gates: GATES.filter((gate) => options.gate.includes(gate)),
    modes: options.mode,
  };
  const told = (interruption: Interruption): string => {
    progress.clear();
    return interruptedText(interruption, rows.length, selected.length);
  };
  await interruptibly(told, () =>
    runFaults(selected, settings, options.jobs ?? navigator.hardwareConcurrency, onResult),
  );
  return selected.flatMap(({ address }) => rows.filter(({ fault }) => fault.address === address));
}

async function finish(
  options: FaultsOptions,
  rows: readonly FaultRow[],
  selected: Matrix,
  whole: Matrix,
  elapsedMs: number,
): Promise<ExitCode> {
  const results = new Map(rows.map(({ result }) => [result.address, result]));
  const explained = explain(readEquivalents(KERNELS), whole, results);
  const dead = selected.dead.filter((anchor) => explained.dead.includes(anchor));
  // Explanations of dialects that are left out are not looked at.
  const problems = options.dialect.length === DIALECT_COUNT ? explained.problems : [];
  const tally = faultTally(rows, explained);
  const summary = faultSummary(tally, dead.length, problems.length);
  const exitCode = faultExitCode(tally, dead.length, problems.length);
  print(await faultTable(rows, explained, process.stdout.columns ?? WIDE));
  print(faultProblemLines(dead, problems, await styleFor(process.stdout, process.env)));
  if (options.json !== undefined) {
    const program = { version: VERSION, commit: BUILD_COMMIT, platform: PLATFORM };
    const head = { program, seed: options.seed, elapsedMs, summary, exitCode };
    const report = faultsReport(head, rows, dead, { ...explained, problems });
    writeWhole(options.json, `${JSON.stringify(report, undefined, 2)}\n`);
  }
  print([
    `${seconds(elapsedMs)}; ${counted(rows.length, 'fault')} of ${whole.faults.length}, seed ${options.seed}, device host`,
  ]);
  print([summary]);
  return exitCode;
}

const DIALECT_COUNT = 4;
/** Columns of output that no terminal cuts. */
const WIDE = 160;

function fromSource(): NothingRunError {
  return new NothingRunError(
    '--faults compiles every faulted source, and this executable holds neither the dialect headers nor a compiler.\n' +
      '  Run it from the source tree, where clang is found: npm start -- --faults',
  );
}

function nothingSelected({ only }: FaultsOptions): NothingRunError {
  return new NothingRunError(
    `No fault is selected, so nothing was run: ${only.map((filter) => `--only ${filter}`).join(' ')} matches none.\n` +
      `  An address reads kernel@dialect~rule.place; ${COMMAND} --faults --list prints every one.`,
  );
}
