/** A Metal kernel's parameters: where the launch finds each, as the types of the dialect header. */

import { splitArguments } from '../syntax.ts';
import { fail, type Span, textAt, type Unit } from '../unit.ts';
import { type Attribute, attributesIn } from './attributes.ts';

/** The inputs of a compute kernel that Metal's specification names, section 5.2.3.6. */
const BUILTINS = new Set([
  'dispatch_quadgroups_per_threadgroup',
  'dispatch_simdgroups_per_threadgroup',
  'dispatch_threads_per_threadgroup',
  'grid_origin',
  'grid_size',
  'quadgroup_index_in_threadgroup',
  'quadgroups_per_threadgroup',
  'simdgroup_index_in_threadgroup',
  'simdgroups_per_threadgroup',
  'thread_execution_width',
  'thread_index_in_quadgroup',
  'thread_index_in_simdgroup',
  'thread_index_in_threadgroup',
  'thread_position_in_grid',
  'thread_position_in_threadgroup',
  'threadgroup_position_in_grid',
  'threadgroups_per_grid',
  'threads_per_grid',
  'threads_per_simdgroup',
  'threads_per_threadgroup',
]);

/** Attributes of a parameter that do not say where it comes from. */
const WITHOUT_SOURCE = new Set(['function_constant', 'raster_order_group', 'maybe_unused']);

type Space = 'buffer' | 'threadgroup' | 'value';

interface Parameter {
  readonly at: number;
  readonly space: Space;
  readonly attribute: Attribute | undefined;
}

/** `TfBuffer<0>`, `TfThreadgroup<0>`, `TfBuiltin<tf_builtin::...>`, one a parameter, in order. */
export function parametersOf(unit: Unit, open: number, close: number): string[] {
  const parameters = splitArguments(unit, open, close).map((span) => readParameter(unit, span));
  const taken = { buffer: indicesOf(parameters, 'buffer'), threadgroup: indicesOf(parameters, 'threadgroup') };
  return parameters
    .filter((parameter): parameter is Parameter => parameter !== null)
    .map((parameter) => sourceOf(unit, parameter, taken));
}

function readParameter(unit: Unit, span: Span): Parameter | null {
  if (span.first === span.last && textAt(unit, span.first) === 'void') return null;
  const known = attributesIn(unit, span).filter(({ name }) => !WITHOUT_SOURCE.has(name));
  return { at: span.first, space: spaceOf(unit, span), attribute: known[0] };
}

function spaceOf(unit: Unit, { first, last }: Span): Space {
  const texts = unit.tokens.slice(first, last + 1).map((token) => token.text);
  if (!texts.includes('*') && !texts.includes('&')) return 'value';
  return texts.includes('threadgroup') && !texts.includes('device') ? 'threadgroup' : 'buffer';
}

/** The indices that attributes give explicitly; the parameters without one take the lowest others. */
function indicesOf(parameters: readonly (Parameter | null)[], name: 'buffer' | 'threadgroup'): Set<number> {
  const explicit = parameters.filter((parameter) => parameter?.attribute?.name === name);
  return new Set(explicit.map((parameter) => Number(parameter?.attribute?.value)));
}

type Taken = Readonly<Record<'buffer' | 'threadgroup', Set<number>>>;

function sourceOf(unit: Unit, { at, space, attribute }: Parameter, taken: Taken): string {
  if (!attribute) {
    if (space === 'value') return fail(unit, at, 'a parameter without an attribute', 'Say what it is: [[buffer(0)]].');
    return typeOf(space, String(nextFree(taken[space])));
  }
  const { name, value } = attribute;
  if (name === 'buffer' || name === 'threadgroup') return typeOf(name, value);
  if (BUILTINS.has(name)) return `TfBuiltin<tf_builtin::${name}>`;
  return fail(unit, at, `the host device knows no [[${name}]] parameter`, 'It runs compute kernels over buffers only.');
}

function typeOf(space: 'buffer' | 'threadgroup', index: string): string {
  return `${space === 'buffer' ? 'TfBuffer' : 'TfThreadgroup'}<${index}>`;
}

function nextFree(taken: Set<number>): number {
  let index = 0;
  while (taken.has(index)) index++;
  taken.add(index);
  return index;
}
