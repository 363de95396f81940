/** One input in a person's hands: a value, a size or an order is changed, and the verdict is there at once. */
import { resized, storedSizes } from '../families/codes.ts';
import type { Inputs } from '../families/inputs.ts';
import type { Tensor } from '../families/tensor.ts';
import { coordinates, shapeText, sizeOf } from '../families/tensor.ts';
import { reference, replay } from '../families/answer.ts';
import type { Order } from '../numerics/orders.ts';
import { ORDERS } from '../numerics/orders.ts';
import { encode } from '../numerics/codec.ts';
import { bytesOf, formatOf, isFloat } from '../numerics/dtype.ts';
import type { Dialect } from '../families/formula/functions.ts';
import { tooLarge } from '../gates/attempt.ts';
import type { Finding } from '../gates/finding.ts';
import { givenData, judgeGiven } from '../gates/given.ts';
import { SubjectError } from '../gates/subject.ts';
import type { Cause } from '../spec/cause.ts';
import { isAlike, isSameCause } from '../spec/cause.ts';
import type { Fixture } from '../spec/fixture.ts';
import { codeText, fixtureInputs } from '../spec/fixture-inputs.ts';
import type { Explanation } from './explain.ts';
import { explain } from './explain.ts';
import { fixtureOf } from './fixture.ts';
import type { Minimal } from './minimise.ts';
import { Suspect } from './suspect.ts';
import { nonzeroCells, withCodes } from './values.ts';
import type { Cell } from './values.ts';
import { messageOf } from '../spec/message-of.ts';

/** What a person asked for that cannot be: in words. */
export class SessionError extends Error {
  override readonly name = 'SessionError';
}

/** One output's element with its sums held in an accumulator, in an order. */
export interface ReplayRow {
  readonly accumulator: 'f16' | 'bf16';
  readonly order: Order;
  /** The worst element's value beside float64's. */
  readonly place: string;
  readonly value: number;
  readonly want: number;
}

export interface SessionVerdict {
  readonly findings: readonly Finding[];
  /** The finding by the cause that the session began with, else the first. */
  readonly finding?: Finding;
  /** Whether it still fails by that cause. */
  readonly isSame: boolean;
  readonly notRun?: string;
}

export class Session {
  inputs: Inputs;
  /** Whether a person has changed something since the last fixture was written. */
  isChanged = false;
  private readonly cause: Cause;

  constructor(
    private suspect: Suspect,
    private readonly start: Pick<Minimal, 'inputs' | 'cause' | 'label'>,
  ) {
    this.inputs = start.inputs;
    this.cause = start.cause;
  }

  get target(): Suspect['target'] {
    return this.suspect.target;
  }

  get schedules(): readonly number[] | undefined {
    return this.suspect.settings.schedules;
  }

  /** The elements that are not zero. */
  get cells(): Cell[] {
    return nonzeroCells(this.inputs, this.target.kernel.contract.inputs);
  }

  judge(): SessionVerdict {
    return this.judgeBy(isSameCause);
  }

  /** @param isThat Whether a finding's cause is the one that the session began with. */
  private judgeBy(isThat: typeof isSameCause): SessionVerdict {
    const judged = this.suspect.judge(
      givenData(this.inputs),
      judgeGiven(this.target.gate, this.suspect.way.mode, this.cause),
    );
    if ('notRun' in judged) return { findings: [], isSame: false, notRun: judged.notRun };
    const same = judged.findings.find((finding) => isThat(finding.cause, this.cause));
    const finding = same ?? judged.findings[0];
    return { findings: judged.findings, isSame: same !== undefined, ...(finding && { finding }) };
  }

  /** Of the element that a finding names, or else of the output that the session began with. */
  explain(finding: Finding | undefined): Promise<Explanation> {
    const { outputs } = this.target.kernel.contract;
    const { of = '' } = this.cause;
    const output = Object.hasOwn(outputs, of) ? of : Object.keys(outputs)[0];
    return explain(this.suspect, this.inputs, finding?.at ?? (output === undefined ? undefined : { output, index: 0 }));
  }

  /**
   * Puts a value at a place of an input: `NaN`, `+Inf`, `-Inf`, a number, or bits as `0x7fc0`. Places and values may be written as
   * output has them, `x[0, 37]` and `1 (0x3f80)`. Throws a SessionError.
   */
  setValue(name: string, place: string, text: string): void {
    const cell = { name, index: this.indexOf(name, place) };
    this.inputs = withCodes(this.inputs, this.target.kernel.contract.inputs, [[cell, this.codeOf(name, text)]]);
    this.isChanged = true;
  }

