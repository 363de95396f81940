import { expect, test } from 'bun:test';
import { withContraction } from '../../../src/device/toolchain/contraction.ts';

const OFF = '#pragma clang fp contract(off)';
const FAST = '#pragma clang fp contract(fast)';

test.each([
  // A pragma, as a fast image reads it and as a fused one does
  ['#pragma OPENCL FP_CONTRACT OFF', OFF, OFF],
  ['#pragma OPENCL FP_CONTRACT ON', OFF, FAST],
  ['#pragma OPENCL FP_CONTRACT DEFAULT', OFF, FAST],
  ['#pragma STDC FP_CONTRACT ON', OFF, FAST],
  ['#pragma METAL fp contract(off)', OFF, OFF],
  ['#pragma METAL fp contract(fast)', OFF, FAST],
  ['#pragma clang fp contract( on )', OFF, FAST],
  ['  # pragma METAL  fp contract (off)', OFF, OFF],

  // No pragma of contraction
  ['#pragma METAL fp math_mode(safe)', '#pragma METAL fp math_mode(safe)', '#pragma METAL fp math_mode(safe)'],
  ['#pragma unroll', '#pragma unroll', '#pragma unroll'],
  ['s = "#pragma STDC FP_CONTRACT ON";', 's = "#pragma STDC FP_CONTRACT ON";', 's = "#pragma STDC FP_CONTRACT ON";'],
])('%s', (line, fast, fused) => {
  expect(withContraction(`int a;\n${line}\nint b;`, 'fast')).toBe(`int a;\n${fast}\nint b;`);
  expect(withContraction(`int a;\n${line}\nint b;`, 'fused')).toBe(`${FAST}\nint a;\n${fused}\nint b;`);
});
