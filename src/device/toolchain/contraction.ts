/**
 * Fusing a product with the sum that takes it. A source's pragma that forbids it is kept; one that permits it leaves it to the
 * kind of the image, since a permission promises nothing.
 */

import type { ImageKind } from '../images.ts';

/** What a kind does where it is permitted. */
const PERMITTED: Readonly<Record<ImageKind, 'off' | 'fast'>> = {
  fast: 'off',
  fused: 'fast',
  ulps: 'off',
  check: 'off',
};

/** Pragmas after the preprocessor: those of C and OpenCL C, then those of Metal and clang. */
const PRAGMA =
  /^[ \t]*#[ \t]*pragma[ \t]+(?:(?:OPENCL|STDC)[ \t]+FP_CONTRACT[ \t]+(\w+)|(?:METAL|clang)[ \t]+fp[ \t]+contract[ \t]*\([ \t]*(\w+)[ \t]*\))/gm;

const pragma = (mode: 'off' | 'fast'): string => `#pragma clang fp contract(${mode})`;

/** The author's lowered text as a kind compiles it; the dialect's header, which stands before it, is never fused. */
export function withContraction(source: string, kind: ImageKind): string {
  const stated = source.replaceAll(PRAGMA, (_, c?: string, other?: string) =>
    pragma((c ?? other)?.toLowerCase() === 'off' ? 'off' : PERMITTED[kind]),
  );
  return PERMITTED[kind] === 'off' ? stated : `${pragma(PERMITTED[kind])}\n${stated}`;
}
