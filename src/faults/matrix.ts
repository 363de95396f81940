/** The matrix: every fault that the rules make of the registrations, and the rules that make none where they owe one. */
import { basename } from 'node:path';
import { editsOf } from '../device/toolchain/lower/edit.ts';
import type { Dialect } from '../families/formula/functions.ts';
import type { Kernel } from '../spec/registration.ts';
import { launchesOf, registrationName, sourceOf } from '../spec/registration.ts';
import type { Code } from './code.ts';
import { readCode } from './code.ts';
import { PRELUDES } from './prelude.ts';
import type { Fault, FaultRule, LaunchRule, Site, SourceRule } from './rule.ts';
import { FAULT_RULES } from './rules/all.ts';
import { wholeSource } from './source.ts';

/** A rule that owes a registration a fault and finds no place for it. */
export interface DeadAnchor {
  readonly kernel: string;
  readonly dialect: Dialect;
  readonly rule: string;
  readonly what: string;
}

export interface Matrix {
  readonly faults: readonly Fault[];
  readonly dead: readonly DeadAnchor[];
}

export type Texts = ReadonlyMap<string, string>;

/** The faults of some registrations, in the order of kernels, dialects, rules and places. */
export function matrixOf(
  kernels: readonly Kernel[],
  texts: Texts,
  dialects: readonly Dialect[],
  rules: readonly FaultRule[] = FAULT_RULES,
): Matrix {
  const parts = kernels.flatMap((kernel) =>
    kernel.dialects
      .filter((dialect) => dialects.includes(dialect))
      .map((dialect) => registrationFaults(kernel, dialect, texts, rules)),
  );
  return { faults: parts.flatMap(({ faults }) => faults), dead: parts.flatMap(({ dead }) => dead) };
}

interface SourceText {
  readonly path: string;
  readonly text: string;
  readonly code: Code;
}

function registrationFaults(kernel: Kernel, dialect: Dialect, texts: Texts, rules: readonly FaultRule[]): Matrix {
  const sources = sourcesOf(kernel, dialect, texts);
  const made = rules.map((rule) => {
    const owes = sources.some(({ code }) => rule.applies(kernel, dialect, code));
    const faults = owes ? faultsOf(rule, kernel, dialect, sources) : [];
    return { rule, owes, faults };
  });
  return {
    faults: made.flatMap(({ faults }) => faults),
    dead: made
      .filter(({ owes, faults }) => owes && faults.length === 0)
      .map(({ rule }) => ({
        kernel: kernel.name,
        dialect,
        rule: rule.name,
        what: `${rule.name} applies and finds no place in ${sources.map(({ path }) => `kernels/${path}`).join(', ')}`,
      })),
  };
}

/** The sources of a registration, each with the functions that the launches which compile it reach. */
function sourcesOf(kernel: Kernel, dialect: Dialect, texts: Texts): SourceText[] {
  const launches = Map.groupBy(launchesOf(kernel.contract, dialect), (launch) =>
    sourceOf(kernel.folder, dialect, launch),
  );
  return [...launches].map(([path, own]) => {
    const text = wholeSource(texts, path, dialect);
    const symbols = own.map(({ symbol }) => symbol);
    return { path, text, code: readCode(dialect, text, symbols) };
  });
}

function faultsOf(rule: FaultRule, kernel: Kernel, dialect: Dialect, sources: readonly SourceText[]): Fault[] {
  const made = 'launches' in rule ? launchFaults(rule, kernel, dialect) : sourceFaults(rule, kernel, dialect, sources);
  const head = { kernel: kernel.name, dialect, rule: rule.name };
  return made.map((fault, i) => ({
    ...head,
    address: `${registrationName(kernel.name, dialect)}~${rule.name}.${i + 1}`,
    ...fault,
  }));
}

type Made = Pick<Fault, 'place' | 'from' | 'to' | 'plant'>;

function launchFaults(rule: LaunchRule, kernel: Kernel, dialect: Dialect): Made[] {
  return rule.launches(kernel, dialect).map(({ from, to, plant }) => ({
    place: 'launch',
    from,
    to,
    plant: { kind: 'launch', launch: plant },
  }));
}

function sourceFaults(rule: SourceRule, kernel: Kernel, dialect: Dialect, sources: readonly SourceText[]): Made[] {
  return sources.flatMap((source) =>
    rule.sites({ kernel, dialect, code: source.code }).map((site) => sourceFault(source, dialect, site)),
  );
}

function sourceFault({ path, text, code }: SourceText, dialect: Dialect, { replacements, prelude }: Site): Made {
  const edits = editsOf(text);
  for (const { start, end, text: other } of replacements) edits.replace(start, end, other);
  const [first] = replacements;
  const { file, line } = code.unit.at(first?.start ?? 0);
  const before = replacements.map(({ start, end }) => text.slice(start, end));
  return {
    place: `${basename(file)}:${line}`,
    from: oneLine(before),
    to: oneLine(replacements.map((replacement) => replacement.text)),
    plant: { kind: 'source', path, prelude: prelude ? `${PRELUDES[dialect]}\n` : '', text: edits.apply() },
  };
}

const oneLine = (texts: readonly string[]): string => texts.map((text) => text.replace(/\s+/g, ' ').trim()).join('; ');
