/** OpenCL kernels: their attributes, and the body through which the host device runs threads. */

import { splitArguments, statementStart } from '../syntax.ts';
import * as u from '../unit.ts';

export interface OpenclKernel {
  readonly name: string;
  readonly parameters: readonly OpenclParameter[];
  /** The three sizes of reqd_work_group_size as written; zeros for none. */
  readonly required: readonly string[];
  /** Of intel_reqd_sub_group_size, '0' for none. */
  readonly subGroup: string;
}

export interface OpenclParameter {
  /** The type as written, less `restrict`. */
  readonly type: string;
  readonly kind: 'buffer' | 'local' | 'bytes';
}

const KERNEL_WORDS = new Set(['kernel', '__kernel']);
const DROPPED = new Set(['restrict', '__restrict', '__restrict__']);
const OPAQUE = /^(?:image\w*_t|sampler_t|pipe|queue_t|event_t)$/;

/** The kernels that the unit defines, in order. */
export function kernelsOf(unit: u.Unit): OpenclKernel[] {
  const kernels: OpenclKernel[] = [];
  unit.tokens.forEach(({ text }, i) => {
    if (KERNEL_WORDS.has(text)) kernels.push(...readKernel(unit, i));
  });
  return kernels;
}

function readKernel(unit: u.Unit, i: number): OpenclKernel[] {
  const open = parameterList(unit, i);
  const close = u.pairOf(unit, open);
  const isDefined = u.textAt(unit, close + 1) === '{';
  if (!isDefined) return [];
  const head = u.spell(unit, { first: statementStart(unit, i), last: open - 1 });
  const parameters = splitArguments(unit, open, close).filter((span) => u.spell(unit, span) !== 'void');
  return [
    {
      name: u.textAt(unit, open - 1),
      parameters: parameters.map((span) => readParameter(unit, span)),
      required: requiredOf(unit, i, head),
      subGroup: sizesOf(head, 'intel_reqd_sub_group_size')[0] ?? '0',
    },
  ];
}

function requiredOf(unit: u.Unit, at: number, head: string): string[] {
  const sizes = sizesOf(head, 'reqd_work_group_size');
  if (sizes.length === 0) return ['0', '0', '0'];
  if (sizes.length === 3) return sizes;
  return u.fail(
    unit,
    at,
    `reqd_work_group_size of ${sizes.length} sizes`,
    'State three: reqd_work_group_size(256, 1, 1).',
  );
}

function parameterList(unit: u.Unit, first: number): number {
  for (let i = first; i < unit.tokens.length && u.textAt(unit, i) !== ';'; i++) {
    if (u.textAt(unit, i) === '__attribute__') i = u.pairOf(unit, i + 1);
    else if (u.textAt(unit, i) === '(') return i;
  }
  return u.fail(unit, first, '`kernel` without a function', 'Follow it by the kernel: `kernel void name(...)`.');
}

/** The arguments of an attribute in a kernel's head. */
function sizesOf(head: string, attribute: string): string[] {
  const at = head.search(new RegExp(`\\b(?:__)?${attribute}(?:__)?\\s*\\(`));
  if (at < 0) return [];
  const open = head.indexOf('(', at);
  return head
    .slice(open + 1, closingParenthesis(head, open))
    .split(',')
    .map((size) => size.trim());
}

function closingParenthesis(text: string, open: number): number {
  let depth = 0;
  for (let i = open; i < text.length; i++) {
    if (text[i] === '(') depth++;
    else if (text[i] === ')' && --depth === 0) return i;
  }
  return text.length;
}

function readParameter(unit: u.Unit, { first, last }: u.Span): OpenclParameter {
  const words = unit.tokens
    .slice(first, last)
    .map((token) => token.text)
    .filter((word) => !DROPPED.has(word));
  if (words.some((word) => OPAQUE.test(word))) {
    u.fail(unit, first, 'a kernel parameter that is an image, a sampler or a pipe', 'Pass a buffer instead.');
  }
  if (u.textAt(unit, last) === ']') u.fail(unit, first, 'a parameter that is an array', 'Write it as a pointer.');
  if (!words.includes('*')) return { type: words.join(' '), kind: 'bytes' };
  const isLocal = words.includes('local') || words.includes('__local');
  return { type: words.join(' '), kind: isLocal ? 'local' : 'buffer' };
}

// --- what the kernels become ---

/** A function that runs a stack's threads through the kernel; arguments are read afresh for every thread, and no image checks that. */
export function bodyOf({ name, parameters }: OpenclKernel): string {
  const values = parameters.map(({ type, kind }, i) =>
    kind === 'local' ? `(${type})tf_cl_local_argument(arguments[${i}])` : `*(${type} __private*)arguments[${i}]`,
  );
  const call = `${name}(${values.join(', ')})`;
  return `__attribute__((no_sanitize("kernel-address"))) void tf_body_${name}(ulong thread, ulong* arguments) { while (tf_cl_next(thread)) ${call}; }`;
}

/** The kernel's row in the C++ table. */
export function rowOf({ name, parameters, required, subGroup }: OpenclKernel): string {
  const kinds = parameters.map(({ type, kind }) => (kind === 'bytes' ? `TF_CL_BYTES(${bytesOf(type)})` : KINDS[kind]));
  return `TF_CL_KERNEL(${[`"${name}"`, `tf_body_${name}`, ...required.map((size) => `(${size})`), `(${subGroup})`, ...kinds].join(', ')})`;
}

const KINDS = { buffer: 'TF_CL_BUFFER', local: 'TF_CL_LOCAL_POINTER' } as const;

const SCALAR_BYTES: Readonly<Record<string, number>> = {
  char: 1,
  uchar: 1,
  short: 2,
  ushort: 2,
  half: 2,
  int: 4,
  uint: 4,
  float: 4,
  long: 8,
  ulong: 8,
  double: 8,
  size_t: 8,
};

/** Bytes of a scalar or vector by value; 0 where the type is the source's own, which is then not checked. */
function bytesOf(type: string): number {
  const match = /^(?:const |unsigned |__private )*([a-z_]+?)(2|3|4|8|16)?$/.exec(type);
  const lanes = Number(match?.[2] ?? 1);
  return (SCALAR_BYTES[match?.[1] ?? ''] ?? 0) * (lanes === 3 ? 4 : lanes);
}
