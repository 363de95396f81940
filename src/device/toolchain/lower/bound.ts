/**
 * A kernel's launch bound as a constant beside the kernel, where the names in its expression mean what they mean to the
 * kernel: namespaces, and template parameters of a kernel that is a template.
 */

import { closingAngle, qualified } from './syntax.ts';
import { insertBefore, type Span, textAt, tokenAt, type Unit } from './unit.ts';

/**
 * Declares the bound before the kernel whose declaration starts at `start` and returns the constant's qualified name,
 * which a template kernel's users give the kernel's template arguments.
 */
export function declareBound(unit: Unit, start: number, kernel: string, expression: string): string {
  const name = `tf_bound_${kernel}`;
  const header = templateHeader(unit, start);
  insertBefore(unit, start, `${header}static constexpr unsigned ${name} = (unsigned)(${expression}); `);
  return qualified(unit, start, name);
}

/** `template <typename T> ` where the declaration at `start` is a template, else ''. */
function templateHeader(unit: Unit, start: number): string {
  const span = templateSpan(unit, start);
  if (!span) return '';
  return `${unit.text.slice(tokenAt(unit, span.first).start, tokenAt(unit, span.last).end).replace(/\s+/g, ' ')} `;
}

/** The tokens of `template <...>` at `start`; null for anything else, also for explicit instantiations. */
export function templateSpan(unit: Unit, start: number): Span | null {
  if (textAt(unit, start) !== 'template' || textAt(unit, start + 1) !== '<') return null;
  const close = closingAngle(unit, start + 1);
  return close < 0 ? null : { first: start, last: close };
}
