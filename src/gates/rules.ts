/** Kernels with a stated rule: every output's code is exactly what the rule gives. */
import { CLASS_NAMES, classesOf } from '../numerics/class.ts';
import { bytesOf, isFloat } from '../numerics/dtype.ts';
import { elementCount } from '../families/tensor.ts';
import type { Contract, Rule, RuleOutputs } from '../spec/contract.ts';
import { ClaimError, claimed } from './attempt.ts';
import type { CaseData } from './case.ts';
import type { Judged, PlacedFinding } from './compare.ts';
import { compareBits } from './compare.ts';

export function ruleFinding(
  data: CaseData,
  contract: Contract,
  rule: Rule,
  judged: Judged,
  telling?: (index: number) => boolean,
): PlacedFinding | undefined {
  const codes = codesOf(
    claimed('rule', () => data.rule(contract, rule)),
    judged,
  );
  const wanted = { ...judged, bytes: narrow(codes, bytesOf(judged.tensor.dtype)) };
  const finding = compareBits(oneNan(judged), oneNan(wanted).bytes, 'rule', 'against the stated rule', telling);
  return finding && { ...finding, why: `The rule: ${rule.text}` };
}

/** A rule gives a code for each element; what it lacks is the contract's mistake, not the kernel's. */
function codesOf(outputs: RuleOutputs, { name, tensor, shape }: Judged): Uint32Array {
  const codes = outputs[name];
  const count = elementCount(tensor, shape);
  if (codes?.length === count) return codes;
  throw new ClaimError(`the rule gives ${codes?.length ?? 'no'} codes of ${name}, which has ${count} elements`);
}

/** A rule reads values, which have one NaN: every NaN code of a float output counts as the same. */
function oneNan(judged: Judged): Judged {
  const { dtype } = judged.tensor;
  if (!isFloat(dtype)) return judged;
  const count = elementCount(judged.tensor, judged.shape);
  const nan = CLASS_NAMES.indexOf('nan');
  const size = bytesOf(dtype);
  const bytes = judged.bytes.slice();
  classesOf(dtype, bytes, count).forEach((code, i) => {
    if (code === nan) bytes.fill(0xff, i * size, (i + 1) * size);
  });
  return { ...judged, bytes };
}

/** Codes as bytes of the output's own width, low byte first. */
function narrow(codes: Uint32Array, size: number): Uint8Array {
  const out = new Uint8Array(new ArrayBuffer(codes.length * size));
  codes.forEach((code, i) => {
    for (let k = 0; k < size; k++) out[i * size + k] = (code >>> (8 * k)) & 0xff;
  });
  return out;
}
