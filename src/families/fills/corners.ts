/**
 * Gate 3's corner rows: finite values that ordinary data never holds. Every row of an input holds one kind: zeros, subnormals,
 * magnitudes at which a stated scalar matters, or whose squares underflow or nearly overflow. Rows of all inputs turn together.
 */
import { decodeAll, encodeAll } from '../../numerics/codec.ts';
import type { FloatFormat } from '../../numerics/dtype.ts';
import { formatOf, isFloat } from '../../numerics/dtype.ts';
import type { Random } from '../../numerics/random.ts';
import { random } from '../../numerics/random.ts';
import type { Inputs } from '../inputs.ts';
import { bytesFor } from '../inputs.ts';
import type { FamilyName } from '../problem.ts';
import type { Shape, Tensor } from '../tensor.ts';
import { elementCount, rowCount, rowLength } from '../tensor.ts';
import type { FillName } from './ordinary.ts';
import { ordinaryInputs } from './ordinary.ts';

interface Place {
  readonly source: Random;
  readonly format: FloatFormat;
  readonly column: number;
  /** The column of a row that stands alone. */
  readonly alone: number;
  readonly width: number;
}

export interface CornerKind {
  readonly name: string;
  /** Its magnitudes are above 0 and at most 1, so that data stated as positive may hold them. */
  readonly small?: true;
  /** Its values, or their products, are subnormal. */
  readonly subnormal?: true;
  /** Of its zeros, the larger is either. */
  readonly mixed?: true;
  readonly draw: (place: Place) => number;
}

/** Squares of this, over a row, sum to 2^124 at most: twice the value stays below fp32's overflow, squared and summed. */
const LARGEST_SUM = 122;

const either = (source: Random, magnitude: number): number => (source.unit() < 0.5 ? -magnitude : magnitude);
const least = ({ minExponent, significandBits }: FloatFormat): number => 2 ** (minExponent - significandBits + 1);
/** In [2^exponent, 2^(exponent + 1)), both signs. */
const binade = (source: Random, exponent: number): number => either(source, 2 ** exponent * (1 + source.unit()));

const KINDS: readonly CornerKind[] = [
  { name: 'zeros', draw: () => 0 },
  { name: 'negative zeros', draw: () => -0 },
  { name: 'magnitudes of 1 to 8', draw: ({ source }) => binade(source, source.int(0, 2)) },
  { name: 'one element among zeros', draw: ({ source, column, alone }) => (column === alone ? binade(source, 1) : 0) },
  {
    name: 'squares that nearly overflow',
    draw: ({ source, format, width }) =>
      binade(source, Math.floor(Math.min(LARGEST_SUM - Math.log2(width), 2 * Math.log2(format.max) - 4) / 2)),
  },
  {
    name: 'squares that underflow',
    small: true,
    subnormal: true,
    draw: ({ source, format }) => binade(source, Math.max(-source.int(70, 85), format.minExponent)),
  },
  {
    name: 'least subnormals',
    small: true,
    subnormal: true,
    draw: ({ source, format }) => either(source, least(format)),
  },
  {
    name: 'least normals',
    small: true,
    subnormal: true,
    draw: ({ source, format }) => either(source, 2 ** format.minExponent),
  },
  { name: 'ones of alternating signs', draw: ({ column }) => (column % 2 === 0 ? 1 : -1) },
  { name: 'zeros of both signs', mixed: true, draw: ({ source }) => either(source, 0) },
];

/** Where x² and its sum over a row are near a scalar: an epsilon that is lost or misplaced shows there. */
function scalarKinds(name: string, value: number): CornerKind[] {
  if (!(value > 0 && value < 1)) return [];
  const near = (about: number, source: Random): number => either(source, about * (0.75 + 0.5 * source.unit()));
  return [
    { name: `about the root of ${name}`, small: true, draw: ({ source }) => near(Math.sqrt(value), source) },
    {
      name: `about the root of ${name} over the width`,
      small: true,
      draw: ({ source, width }) => near(Math.sqrt(value / width), source),
    },
  ];
}

