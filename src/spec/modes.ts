/**
 * Modes: what compilers and devices may make of a source's fp32 arithmetic, and what sees its accesses. A kernel keeps its promise
 * in every one.
 * plain: every operation rounds once, subnormals stay. fused: a product and its sum round once together, where the source lets
 * them. flushed: fp32 subnormals are zero, as operands and as results. ulps-: library functions are off by as much as their
 * makers document, all upwards, all downwards, or each by a part of it that the seed draws. check: plain, in an image whose every
 * access is judged.
 */
export const MODES = ['plain', 'fused', 'flushed', 'ulps-up', 'ulps-down', 'ulps-mixed', 'check'] as const;
export type ModeName = (typeof MODES)[number];

/** Those that a gate adds to some of its cases. */
export type AddedMode = Exclude<ModeName, 'plain'>;

/** The mode that a label names. */
export const modeOfLabel = (label: string): string => /,mode=([\w-]+)$/.exec(label)?.[1] ?? 'plain';

/** A case's label in a mode; that of `plain` is the case's own. */
export const modeLabel = (label: string, mode: ModeName): string =>
  mode === 'plain' ? label : `${label},mode=${mode}`;
