/**
 * OpenCL C after the preprocessor, prepared for the host device. It stays OpenCL C, since its vector literals mean
 * something else in C++; local variables become pointers into the group's arena, every kernel gets a body that runs
 * threads through it, and a small C++ text beside it holds the table. Lines keep their numbers.
 */

import { bodyOf, kernelsOf, type OpenclKernel, rowOf } from './opencl/kernels.ts';
import { lowerLocals, type OpenclLocal } from './opencl/locals.ts';
import type { Lowered } from './table.ts';
import { openUnit } from './unit.ts';

export interface OpenclOptions {
  /** The folder of the dialect headers, whose text is final. */
  readonly headers?: string;
  /** The source's name, for messages about its local variables. */
  readonly path?: string;
}

export interface LoweredOpencl extends Lowered {
  /** The C++ text of the kernel table. */
  readonly table: string;
}

/** Lowers preprocessed OpenCL C text. */
export function lowerOpencl(text: string, { headers = '', path = '<source>' }: OpenclOptions = {}): LoweredOpencl {
  const unit = openUnit(text, headers);
  const kernels = kernelsOf(unit);
  const locals = lowerLocals(unit);
  const bodies = ['', '# 1 "<kernel table>"', ...kernels.map(bodyOf), ''].join('\n');
  return {
    text: unit.edits.apply() + bodies,
    table: tableOf(kernels, locals, path),
    symbols: kernels.map(({ name }) => name),
  };
}

function tableOf(kernels: readonly OpenclKernel[], locals: readonly OpenclLocal[], path: string): string {
  return [
    `TF_CL_LOCALS_BEGIN(${JSON.stringify(path)})`,
    ...locals.map(({ name, line }) => `TF_CL_LOCAL("${name}", ${line})`),
    'TF_CL_LOCALS_END',
    ...kernels.map(({ name }) => `TF_CL_BODY(tf_body_${name})`),
    'TF_KERNELS_BEGIN',
    ...kernels.map(rowOf),
    'TF_KERNELS_END',
    '',
  ].join('\n');
}
