/** A run's results as a report, and back. */
import * as v from 'valibot';
import type { DeviceId, RunDevice } from '../device/run-device.ts';
import type { Verdict } from '../audit/audit.ts';
import type { ToldControl } from '../audit/controls.ts';
import type { CaseFinding, ControlResult, GateResult } from '../gates/result.ts';
import type { Registration } from './registration.ts';
import { statusOf } from './registration.ts';
import type { GateRow, Report, ReportHead } from './schema.ts';
import { reportSchema, SCHEMA_VERSION } from './schema.ts';

/** Gate 5's results, as its audit gives them. */
export interface LimitsResults {
  readonly verdicts: readonly (Verdict & { readonly shapes: readonly string[] })[];
  readonly controls: readonly ToldControl[];
  readonly problems: readonly string[];
}

/** A device of a run, as its report names it. */
export const deviceJson = ({ id, name, dialects, chip, driver }: RunDevice): Report['devices'][number] => ({
  id,
  name,
  dialects: [...dialects],
  ...(chip !== undefined && { chip }),
  ...(driver !== undefined && { driver }),
});

/** A run's report, checked against its own schema. */
export function reportOf(head: ReportHead, registrations: readonly Registration[], limits?: LimitsResults): Report {
  const results = { registrations: registrations.map(registrationJson), ...(limits && { limits }) };
  return v.parse(reportSchema, { schema: SCHEMA_VERSION, ...head, ...results });
}

export const reportText = (report: Report): string => `${JSON.stringify(report, undefined, 2)}\n`;

/** Reads a report back; throws where it is not one of this version. */
export const readReport = (json: string): Report => v.parse(reportSchema, JSON.parse(json));

function registrationJson(registration: Registration): unknown {
  const { kernel, dialect, device: on, quarantine, gates, controls } = registration;
  const verdict = statusOf(registration);
  return {
    kernel,
    dialect,
    device: on.id,
    ...(quarantine !== undefined && { quarantine }),
    ...(verdict && { status: verdict }),
    gates: gates.map(gateJson),
    controls: controls.map(controlJson),
  };
}

function controlJson({ id, fault, gate, status, reason, found, elapsedMs }: ControlResult): unknown {
  const what = found && { found: atCase(found) };
  return { id, fault, gate, status, reason, ...what, elapsedMs };
}

function gateJson({
  gate: name,
  status: verdict,
  cases,
  margin: worst,
  findings,
  chains,
  detected: limits,
  errors,
  loaded,
  sees,
  notes,
  reason,
  elapsedMs,
}: Registration['gates'][number]): unknown {
  return {
    gate: name,
    status: verdict,
    cases,
    ...(worst && {
      margin: { share: numberOf(worst.share), where: worst.where, case: worst.label },
    }),
    ...(sees && { sees }),
    ...(limits && { detected: limits.map(atCase) }),
    ...(chains && { chains: chains.map(atCase) }),
    ...(loaded && { loaded }),
    ...(errors && {
      errors: errors.map(({ label, share, ...rest }) => ({ case: label, share: numberOf(share), ...rest })),
    }),
    findings: findings.map(findingJson),
    notes,
    ...(reason !== undefined && { reason }),
    elapsedMs,
  };
}

/** An error that is no number has no multiple. */
function findingJson({ times, ...rest }: CaseFinding): unknown {
  return { ...atCase(rest), ...(Number.isFinite(times) && { times }) };
}

/** JSON has no number for an error beyond any bound. */
const numberOf = (share: number): number | null => (Number.isFinite(share) ? share : null);

/** The results of a report, as the run that wrote it had them. */
export function registrationsOf({ registrations, devices }: Report): Registration[] {
  return registrations.map(({ kernel, dialect, device: id, quarantine, gates, controls }) => ({
    kernel,
    dialect,
    device: { id: id as DeviceId, name: devices.find((device) => device.id === id)?.name ?? id },
    ...(quarantine !== undefined && { quarantine }),
    gates: gates.map((row) => ({ kind: 'gate', kernel, dialect, ...gateOf(row) })),
    controls: controls.map(({ found, ...rest }) => ({
      kind: 'control',
      kernel,
      dialect,
      ...rest,
      ...(found && { found: atLabel(found) }),
    })),
  }));
}

function gateOf({
  margin,
  detected,
  chains,
  errors,
  findings,
  ...rest
}: GateRow): Omit<GateResult, 'kind' | 'kernel' | 'dialect'> {
  return {
    ...rest,
    ...(margin && { margin: { share: margin.share ?? Infinity, where: margin.where, label: margin.case } }),
    ...(detected && { detected: detected.map(atLabel) }),
    ...(chains && { chains: chains.map(atLabel) }),
    ...(errors && { errors: errors.map(atLabel).map((error) => ({ ...error, share: error.share ?? Infinity })) }),
    findings: findings.map(atLabel),
  };
}

const atCase = <T extends { readonly label: string }>({ label, ...rest }: T): Omit<T, 'label'> & { case: string } => ({
  case: label,
  ...rest,
});

const atLabel = <T extends { readonly case: string }>({
  case: label,
  ...rest
}: T): Omit<T, 'case'> & { label: string } => ({
  ...rest,
  label,
});
