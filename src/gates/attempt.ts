/** What a case asks of the machine, and what a launch that does not come through is called. */
import type { DeviceFailure } from '../device/device.ts';
import { DeviceError, isCheckFailure } from '../device/device.ts';
import { sourceLines } from '../device/message.ts';
import type { Shape } from '../families/tensor.ts';
import { byteCount, elementCount } from '../families/tensor.ts';
import type { Contract } from '../spec/contract.ts';
import type { Kernel } from '../spec/registration.ts';
import { shownPath } from '../spec/shown-path.ts';
import { count } from '../numerics/digits.ts';
import type { Outcome } from './finding.ts';
import { findingOf } from './finding.ts';
import { messageOf } from '../spec/message-of.ts';

/** What a contract's own functions give cannot be used: told of the contract, in words. */
export class ClaimError extends Error {}

/** What a function of a contract gives; a ClaimError where it throws. */
export function claimed<T>(name: string, give: () => T): T {
  try {
    return give();
  } catch (error) {
    throw new ClaimError(`the contract's ${name} throws: ${messageOf(error)}`);
  }
}

/** What a case comes to; a case that cannot be held in memory is not run. */
export type Judged = (Outcome & { readonly failure?: DeviceFailure }) | { readonly notRun: string };

/** What is launched, for the words of a failure. */
export interface Attempted {
  readonly kernel?: Pick<Kernel, 'path' | 'argsLine' | 'contract'>;
  /** What was asked of the device's memory. */
  readonly sizes?: () => string;
}

/** A launch that fails is a finding of the kernel; memory that is not there is none. */
export function attempt(limitMs: number, judge: () => Outcome, { kernel, sizes }: Attempted = {}): Judged {
  try {
    return judge();
  } catch (error) {
    if (error instanceof ClaimError) return { findings: [findingOf({ code: 'contract-function' }, error.message)] };
    if (!(error instanceof DeviceError)) throw error;
    const { failure, message } = error;
    if (failure === 'no-memory')
      return { notRun: [sizes?.(), message].filter((text) => text !== undefined).join(': ') };
    const lines = sourceLines(message);
    const cause = {
      code: failure === 'input' ? 'input-written' : failure,
      ...(lines.length > 0 && { lines }),
    } as const;
    if (isCheckFailure(failure)) return { findings: [findingOf(cause, message)] };
    const why = failure === 'bad-argument' && kernel ? { why: argsText(kernel) } : {};
    return { findings: [findingOf(cause, `${failureText(error, limitMs)}: ${message}`, why)], failure };
  }
}

function failureText({ failure }: DeviceError, limitMs: number): string {
  if (failure === 'timeout') return `did not finish in ${limitMs / 1000} s`;
  return failure === 'bad-argument' ? "the contract's args, threads or grid do not fit the kernel" : failure;
}

function argsText({ path, argsLine, contract }: NonNullable<Attempted['kernel']>): string {
  const line = argsLine === undefined ? '' : `:${argsLine}`;
  return `Its args, in their order: ${contract.args.join(', ')} (${shownPath(path)}${line}).`;
}

/** The most that a case may take: half of what a small CI machine has beside it, a worker on each core. */
const MOST_BYTES = 2 ** 31;
/** Of an element: its float64 value; of an output's also both ends of its range. */
const INPUT_BYTES = 8;
const OUTPUT_BYTES = 24;
const gibibytes = (bytes: number): string => (bytes / 2 ** 30).toFixed(1);

/** What a case's tensors take on a device, in words. */
export function tensorSizes({ inputs, outputs }: Contract, shape: Shape): string {
  const bytes = Object.values({ ...inputs, ...outputs }).reduce((sum, of) => sum + byteCount(of, shape), 0);
  return `its tensors take ${count(bytes)} bytes of the device`;
}

/** Why a case is not run here: what it takes, in words; undefined where it fits. */
export function tooLarge({ inputs, outputs }: Contract, shape: Shape): string | undefined {
  // A tensor lies on the device and in two copies beside it.
  const taken = (tensors: Contract['inputs'], each: number): number =>
    Object.values(tensors).reduce((sum, of) => sum + 3 * byteCount(of, shape) + each * elementCount(of, shape), 0);
  const bytes = taken(inputs, INPUT_BYTES) + taken(outputs, OUTPUT_BYTES);
  return bytes > MOST_BYTES
    ? `its tensors and references take ${gibibytes(bytes)} GiB; a case may take ${gibibytes(MOST_BYTES)}`
    : undefined;
}
