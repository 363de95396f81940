/** What is thrown, told in three parts: what, why, do; and the exit code it means. */
import { ToolchainError } from '../device/toolchain/toolchain-error.ts';
import { DeviceError } from '../device/device.ts';
import { ContractError } from '../spec/contract-error.ts';
import { traceOf } from '../spec/message-of.ts';

/** 1: something is not as promised. 2: the command is wrong. 70: a fault of ours. */
export type ExitCode = 0 | 1 | 2 | 70;

/** A command that cannot be meant; the message says what to write instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A run that cannot give a verdict: nothing selected, no device, no kernel. */
export class NothingRunError extends Error {
  override readonly name = 'NothingRunError';
}

export interface Told {
  readonly text: string;
  readonly code: ExitCode;
}

/** The text of an error for the person who ran the command, and the exit code. */
export function tell(error: unknown): Told {
  if (error instanceof UsageError) return { text: error.message, code: 2 };
  if (error instanceof NothingRunError || error instanceof ToolchainError) return { text: error.message, code: 1 };
  if (error instanceof ContractError) return { text: contractText(error.problems), code: 1 };
  if (error instanceof DeviceError) return { text: deviceText(error), code: 1 };
  return { text: faultText(error), code: 70 };
}

function contractText(problems: readonly string[]): string {
  const many =
    problems.length === 1 ? 'A contract cannot be used' : `${problems.length} things are wrong with the contracts`;
  const lines = problems.map((problem) => `  ${problem.replaceAll('\n', '\n  ')}`);
  return [`${many}; nothing was run.`, ...lines, '  Each line names the file and what to change.'].join('\n');
}

function deviceText({ failure, message }: DeviceError): string {
  return [
    `The host device does not open (${failure}): ${message}`,
    '  Kernels run on it where no GPU is asked for, so nothing was run.',
    '  tf-kernel-contract --devices says what is found on this machine.',
  ].join('\n');
}

function faultText(error: unknown): string {
  const detail = traceOf(error);
  return [
    'This is a fault of tf-kernel-contract, not of a kernel.',
    `  ${detail.replaceAll('\n', '\n  ')}`,
    '  Please report it with the command line and the text above; no result of this run counts.',
  ].join('\n');
}
