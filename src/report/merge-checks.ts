/** What keeps reports from being one: other sources, another seed, a shard that is missing or doubled, a part that is not its own. */
import { deviceText } from './merge-devices.ts';
import type { Part } from './merge-devices.ts';
import type { Report } from './schema.ts';
import { LIMITS_UNIT, unitText } from './schema.ts';
import { counted, partialText } from './words.ts';

/** What every part must have in common with the first, each with its name. */
const SAME: readonly (readonly [what: string, of: (report: Report) => string])[] = [
  ['program version', ({ program }) => program.version],
  ['commit', ({ program }) => program.commit],
  ['kernel sources', ({ program }) => program.sources],
  ['seed', ({ seed }) => seed],
  ['flags', ({ flags }) => flags ?? 'none'],
];

/** What a signal ended is no part: its own shard or machine runs again. */
export const checkWhole = (parts: readonly Part[]): string[] =>
  parts.flatMap(({ file, report: { partial } }) =>
    partial ? [`${file} is partial: ${partialText(partial)}; run that part again.`] : [],
  );

export function checkSame([first, ...others]: readonly Part[]): string[] {
  if (!first) return [];
  return others.flatMap((other) =>
    SAME.flatMap(([what, of]) => {
      const [a, b] = [of(first.report), of(other.report)];
      return a === b
        ? []
        : [`The ${what} ${what.endsWith('s') ? 'differ' : 'differs'}: ${a} in ${first.file}, ${b} in ${other.file}.`];
    }),
  );
}

/** The parts of one plan: each shard once, each with its own units and no others. */
export function checkPlan(parts: readonly Part[]): string[] {
  const [first] = parts;
  if (!first) return [];
  const cut = (report: Report): string => JSON.stringify([report.plan.shard?.of ?? 1, report.plan.units]);
  const devices = (report: Report): string => report.devices.map((device) => deviceText(device, report)).join(', ');
  for (const { file, report } of parts) {
    if (devices(report) !== devices(first.report))
      return [
        `One plan ran on different devices: ${devices(first.report)} in ${first.file}, ${devices(report)} in ${file}.`,
      ];
    if (cut(report) !== cut(first.report))
      return [
        `${first.file} and ${file} are of the same plan, cut in different ways: give every shard the same --times.`,
      ];
  }
  const problems = [...shardProblems(parts, first.report), ...parts.flatMap(ownProblems)];
  return problems.length > 0 ? problems : countProblems(parts, first.report);
}

/** All results that were planned came back, and no others. */
function countProblems(parts: readonly Part[], { plan }: Report): string[] {
  const { kernels, controls } = countsOf(parts.flatMap(({ report }) => report.registrations));
  const files = parts.map(({ file }) => file).join(', ');
  const of = (what: string, planned: number, found: number): string[] =>
    planned === found ? [] : [`${counted(planned, what)} were planned, and ${found} came back: ${files}.`];
  return [...of('kernel', plan.kernels, kernels), ...of('control', plan.controls, controls)];
}

/** Registrations that were held to a gate, and controls. */
export function countsOf(rows: Report['registrations']): Pick<Report['plan'], 'kernels' | 'controls'> {
  const held = rows.filter(({ gates }) => gates.length > 0);
  return {
    kernels: new Set(held.map(({ kernel, dialect, device }) => JSON.stringify([kernel, dialect, device]))).size,
    controls: rows.reduce((sum, row) => sum + row.controls.length, 0),
  };
}

function shardProblems(parts: readonly Part[], { plan }: Report): string[] {
  const of = plan.shard?.of ?? 1;
  return Array.from({ length: of }, (_, i) => i + 1).flatMap((index) => {
    const own = parts.filter(({ report }) => (report.plan.shard?.index ?? 1) === index);
    const units = plan.units.filter(({ shard }) => shard === index).map(({ unit }) => unit);
    if (own.length === 1 || (own.length === 0 && units.length === 0)) return [];
    const what = of === 1 ? 'The whole run' : `Shard ${index} of ${of}`;
    if (own.length > 1) return [`${what} is doubled: ${own.map(({ file }) => file).join(' and ')} both hold it.`];
    return [`${what} is missing: ${unitsText(units)} did not run.`];
  });
}

/** `rms_rows:shapes host and 24 more units`. */
function unitsText(units: readonly string[]): string {
  const [first = 'nothing', ...more] = units;
  return more.length === 0 ? first : `${first} and ${counted(more.length, 'more unit')}`;
}

/** A report has a result of every unit of its shard, and of no other. */
function ownProblems({ file, report }: Part): string[] {
  const { plan, registrations, limits } = report;
  const index = plan.shard?.index ?? 1;
  const wanted = new Set(plan.units.filter(({ shard }) => shard === index).map(({ unit }) => unit));
  const found = new Set(
    registrations.flatMap(({ kernel, device, gates, controls }) =>
      [...gates, ...controls].map(({ gate }) => unitText(kernel, gate, device)),
    ),
  );
  if (limits) found.add(LIMITS_UNIT);
  const [missing, extra] = [[...wanted.difference(found)], [...found.difference(wanted)]];
  return [
    ...(missing.length > 0 ? [`${file} lacks results of its own part: ${unitsText(missing)}.`] : []),
    ...(extra.length > 0 ? [`${file} has results that are not of its part: ${unitsText(extra)}.`] : []),
  ];
}

/** Of different plans: no gate or control of a registration on one device twice; gate 5 needs no device, and says the same. */
export function checkTogether(parts: readonly Part[]): string[] {
  const seen = new Map<string, string>();
  const problems: string[] = [];
  const take = (what: string, file: string): void => {
    const before = seen.get(what);
    if (before === undefined) seen.set(what, file);
    else problems.push(`${what} is doubled: ${before} and ${file} both hold it.`);
  };
  for (const { file, report } of parts) {
    for (const { kernel, dialect, device, gates, controls } of report.registrations) {
      for (const { gate } of gates) take(`${kernel}@${dialect}:${gate} on ${device}`, file);
      for (const { id } of controls) take(`${kernel}@${dialect}!${id} on ${device}`, file);
    }
  }
  const audits = parts.filter(({ report }) => report.limits);
  const [first, ...others] = audits;
  for (const other of others) {
    if (JSON.stringify(other.report.limits) !== JSON.stringify(first?.report.limits))
      problems.push(`Gate 5 differs: ${first?.file} and ${other.file} audit different launches or records.`);
  }
  return summarised(problems);
}

/** Problems that a person reads. */
const TOLD = 10;

const summarised = (problems: readonly string[]): string[] =>
  problems.length <= TOLD
    ? [...problems]
    : [...problems.slice(0, TOLD), `${counted(problems.length - TOLD, 'more problem')} of this kind.`];
