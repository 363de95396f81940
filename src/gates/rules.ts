/** Kernels with a stated rule: every output's code is exactly what the rule gives. */
import { bytesOf } from '../numerics/dtype.ts';
import type { Contract, Rule } from '../spec/contract.ts';
import type { CaseData } from './case.ts';
import type { Judged } from './compare.ts';
import { compareBits } from './compare.ts';
import type { Finding } from './finding.ts';

export function ruleFinding(data: CaseData, contract: Contract, rule: Rule, judged: Judged): Finding | undefined {
  const codes = data.rule(contract, rule)[judged.name] ?? new Uint32Array(0);
  const finding = compareBits(judged, narrow(codes, bytesOf(judged.tensor.dtype)), 'rule', 'against the stated rule');
  return finding && { ...finding, why: `The rule: ${rule.text}` };
}

/** Codes as bytes of the output's own width, low byte first. */
function narrow(codes: Uint32Array, size: number): Uint8Array {
  const out = new Uint8Array(new ArrayBuffer(codes.length * size));
  codes.forEach((code, i) => {
    for (let k = 0; k < size; k++) out[i * size + k] = (code >>> (8 * k)) & 0xff;
  });
  return out;
}
