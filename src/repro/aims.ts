/** What a run or a report of it has to show: one aim for each class that a registration's gate finds, at its smallest case. */
import type { RunDevice } from '../device/run-device.ts';
import type { Dialect } from '../families/formula/functions.ts';
import { addressText, controlAddress } from '../spec/address.ts';
import type { Cause } from '../spec/cause.ts';
import type { FindingClass, GateName, KnownFinding } from '../spec/contract.ts';
import { MODES, modeOfLabel } from '../spec/modes.ts';
import { warpOfLabel } from '../spec/warps.ts';
import type { Way } from '../gates/mode.ts';
import { wayOf } from '../gates/mode.ts';
import type { Kernel } from '../spec/registration.ts';
import { knownFindings, modeOf, registrationName } from '../spec/registration.ts';
import type { Status } from '../gates/result.ts';
import type { Wanted } from './find.ts';
import type { Target } from './suspect.ts';

/** What a gate found of a registration: a run's result, or a report's row. */
export interface FoundRow {
  readonly kernel: string;
  readonly dialect: Dialect;
  readonly gate: GateName;
  readonly device: string;
  readonly status: Status;
  /** Why the gate failed, where no finding says it. */
  readonly reason?: string;
  readonly findings: readonly FoundFinding[];
}

interface FoundFinding {
  readonly label: string;
  readonly class: FindingClass | 'weak';
  readonly cause: Cause;
  readonly what: string;
  readonly times?: number | undefined;
}

export interface Aim {
  /** `known`: the contract says so. `fail`: it does not. `control`: planted. */
  readonly kind: 'fail' | 'known' | 'control';
  readonly address: string;
  /** The id of the device that it was found on, and is looked for on. */
  readonly device: string;
  readonly target: Target;
  readonly way: Way;
  readonly wanted: Wanted;
  /** What it is, in a sentence. */
  readonly what: string;
  readonly known?: KnownFinding;
  /** Why no single input shows it. */
  readonly whyNot?: string;
}

/** The aims of a registration's gate on a chip, or on the host device; failures first. */
export function aimsOf(kernel: Kernel, row: FoundRow, chip?: string): Aim[] {
  const byClass = Map.groupBy(row.findings, (finding) => finding.class);
  const whole = row.status === 'fail' && row.findings.length === 0 ? [wholeAim(kernel, row)] : [];
  const aims = [...byClass].flatMap(([kind, findings]) => {
    const smallest = findings.toSorted((a, b) => rank(a) - rank(b))[0];
    return smallest ? [aimOf(kernel, row, kind, smallest, findings, chip)] : [];
  });
  return [...whole, ...aims.toSorted((a, b) => Number(a.kind === 'known') - Number(b.kind === 'known'))];
}

/** A gate that failed as a whole: a kernel that does not compile, a known finding that is gone. */
function wholeAim(kernel: Kernel, { dialect, gate, device, reason = 'no reason given' }: FoundRow): Aim {
  return {
    kind: 'fail',
    address: `${registrationName(kernel.name, dialect)}:${gate}`,
    device,
    target: { kernel, dialect, gate },
    way: { mode: 'plain' },
    wanted: {},
    what: reason,
    whyNot: 'the gate fails as a whole, not at an input',
  };
}

/** Plain arithmetic before all modes, then small shapes. */
function rank({ label }: FoundFinding): number {
  const volume = [...label.matchAll(/(?:^|,)\w+=(\d+)(?=,|$)/g)].reduce(
    (product, [, size]) => product * Number(size),
    1,
  );
  return (modeOfLabel(label) === 'plain' ? 0 : 2 ** 40) + volume;
}

function aimOf(
  kernel: Kernel,
  { dialect, gate, device }: FoundRow,
  kind: FindingClass | 'weak',
  { label, cause, what }: FoundFinding,
  all: readonly FoundFinding[],
  chip: string | undefined,
): Aim {
  const entry = knownFindings(kernel.contract, dialect, gate, chip).find(
    ({ finding, within }) =>
      finding === kind && all.every(({ times }) => within === undefined || (times ?? Infinity) <= within),
  );
  const whyNot = whyNotOne(kind);
  return {
    kind: entry ? 'known' : 'fail',
    address: addressText({ kernel: kernel.name, dialect, gate, label }),
    device,
    target: { kernel, dialect, gate },
    way: wayNamed(label),
    wanted: { class: kind, cause, label },
    what: entry?.what ?? what,
    ...(entry && { known: entry }),
    ...(whyNot !== undefined && { whyNot }),
  };
}

/** Findings that no single input shows, and why not. */
function whyNotOne(kind: FindingClass | 'weak'): string | undefined {
  if (kind === 'weak')
    return "it is a finding of the gate's own data, which cannot tell a right kernel from a wrong one";
  if (kind === 'vacuous') return 'it is a finding over many inputs: what one of them moves, and what none does';
  return undefined;
}

function wayNamed(label: string): Way {
  const mode = MODES.find((name) => name === modeOfLabel(label)) ?? 'plain';
  return wayOf({ mode, warp: warpOfLabel(label) });
}

/** The controls of a kernel that are selected by their own addresses. */
export function controlAims(
  kernel: Kernel,
  devices: readonly Pick<RunDevice, 'id' | 'dialects'>[],
  selects: (address: string) => boolean,
): Aim[] {
  return devices.flatMap(({ id: device, dialects }) =>
    kernel.dialects
      .filter((dialect) => dialects.includes(dialect))
      .flatMap((dialect) =>
        kernel.controls
          .filter(
            (control) =>
              control.dialects.includes(dialect) && selects(controlAddress(kernel.name, dialect, control.id)),
          )
          .map((control): Aim => ({
            kind: 'control',
            address: controlAddress(kernel.name, dialect, control.id),
            device,
            target: { kernel, dialect, gate: control.reddens, control },
            way: wayOf({ mode: modeOf(control), warp: control.warp }),
            wanted: { class: control.finding },
            what: control.fault,
          })),
      ),
  );
}