/**
 * The kinds that rows take. A rule, whose codes are exact, cannot say that a zero may have either sign, nor what is read as 0
 * where subnormals are flushed: such kinds are left out.
 */
export function cornerKinds(
  scalars: Readonly<Record<string, number>>,
  family: FamilyName | 'rule',
  flush: boolean,
): CornerKind[] {
  const stated = Object.entries(scalars).flatMap(([name, value]) => scalarKinds(name, value));
  return [...stated, ...KINDS].filter(
    ({ subnormal, mixed }) => !(subnormal && flush && family === 'rule') && !(mixed && family === 'rule'),
  );
}

/** What a fill's meaning leaves of a kind: any finite value, magnitudes in (0, 1], or nothing but the fill's own. */
const FREEDOM: Readonly<Record<FillName, 'any' | 'positive' | 'none'>> = {
  ...{
    signed: 'any',
    normal: 'any',
    binades: 'any',
    logits: 'any',
    ties: 'any',
    tiny: 'any',
    levels: 'any',
    'log-levels': 'any',
  },
  ...{ positive: 'positive', 'near-one': 'none', 'small-positive': 'none', codes: 'none', zero: 'none' },
};

/** Ordinary inputs whose rows hold `kinds` in turn, from number `from` on; a tensor of one row holds small ones here and there. */
export function cornerInputs(
  tensors: Readonly<Record<string, Tensor>>,
  shape: Shape,
  fills: Readonly<Partial<Record<string, FillName>>>,
  kinds: readonly CornerKind[],
  seed: string,
  from: number,
): Inputs {
  const ordinary = ordinaryInputs(tensors, shape, fills, seed);
  const made = Object.entries(tensors).flatMap(([name, tensor]) => {
    const freedom = FREEDOM[fills[name] ?? 'signed'];
    if (tensor.bits !== undefined || !isFloat(tensor.dtype) || freedom === 'none') return [];
    const values = decodeAll(tensor.dtype, bytesFor(ordinary, name), elementCount(tensor, shape));
    const source = random(`${seed}:corners:${name}`);
    if (rowCount(tensor, shape) > 1 || tensor.dims.length > 1)
      cornerRows(values, tensor, shape, kinds, from, freedom === 'positive', source);
    else cornerColumns(values, tensor, freedom === 'positive', source);
    return [[name, encodeAll(tensor.dtype, values)] as const];
  });
  return { shape, bytes: { ...ordinary.bytes, ...Object.fromEntries(made) } };
}

function cornerRows(
  values: Float64Array,
  tensor: Tensor,
  shape: Shape,
  kinds: readonly CornerKind[],
  from: number,
  positive: boolean,
  source: Random,
): void {
  const width = rowLength(tensor, shape);
  const format = formatOf(tensor.dtype);
  for (let row = 0; row < rowCount(tensor, shape); row++) {
    const kind = kinds[(from + row) % kinds.length];
    if (!kind || (positive && !kind.small)) continue;
    const alone = source.int(0, width - 1);
    for (let column = 0; column < width; column++) {
      const value = kind.draw({ source, format, column, alone, width });
      values[row * width + column] = positive ? Math.abs(value) : value;
    }
  }
}

/** Every other element stays ordinary, so that no row of another input loses its own kind. */
function cornerColumns(values: Float64Array, { dtype }: Tensor, positive: boolean, source: Random): void {
  const format = formatOf(dtype);
  const cycle = positive ? [] : [0, -0];
  for (let i = 0; i < values.length; i++) {
    const at = [...cycle, 2 ** format.minExponent, least(format)][(i >> 1) % (cycle.length + 2)] ?? 0;
    if (i % 2 === 1) values[i] = at === 0 || positive ? at : either(source, at);
  }
}
