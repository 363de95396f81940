import { expect, test } from 'bun:test';
import { run } from '../../../src/device/processes/process.ts';
import { findClang } from '../../../src/device/toolchain/clang.ts';
import { withContraction } from '../../../src/device/toolchain/contraction.ts';
import { stepFlags } from '../../../src/device/toolchain/flags.ts';

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

/** x * y + z, where a source allows its fusion and where it keeps the two apart. */
const SUMS = ['contract ', ''].map(
  (flag, i) => `define float @f${i}(float %x, float %y, float %z) {
  %p = fmul ${flag}float %x, %y
  %s = fadd ${flag}float %p, %z
  ret float %s
}
`,
);

test.each(['x64', 'arm64'] as const)(
  'on %s a product is fused with its sum where both may be, and nowhere else',
  async (processor) => {
    const flags = stepFlags({ kind: 'fused', dialect: 'cuda', processor }).map((flag) => (flag === '-c' ? '-S' : flag));
    const made = await run([(await findClang()).path, ...flags, '-o', '-'], SUMS.join(''));
    const functions = made.stdout.split(/^f1:/m);
    expect(functions.map((text) => /^\s+(?:vfmadd|fmadd)/m.test(text))).toEqual([true, false]);
  },
);
