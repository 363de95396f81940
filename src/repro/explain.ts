/** What is known of a wrong output: what the kernel gave and float64 wants, the range, the replays, and where it is made. */
import { replay } from '../families/answer.ts';
import type { Inputs } from '../families/inputs.ts';
import type { Shape } from '../families/tensor.ts';
import { coordinates } from '../families/tensor.ts';
import { encode, toBits } from '../numerics/codec.ts';
import { bytesOf } from '../numerics/dtype.ts';
import { attempt } from '../gates/attempt.ts';
import type { Finding } from '../gates/finding.ts';
import { givenData } from '../gates/given.ts';
import type { Outputs } from '../gates/stage.ts';
import { codeText, bitsText } from '../spec/fixture-inputs.ts';
import type { Contract } from '../spec/contract.ts';
import type { Suspect } from './suspect.ts';
import type { Triple, Writer } from './writer.ts';
import { writerOf } from './writer.ts';

/** A value in digits and in bits. */
export interface Coded {
  readonly text: string;
  readonly bits: string;
}

/** One element of an output, as the kernel makes it and as float64 does. */
export interface ElementFacts {
  /** `y[0, 3]`. */
  readonly place: string;
  /** In index order, in the poisons of a first run; absent where the launch does not come through. */
  readonly got?: Coded;
  /** float64's value, all digits; rounded to the output's type. Absent where a rule states codes. */
  readonly want?: { readonly exact: number; readonly rounded: Coded };
  /** Between these ends it passes, once they are rounded. */
  readonly range?: { readonly lo: number; readonly hi: number };
  /** The same sums in a narrower accumulator, one chain. */
  readonly replays: readonly { readonly accumulator: 'f16' | 'bf16'; readonly value: number }[];
  readonly tiles: readonly Tile[];
  readonly writer?: Writer | 'none';
}

/** Where along a dimension an element lies, whose kernel goes tile by tile. */
export interface Tile {
  readonly dim: string;
  readonly at: number;
  readonly size: number;
  readonly tile: number;
  readonly within: number;
}

export interface Explanation {
  readonly formula: string;
  readonly symbol: string;
  readonly grid: Triple;
  readonly group: Triple;
  /** Threads of a warp. */
  readonly lanes: number;
  readonly element?: ElementFacts;
}

const ACCUMULATORS = ['f16', 'bf16'] as const;

/** Explains an output's element; of none, the launch alone. */
export async function explain(suspect: Suspect, inputs: Inputs, at: Finding['at']): Promise<Explanation> {
  const { kernel } = suspect.target;
  const route = suspect.subject.route(inputs.shape);
  const head = { formula: kernel.contract.formula.text, symbol: route.launch.symbol };
  const element = at && (await elementFacts(suspect, inputs, at));
  return {
    ...head,
    grid: route.grid(inputs.shape),
    group: route.group,
    lanes: route.warp,
    ...(element && { element }),
  };
}

type At = NonNullable<Finding['at']>;

async function elementFacts(suspect: Suspect, inputs: Inputs, at: At): Promise<ElementFacts | undefined> {
  const { contract } = suspect.target.kernel;
  const tensor = contract.outputs[at.output];
  if (!tensor) return undefined;
  const coded = (code: number): Coded => ({ text: codeText(tensor, code), bits: bitsText(tensor, code) });
  const code = gotAt(suspect, inputs, at);
  const writer = await writerOf(suspect, inputs, at);
  const place = coordinates(tensor, inputs.shape, at.index);
  const wanted = wantedAt(suspect, inputs, at);
  return {
    place: `${at.output}[${place.join(', ')}]`,
    ...(code !== undefined && { got: coded(code) }),
    ...(wanted && {
      want: { exact: wanted.exact, rounded: coded(encode(tensor.dtype, wanted.exact)) },
      range: { lo: wanted.lo, hi: wanted.hi },
    }),
    replays: replaysAt(suspect, inputs, at),
    tiles: tilesOf(contract, inputs.shape, at),
    ...(writer && { writer }),
  };
}

function gotAt(suspect: Suspect, inputs: Inputs, { output, index }: At): number | undefined {
  const tensor = suspect.target.kernel.contract.outputs[output];
  let outputs: Outputs = {};
  attempt(suspect.settings.limitMs, () => {
    outputs = suspect.stageOf(inputs).run(suspect.subject.route(inputs.shape));
    return { findings: [] };
  });
  const bytes = outputs[output];
  if (!tensor || !bytes) return undefined;
  const count = Math.floor(bytes.length / bytesOf(tensor.dtype));
  return toBits(tensor.dtype, bytes, count)[index];
}

interface WantedValue {
  readonly exact: number;
  readonly lo: number;
  readonly hi: number;
}

function wantedAt(suspect: Suspect, inputs: Inputs, { output, index }: At): WantedValue | undefined {
  const { problem } = suspect.subject;
  if (!problem) return undefined;
  const data = givenData(inputs);
  const exactIntegerSums = suspect.target.gate === 'sums';
  const arithmetic = { ...suspect.subject.arithmetic(inputs.shape), ...(exactIntegerSums && { exactIntegerSums }) };
  const ends = data.ranges(problem, arithmetic)[output];
  const exact = data.reference(problem)[output]?.[index];
  if (exact === undefined || !ends) return undefined;
  return { exact, lo: ends.lo[index] ?? Number.NaN, hi: ends.hi[index] ?? Number.NaN };
}

/** Sums alone have an accumulator. */
function replaysAt(suspect: Suspect, inputs: Inputs, { output, index }: At): ElementFacts['replays'] {
  const { problem, contract } = suspect.subject;
  if (!problem || contract.accumulator === 'none') return [];
  return ACCUMULATORS.map((accumulator) => ({
    accumulator,
    value: replay(problem, inputs, accumulator, 'chain')[output]?.[index] ?? Number.NaN,
  }));
}

function tilesOf({ outputs, dims }: Contract, shape: Shape, { output, index }: At): Tile[] {
  const tensor = outputs[output];
  if (!tensor) return [];
  const place = coordinates(tensor, shape, index);
  return tensor.dims.flatMap((dim, axis) => {
    const size = dims[dim]?.tile;
    const at = place[axis] ?? 0;
    return size === undefined ? [] : [{ dim, at, size, tile: Math.floor(at / size), within: at % size }];
  });
}
