/** Why something fails, in so far as two failures are one: the class, the output, and of what a check image tells the source lines. */
import type { Finding } from '../gates/finding.ts';

export interface Reason {
  readonly class: Finding['class'];
  readonly output?: string | undefined;
  /** What else tells two findings of a class apart. */
  readonly detail?: string | undefined;
}

export function reasonOf({ class: kind, what, at }: Finding): Reason {
  const detail = detailOf(kind, what);
  return { class: kind, ...(at && { output: at.output }), ...(detail !== '' && { detail }) };
}

export const isSame = (a: Reason, b: Reason): boolean =>
  a.class === b.class && a.output === b.output && a.detail === b.detail;

/** Threads, bytes and counts change with the shape; source lines, names of memory and words do not. */
function detailOf(kind: Finding['class'], what: string): string {
  if (kind === 'different') return what.includes('held other inputs') ? 'after other inputs' : '';
  if (kind === 'input' || kind === 'guard') return /\b(?:input|bytes of) (\w+)/.exec(what)?.[1] ?? '';
  if (kind === 'depth') return what.includes('too small') ? 'too small' : 'too large';
  if (kind === 'ops') return /calls (\S+)/.exec(what)?.[1]?.replace(/,$/, '') ?? '';
  const lines = what.match(/[\w./-]+\.\w+:\d+/g) ?? [];
  const isLaunch = kind === 'fault' || lines.length > 0;
  return isLaunch ? [what.split(':')[0] ?? '', ...new Set(lines)].join(' ') : '';
}

/** Findings that no single input shows, and why not. */
export function whyNotOne(kind: Finding['class']): string | undefined {
  if (kind === 'weak')
    return "it is a finding of the gate's own data, which cannot tell a right kernel from a wrong one";
  if (kind === 'vacuous') return 'it is a finding over many inputs: what one of them moves, and what none does';
  return undefined;
}
