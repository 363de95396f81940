/** Outputs that a kernel left as they were: they hold the poison of two runs, which no arithmetic gives back in both. */
import { toBits } from '../numerics/codec.ts';
import { bytesOf } from '../numerics/dtype.ts';
import type { Shape } from '../families/tensor.ts';
import { elementCount } from '../families/tensor.ts';
import { POISONS } from '../device/guarded.ts';
import type { Judged } from './compare.ts';
import { count } from '../numerics/digits.ts';
import { placeText, wrongOnes } from './compare.ts';
import type { Finding } from './finding.ts';
import { findingOf } from './finding.ts';
import type { Outputs } from './stage.ts';
import type { Subject } from './subject.ts';

/** What two runs, the first after each poison, left unwritten. */
export function unwrittenOutputs(subject: Subject, shape: Shape, first: Outputs, second: Outputs): Finding[] {
  return Object.entries(subject.contract.outputs).flatMap(([name, tensor]) => {
    const judged = { name, tensor, shape, bytes: first[name] ?? new Uint8Array(0) };
    return unwritten(judged, second[name] ?? new Uint8Array(0)) ?? [];
  });
}

function unwritten(judged: Judged, second: Uint8Array): Finding | undefined {
  const size = bytesOf(judged.tensor.dtype);
  const total = elementCount(judged.tensor, judged.shape);
  const pattern = (word: number): number => (size === 4 ? word >>> 0 : size === 2 ? word & 0xffff : word & 0xff);
  const a = toBits(judged.tensor.dtype, judged.bytes, total);
  const b = toBits(judged.tensor.dtype, second, total);
  const missing = wrongOnes(total, (i) => a[i] === pattern(POISONS[0]) && b[i] === pattern(POISONS[1]));
  if (!missing) return undefined;
  const place = placeText(judged, missing.index);
  const what = `${count(missing.count)} of ${count(total)} outputs unwritten, the first ${place}`;
  return findingOf({ code: 'unwritten', of: judged.name }, what, { at: { output: judged.name, index: missing.index } });
}
