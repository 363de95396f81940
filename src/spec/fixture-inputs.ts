/** A fixture's inputs as the bytes of a kernel's tensors, and back. */
import { bytesOfCodes, elementCodes, flatIndex, restingCode, storedSizes } from '../families/codes.ts';
import type { Inputs } from '../families/inputs.ts';
import { bytesFor } from '../families/inputs.ts';
import type { Shape, Tensor } from '../families/tensor.ts';
import { byteCount, coordinates, elementCount, sizeOf } from '../families/tensor.ts';
import { decode } from '../numerics/codec.ts';
import { bytesOf } from '../numerics/dtype.ts';
import type { Contract } from './contract.ts';
import type { Fixture } from './fixture.ts';
import { FixtureError } from './fixture.ts';

/** Bytes that all tensors of a fixture may take together. */
const MOST_BYTES = 2 ** 26;

/** The inputs that a fixture states, for its kernel; throws a FixtureError with all that does not fit the contract. */
export function fixtureInputs(fixture: Fixture, contract: Contract): Inputs {
  for (const problemsOf of [shapeProblems, inputProblems]) {
    const problems = problemsOf(fixture, contract);
    if (problems.length > 0) throw new FixtureError(problems);
  }
  const { shape } = fixture;
  const bytes = Object.entries(contract.inputs).map(([name, tensor]) => {
    const codes = new Uint32Array(elementCount(tensor, shape)).fill(restingCode(tensor));
    for (const { at, bits } of fixture.inputs[name]?.cells ?? []) codes[flatIndex(tensor, shape, at)] = Number(bits);
    return [name, bytesOfCodes(tensor, shape, codes)] as const;
  });
  return { shape, bytes: Object.fromEntries(bytes) };
}

const listed = (names: readonly string[]): string => names.toSorted().join(', ') || 'nothing';

function shapeProblems({ shape }: Fixture, { dims, inputs, outputs, name }: Contract): string[] {
  const [given, known] = [listed(Object.keys(shape)), listed(Object.keys(dims))];
  if (given !== known) return [`shape: it names ${given}, and the dimensions of ${name} are ${known}`];
  const odd = Object.entries(dims).filter(([dim, { step = 1, least = step }]) => {
    const size = sizeOf(shape, dim);
    return size < least || (size - least) % step !== 0;
  });
  if (odd.length > 0) return odd.map(([dim]) => `shape: ${dim}=${shape[dim]} is no valid size of ${name}`);
  const bytes = Object.values({ ...inputs, ...outputs }).reduce((sum, tensor) => sum + byteCount(tensor, shape), 0);
  return bytes <= MOST_BYTES
    ? []
    : [`shape: its tensors take ${bytes} bytes, and those of a fixture at most ${MOST_BYTES}`];
}

function inputProblems(fixture: Fixture, { inputs, name }: Contract): string[] {
  const [given, known] = [listed(Object.keys(fixture.inputs)), listed(Object.keys(inputs))];
  if (given !== known) return [`inputs: it has ${given}, and those of ${name} are ${known}`];
  return Object.entries(inputs).flatMap(([input, tensor]) => {
    const { dtype, cells } = fixture.inputs[input] ?? { dtype: tensor.dtype, cells: [] };
    if (dtype !== tensor.dtype) return [`inputs.${input}: it is of ${dtype}, and ${name} takes ${tensor.dtype}`];
    return cells.flatMap((cell) => cellProblem(input, tensor, fixture.shape, cell)).slice(0, 4);
  });
}

type FixtureCell = NonNullable<Fixture['inputs'][string]>['cells'][number];

function cellProblem(input: string, tensor: Tensor, shape: Shape, { at, bits, value }: FixtureCell): string[] {
  const place = `inputs.${input}[${at.join(', ')}]`;
  const sizes = storedSizes(tensor, shape);
  if (at.length !== sizes.length || at.some((index, axis) => index >= (sizes[axis] ?? 0)))
    return [`${place}: it lies outside of [${sizes.join(', ')}]`];
  const code = Number(bits);
  if (code >= 2 ** (tensor.bits ?? 8 * bytesOf(tensor.dtype))) return [`${place}: ${bits} has more bits than its type`];
  const text = codeText(tensor, code);
  return text === value
    ? []
    : [`${place}: ${bits} is ${text}, not ${value}: the bits are what is run, so write value: "${text}"`];
}

/** A code's value, in the fewest digits that give it back. */
export function codeText({ dtype, bits }: Tensor, code: number): string {
  const value = bits === undefined ? decode(dtype, code) : code;
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  return Object.is(value, -0) ? '-0' : String(value);
}

/** `0x3f80`, in the digits of the type. */
export const bitsText = ({ dtype, bits }: Tensor, code: number): string =>
  `0x${code.toString(16).padStart(Math.ceil((bits ?? 8 * bytesOf(dtype)) / 4), '0')}`;

/** The inputs as a fixture states them. */
export function statedInputs(
  { shape, ...inputs }: Inputs,
  tensors: Readonly<Record<string, Tensor>>,
): Fixture['inputs'] {
  const entries = Object.entries(tensors).map(([name, tensor]) => {
    const codes = elementCodes(tensor, shape, bytesFor({ shape, ...inputs }, name));
    const rest = restingCode(tensor);
    const cells = [...codes.entries()].flatMap(([index, code]) =>
      code === rest
        ? []
        : [{ at: coordinates(tensor, shape, index), bits: bitsText(tensor, code), value: codeText(tensor, code) }],
    );
    return [name, { dtype: tensor.dtype, cells }] as const;
  });
  return Object.fromEntries(entries);
}
