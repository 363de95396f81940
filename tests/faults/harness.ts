/** Runs a contract that a test states, with the sources that it gives, through the real gates on the host device. */
import { openHost } from '../../src/device/host.ts';
import { compilingStore, runtimeImage } from '../../src/device/store.ts';
import { runJob } from '../../src/gates/job.ts';
import type { CaseFinding, GateResult, Result } from '../../src/gates/result.ts';
import type { Contract, GateName } from '../../src/spec/contract.ts';
import type { Dialect } from '../../src/families/formula/functions.ts';
import type { CheckOptions } from '../../src/device/device.ts';
import type { ModeName } from '../../src/spec/modes.ts';
import { loadKernels } from '../../src/spec/load.ts';

const device = openHost({ bytes: await runtimeImage() });
const images = compilingStore();
const EXTENSIONS: Readonly<Record<Dialect, string>> = { cuda: 'cu', hip: 'hip', metal: 'metal', xpu: 'cl' };

/** Two controls that every contract owes; no test runs them. */
const PLACES = '\n// first place\n// second place\n';
const controls = (dialects: readonly Dialect[]): Contract['controls'] =>
  (['first', 'second'] as const).map((place) => ({
    fault: `the ${place} place`,
    reddens: 'shapes',
    finding: 'value',
    edit: Object.fromEntries(dialects.map((dialect) => [dialect, { from: `// ${place} place`, to: '//' }])),
  }));

/** A contract as a test states it: what is the same in most of them is filled in. */
export type Stated = Omit<Contract, 'controls' | 'nan'> & Partial<Pick<Contract, 'controls' | 'nan'>>;

export interface FaultOptions {
  readonly gates?: readonly GateName[];
  readonly seed?: string;
  readonly limitMs?: number;
  readonly runControls?: boolean;
  /** Plain and check, where this is not said. */
  readonly modes?: readonly ModeName[];
  /** Gate 2's orders; its own, where this is not said. */
  readonly schedules?: readonly number[];
  readonly check?: CheckOptions;
  /** The chip of a GPU that the device stands for; none of the host device. */
  readonly chip?: string;
  /** Which case addresses run; all, where this is not said. */
  readonly only?: (address: string) => boolean;
}

/** Ordinary data and single plants: without corner rows, lanes, and pairs of plants. */
export const BASIC = (address: string): boolean => !/data=corners|lanes=|plant=\w+\+/.test(address);

/** Gate 4 without the order of its sums, for kernels whose claimed depth is not what is tried. */
export const EXACT = (address: string): boolean => !address.includes('data=masks');

/** Every result of the named gates for a contract over one source a dialect. */
export async function judge(
  stated: Stated,
  sources: Partial<Readonly<Record<Dialect, string>>>,
  options: FaultOptions = {},
): Promise<Result[]> {
  const dialects = Object.keys(sources) as Dialect[];
  const contract = { nan: 'propagate', controls: controls(dialects), ...stated } as const;
  const texts = new Map(
    Object.entries(sources).map(([dialect, text]) => [`case/case.${EXTENSIONS[dialect as Dialect]}`, text + PLACES]),
  );
  const kernels = loadKernels({ contracts: [{ path: 'case/case.contract.ts', exported: contract }], sources: texts });
  const [kernel] = kernels;
  if (!kernel) throw new Error('no kernel');
  const results: Result[] = [];
  for (const gate of options.gates ?? (['nonfinite', 'repeat', 'shapes', 'sums'] as const)) {
    const job = await runJob(device, { texts, images }, new Map([[kernel.name, kernel]]), kernel, gate, {
      seed: options.seed ?? '1',
      limitMs: options.limitMs ?? 5000,
      selects: options.only ?? (() => true),
      dialects,
      modes: options.modes ?? ['plain', 'check'],
      ...(options.schedules && { schedules: options.schedules }),
      ...(options.check && { check: options.check }),
      ...(options.chip !== undefined && { chip: options.chip }),
      controls: options.runControls ?? false,
    });
    results.push(...job);
  }
  return results;
}

/** The one gate result of a contract with one source; throws where there is another number of them. */
export async function verdict(
  stated: Stated,
  source: string,
  gate: GateName,
  options: Omit<FaultOptions, 'gates'> & { readonly dialect?: Dialect } = {},
): Promise<GateResult> {
  const results = await judge(stated, { [options.dialect ?? 'cuda']: source }, { ...options, gates: [gate] });
  const gates = results.filter((result) => result.kind === 'gate');
  const [only] = gates;
  if (!only || gates.length !== 1) throw new Error(`${gates.length} results`);
  return only;
}

/** The classes of what a gate found, each once. */
export const classes = (result: GateResult): string[] => [
  ...new Set(result.findings.map((finding: CaseFinding) => finding.class)),
];
