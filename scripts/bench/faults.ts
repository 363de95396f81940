/**
 * The fault matrix, and beside it 26 faults of the kinds that ggml's operator tests were tried with:
 * bun scripts/bench/faults.ts [flags of --faults] runs it; --from FILE takes a report of `--faults --json FILE` instead.
 *
 * ggml's tests hold one error over a whole tensor against float sums of random data: of 26 such faults they killed 18, and none
 * that drops a NaN, sums in half, changes the order of a sum or writes to an input.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FaultsReport } from '../../src/report/faults-json.ts';

const GGML = { killed: 18, of: 26 };

/** What each kind is there, and our own faults of it, spread over kernels and dialects. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  'values and places': [
    'row_sum@cuda~tail-dropped.1',
    'dot_rows@hip~tail-dropped.1',
    'softmax_rows_f32@metal~tail-dropped.1',
    'rms_rows_f32@xpu~one-too-few.1',
    'l2_rows@cuda~one-too-few.1',
    'dense_rows@hip~one-too-many.1',
    'row_max@metal~stride-doubled.1',
    'layer_norm_rows@xpu~stride-doubled.1',
    'rms_rows_bf16@cuda~row-stale.2',
    'relu2_rows@hip~row-stride.1',
    'dense_rows@metal~index-swapped.1',
    'affine_rows_4@xpu~index-swapped.1',
    'affine_rows_8@cuda~group-dropped.1',
    'l2_rows@hip~barrier-dropped.1',
    'softmax_rows_bf16@metal~barrier-dropped.2',
    'row_sum@xpu~lane-lost.1',
    'layer_norm_rows@cuda~partial-lost.1',
    'argmax_rows@hip~tie-higher.1',
  ],
  'dropped NaNs': ['row_max@cuda~nan-dropped.1', 'argmax_rows@hip~nan-dropped.1'],
  'sums in half': ['dot_rows@metal~sum-in-f16.2', 'row_sum@hip~sum-in-f16.3'],
  'shuffled order': ['row_sum@cuda~order-by-atomics.1', 'rms_rows_f32@metal~order-by-atomics.1'],
  'an overwritten input': ['rms_rows_f32@metal~input-overwritten.1', 'slerp_rows@hip~input-overwritten.1'],
};

type Row = FaultsReport['faults'][number];

/** A line a kind, and the two totals. */
function rowsOf({ faults }: FaultsReport): string[] {
  const byAddress = new Map(faults.map((fault) => [fault.address, fault]));
  const kinds = Object.entries(KINDS).map(([kind, addresses]) => ({
    kind,
    rows: addresses.map((address) => found(byAddress, address)),
  }));
  const lines = kinds.map(({ kind, rows }) => `  ${kind.padEnd(22)}${ratio(rows)}  ${gatesOf(rows)}`);
  const all = kinds.flatMap(({ rows }) => rows);
  return [
    `26 faults of the kinds that ggml's operator tests were tried with, killed:`,
    ...lines,
    `  ours ${ratio(all)}; ggml ${GGML.killed} of ${GGML.of}, none of the last four kinds`,
  ];
}

function found(byAddress: ReadonlyMap<string, Row>, address: string): Row {
  const row = byAddress.get(address);
  if (!row) throw new Error(`the report has no ${address}: run the whole matrix, or name a fault that there is`);
  return row;
}

const ratio = (rows: readonly Row[]): string =>
  `${rows.filter(({ status }) => status === 'killed').length} of ${rows.length}`;

const gatesOf = (rows: readonly Row[]): string => {
  const gates = Map.groupBy(rows, ({ gate }) => gate ?? 'none');
  return [...gates].map(([gate, own]) => `${gate} ${own.length}`).join(', ');
};

async function run(args: readonly string[]): Promise<number> {
  const at = args.indexOf('--from');
  if (at >= 0) return tell(args[at + 1] ?? '');
  const folder = mkdtempSync(join(tmpdir(), 'tf-faults-'));
  try {
    const json = join(folder, 'faults.json');
    const command = [process.execPath, join(import.meta.dir, '../../src/main.ts'), '--faults', '--json', json, ...args];
    const code = await Bun.spawn(command, { stdio: ['ignore', 'inherit', 'inherit'] }).exited;
    return Math.max(code, tell(json));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function tell(json: string): number {
  const report = JSON.parse(readFileSync(json, 'utf8')) as FaultsReport;
  for (const line of rowsOf(report)) console.log(line);
  return report.exitCode;
}

process.exitCode = await run(process.argv.slice(2));