  /** The element of an input at a place as `setValue` takes it. Throws a SessionError. */
  indexOf(name: string, place: string): number {
    return indexAt(withoutName(place, name), storedSizes(this.inputNamed(name), this.inputs.shape), name);
  }

  /** The bits of a value as `setValue` takes it. Throws a SessionError. */
  codeOf(name: string, text: string): number {
    return codeOf(text, this.inputNamed(name));
  }

  private inputNamed(name: string): Tensor {
    const { inputs } = this.target.kernel.contract;
    const tensor = inputs[name];
    if (!tensor) throw new SessionError(`there is no input ${name}: there are ${Object.keys(inputs).join(', ')}`);
    return tensor;
  }

  /** Other sizes, as `rows=1,width=33`: what is cut off is lost, and what is new is zero. Throws a SessionError. */
  setShape(text: string): void {
    const { contract } = this.target.kernel;
    const sizes = sizesOf(this.withoutWay(text), Object.keys(contract.dims));
    const shape = { ...this.inputs.shape, ...sizes };
    for (const [dim, { step = 1, least = step }] of Object.entries(contract.dims)) {
      const size = sizeOf(shape, dim);
      if (size < Math.max(least, 1) || (size - least) % step !== 0)
        throw new SessionError(
          `${dim}=${size} is no valid size: those are ${least}, ${least + step}, ${least + 2 * step}, ...`,
        );
    }
    const large = tooLarge(contract, shape);
    if (large !== undefined) throw new SessionError(large);
    try {
      this.suspect.subject.route(shape);
    } catch (error) {
      if (error instanceof SubjectError) throw new SessionError(error.message);
      throw error;
    }
    this.inputs = resized(this.inputs, contract.inputs, shape);
    this.isChanged = true;
  }

  /** Output has a width and a mode behind the sizes that it is of: the session's own may stand there. */
  private withoutWay(text: string): string {
    const { mode, warp } = this.suspect.way;
    return without(without(text, 'mode', mode), 'warp', String(warp ?? ''));
  }

  /** Another order; of gate 2 several, as `0,3` or `0 and 3`, the first held against the others. Throws a SessionError. */
  setSchedules(text: string): void {
    const several = this.target.gate === 'repeat' && this.suspect.way.mode !== 'check';
    const pattern = several ? /^\d{1,9}(,\d{1,9})+$/ : /^\d{1,9}$/;
    const orders = text
      .trim()
      .replace(/^--schedules[\s=]+/, '')
      .replaceAll(/\s*(?:,|\band\b)\s*/g, ',');
    if (!pattern.test(orders))
      throw new SessionError(
        several ? 'orders are two numbers or more: 0,3' : 'an order is a whole number; 0 is index order',
      );
    this.suspect = this.suspect.with(this.suspect.way, { schedules: orders.split(',').map(Number) });
    this.isChanged = true;
  }

  /** Back to the input that the session began with. */
  reset(): void {
    this.inputs = this.start.inputs;
    this.isChanged = false;
  }

  /** The same input in another dialect: what it finds there, or why it does not run. */
  async inDialect(dialect: Dialect): Promise<SessionVerdict> {
    const { shop, settings, way } = this.suspect;
    const { control } = this.target;
    if (dialect === this.target.dialect) return this.judge();
    if (control && !control.dialects.includes(dialect)) return notRun('the control is not planted there');
    try {
      const suspect = await Suspect.prepare(shop, { ...this.target, dialect }, [{ mode: way.mode }], settings);
      try {
        return new Session(suspect, { ...this.start, inputs: this.inputs }).judgeBy(isAlike);
      } finally {
        suspect.release();
      }
    } catch (error) {
      if (error instanceof SubjectError) return notRun(error.message);
      throw error;
    }
  }

  /** The element that is wrong, or else the first, with its sums held in narrower accumulators, in every order. */
  replays(): ReplayRow[] {
    const { problem, contract } = this.suspect.subject;
    const [first = ''] = Object.keys(contract.outputs);
    const { output, index } = this.judge().finding?.at ?? { output: first, index: 0 };
    const tensor = contract.outputs[output];
    if (!problem || !tensor) return [];
    const want = reference(problem, this.inputs)[output]?.[index] ?? Number.NaN;
    const place = `${output}[${coordinates(tensor, this.inputs.shape, index).join(', ')}]`;
    return (['f16', 'bf16'] as const).flatMap((accumulator) =>
      ORDERS.map((order) => {
        const value = replay(problem, this.inputs, accumulator, order)[output]?.[index] ?? Number.NaN;
        return { accumulator, order, place, value, want };
      }),
    );
  }

