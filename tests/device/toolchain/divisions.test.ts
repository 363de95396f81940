import { expect, test } from 'bun:test';
import { withDivisionCalls } from '../../../src/device/toolchain/divisions.ts';

const DECLARED = '\ndeclare float @tf_cl_divide(float, float)\n';

test('a division that has a line is a call', () => {
  expect(withDivisionCalls('  %13 = fdiv float %9, %12, !dbg !27, !fpmath !28')).toBe(
    `  %13 = call float @tf_cl_divide(float %9, float %12), !dbg !27${DECLARED}`,
  );
  expect(withDivisionCalls('  %q = fdiv contract float 1.000000e+00, %31, !dbg !40')).toBe(
    `  %q = call float @tf_cl_divide(float 1.000000e+00, float %31), !dbg !40${DECLARED}`,
  );
});

test('a vector is divided lane by lane, under names that no numbering counts', () => {
  const text = withDivisionCalls('  %2 = fdiv <2 x float> %1, <float 2.000000e+00, float 3.000000e+00>, !dbg !3');
  expect(
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  ).toEqual([
    '%tf.0.a0 = extractelement <2 x float> %1, i32 0',
    '%tf.0.b0 = extractelement <2 x float> <float 2.000000e+00, float 3.000000e+00>, i32 0',
    '%tf.0.q0 = call float @tf_cl_divide(float %tf.0.a0, float %tf.0.b0), !dbg !3',
    '%tf.0.v0 = insertelement <2 x float> poison, float %tf.0.q0, i32 0',
    '%tf.0.a1 = extractelement <2 x float> %1, i32 1',
    '%tf.0.b1 = extractelement <2 x float> <float 2.000000e+00, float 3.000000e+00>, i32 1',
    '%tf.0.q1 = call float @tf_cl_divide(float %tf.0.a1, float %tf.0.b1), !dbg !3',
    '%2 = insertelement <2 x float> %tf.0.v0, float %tf.0.q1, i32 1',
    'declare float @tf_cl_divide(float, float)',
  ]);
});

test.each([
  '  %3 = fdiv float %1, %2',
  '  %3 = fdiv double %1, %2, !dbg !4',
  '  %3 = fdiv half %1, %2, !dbg !4',
  '  %3 = fmul float %1, %2, !dbg !4',
])('%s stays', (line) => {
  expect(withDivisionCalls(line)).toBe(line);
});
