/** `CASE  copy@cuda:shapes:rows=3,width=64  pass  12 ms`: a case as it ends. */
import type { CaseDone } from '../gates/case-done.ts';
import type { Style } from './style.ts';

export function caseLine(done: CaseDone, style: Style): string {
  return style.faint(`CASE  ${done.address}  ${outcome(done)}  ${milliseconds(done.elapsedMs)}`);
}

function outcome({ isControl, finding, notRun }: CaseDone): string {
  if (notRun !== undefined) return `not run: ${notRun}`;
  if (finding === undefined) return isControl ? 'green' : 'pass';
  return `${isControl ? 'red' : 'fail'} (${finding})`;
}

const milliseconds = (ms: number): string => (ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`);
