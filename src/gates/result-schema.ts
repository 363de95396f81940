/** Results that come from a file: the same shapes as in `result.ts`, checked. Numbers that JSON has none for are words. */
import * as v from 'valibot';
import { readAttributes } from '../device/gpu-info.ts';
import { DIALECTS } from '../families/formula/functions.ts';
import { FINDING_CLASSES, GATES } from '../spec/contract.ts';
import type { ControlResult, GateResult, Result } from './result.ts';

const text = v.string();
const NONFINITE = ['Infinity', '-Infinity', 'NaN'] as const;
const number = v.union([v.number(), v.pipe(v.picklist(NONFINITE), v.transform(Number))]);
const texts = v.array(text);

/** For JSON.stringify: numbers that it has no text for as words, as the schema reads them. */
export const withNonfinite = (_key: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;

const head = { kernel: text, dialect: v.picklist(DIALECTS), gate: v.picklist(GATES), elapsedMs: number };

const finding = v.strictObject({
  class: v.picklist([...FINDING_CLASSES, 'weak']),
  what: text,
  worst: v.exactOptional(text),
  times: v.exactOptional(number),
  flags: v.exactOptional(text),
  why: v.exactOptional(text),
  label: text,
});

const limit = { bounds: number, ulps: number };
const detected = v.strictObject({
  outputs: v.array(
    v.strictObject({
      output: text,
      outputs: number,
      least: v.strictObject(limit),
      median: v.strictObject(limit),
      worst: v.strictObject({ ...limit, where: text }),
      blind: number,
    }),
  ),
  sums: v.array(v.strictObject({ sum: text, terms: number, lost: v.exactOptional(number) })),
  label: text,
});

const chain = v.strictObject({
  sum: text,
  symbol: text,
  terms: number,
  declared: number,
  longest: v.exactOptional(number),
  longer: v.exactOptional(v.strictObject({ at: text, declared: number, least: number })),
  why: v.exactOptional(text),
  label: text,
});

const loaded = v.strictObject({
  symbol: text,
  defines: v.record(text, v.union([v.number(), text])),
  attributes: v.pipe(v.unknown(), v.transform(readAttributes)),
});

const gate: v.GenericSchema<unknown, GateResult> = v.strictObject({
  ...head,
  kind: v.literal('gate'),
  status: v.picklist(['pass', 'fail', 'known', 'not run']),
  cases: number,
  findings: v.array(finding),
  margin: v.exactOptional(v.strictObject({ share: number, where: text, label: text })),
  notes: texts,
  chains: v.exactOptional(v.array(chain)),
  sees: v.exactOptional(v.picklist(['class', 'repeat', 'bits', 'ranges'])),
  detected: v.exactOptional(v.array(detected)),
  loaded: v.exactOptional(v.array(loaded)),
  reason: v.exactOptional(text),
});

const control: v.GenericSchema<unknown, ControlResult> = v.strictObject({
  ...head,
  kind: v.literal('control'),
  id: text,
  fault: text,
  status: v.picklist(['red', 'missed', 'broken', 'not run']),
  reason: text,
});

export const resultSchema: v.GenericSchema<unknown, Result> = v.union([gate, control]);