  /** What is here as a fixture; a SessionError where it is too large for one. */
  fixture(): Fixture {
    const { finding } = this.judge();
    const fixture = fixtureOf(this.suspect, {
      inputs: this.inputs,
      label: this.start.label,
      ...(finding && { finding }),
    });
    try {
      fixtureInputs(fixture, this.target.kernel.contract);
    } catch (error) {
      throw new SessionError(messageOf(error));
    }
    return fixture;
  }

  /** Where it is, in words. */
  get shapeText(): string {
    return shapeText(this.inputs.shape);
  }

  /** Frees its buffers; the images belong to whoever prepared them. */
  close(): void {
    this.suspect.close();
  }
}

const notRun = (reason: string): SessionVerdict => ({ findings: [], isSame: false, notRun: reason });

// --- what people write

/** `0, 37` of `x[0, 37]`, and of `x[0, 37] = 1 (0x3f80)`; throws a SessionError for a place of another name. */
function withoutName(place: string, name: string): string {
  const [, named, inner] = /^\s*([a-z]\w*)?\s*\[([^\]]*)\]\s*(?:=.*)?$/.exec(place) ?? [];
  if (named !== undefined && named !== name)
    throw new SessionError(`${place.trim()} is a place in ${named}, not in ${name}`);
  return inner ?? place;
}

function indexAt(place: string, sizes: readonly number[], name: string): number {
  const at = place.split(',').map((part) => part.trim());
  const isPlace =
    at.length === sizes.length && at.every((part, axis) => /^\d{1,9}$/.test(part) && Number(part) < (sizes[axis] ?? 0));
  if (!isPlace)
    throw new SessionError(
      `${name} has the sizes ${sizes.join(', ')}: write a place in it as ${name}[${sizes.map(() => 0).join(', ')}]`,
    );
  return sizes.reduce((flat, size, axis) => flat * size + Number(at[axis]), 0);
}

function sizesOf(text: string, dims: readonly string[]): Record<string, number> {
  const parts = text.split(',').map((part) => /^\s*(\w+)\s*=\s*(\d{1,9})\s*$/.exec(part));
  if (!parts.every((part) => part !== null && dims.includes(part[1] ?? '')))
    throw new SessionError(`write sizes as ${dims.map((dim) => `${dim}=1`).join(',')}`);
  return Object.fromEntries(parts.map((part) => [part?.[1] ?? '', Number(part?.[2])]));
}

const SPECIAL: Readonly<Record<string, number>> = {
  nan: Number.NaN,
  inf: Infinity,
  '+inf': Infinity,
  '-inf': -Infinity,
};

/** The code of a value as output has it, `1 (0x3f800000)`, of a value alone, rounded to the type, or the code itself. */
function codeOf(text: string, tensor: Tensor): number {
  const [, value, bits] = /^\s*(\S+)\s*\((0x[0-9a-f]+)\)\s*$/i.exec(text) ?? [];
  if (value === undefined || bits === undefined) return codeOfWord(text, tensor);
  const code = codeOfWord(bits, tensor);
  if (codeText(tensor, code).toLowerCase() === value.toLowerCase()) return code;
  throw new SessionError(`${bits} is ${codeText(tensor, code)}, not ${value}: write one of them`);
}

function codeOfWord(text: string, tensor: Tensor): number {
  const word = text.trim().toLowerCase();
  const { dtype, bits = 8 * bytesOf(dtype) } = tensor;
  if (/^0x[0-9a-f]+$/.test(word)) {
    if (Number(word) < 2 ** bits) return Number(word);
    throw new SessionError(`${text} has more than the ${bits} bits of the type`);
  }
  const value = SPECIAL[word] ?? (word === '' ? undefined : Number(word));
  if (value === undefined || (Number.isNaN(value) && word !== 'nan'))
    throw new SessionError(`'${text}' is no value: write a number, NaN, +Inf, -Inf, or bits as 0x7fc0`);
  if (!isFloat(dtype)) {
    if (Number.isInteger(value) && value >= 0 && value < 2 ** bits) return value;
    throw new SessionError(`${text} is no whole number of ${bits} bits`);
  }
  const { hasNan, hasInf } = formatOf(dtype);
  if ((Number.isNaN(value) && !hasNan) || (!Number.isNaN(value) && !Number.isFinite(value) && !hasInf))
    throw new SessionError(`${dtype} has no ${text}`);
  return encode(dtype, value);
}

/** A text less the `name=` at its end, which may only be the session's own. */
function without(text: string, name: string, own: string): string {
  const pattern = new RegExp(`,\\s*${name}=([\\w-]+)\\s*$`);
  const [, named] = pattern.exec(text) ?? [];
  if (named !== undefined && named !== own)
    throw new SessionError(
      `the input is judged in ${name} ${own === '' ? 'of its launch' : own}, and that stays: leave ${name}=${named} out`,
    );
  return text.replace(pattern, '');
}
