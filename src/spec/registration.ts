/** A loaded contract in the loose types that the gates work with, its formula read, its controls gathered from everywhere. */
import type { Dialect } from '../families/formula/functions.ts';
import type { Inputs } from '../families/inputs.ts';
import type { Problem } from '../families/problem.ts';
import type { Fixture } from './fixture.ts';
import type { ModeName } from './modes.ts';
import type { Contract, Control, GateName, KnownFinding, Launch, Rule } from './contract.ts';
import { CHECKED } from './contract.ts';

/** One kernel in all its dialects. */
export interface Kernel {
  readonly name: string;
  /** Its folder below kernels/. */
  readonly folder: string;
  /** The file of its contract below kernels/. */
  readonly path: string;
  /** The line of the contract that states its args; the program's own have been checked when it was built. */
  readonly argsLine?: number;
  readonly contract: Contract;
  /** The formula; undefined for a kernel with a stated rule. */
  readonly problem?: Problem;
  readonly rule?: Rule;
  readonly dialects: readonly Dialect[];
  readonly controls: readonly PlantedControl[];
  readonly regressions: readonly Regression[];
}

/** A fixture that the contract names. */
export interface Regression {
  /** The file's name without its extension. */
  readonly name: string;
  readonly fixture: Fixture;
  readonly inputs: Inputs;
}

/** A control with its address: `kernel@dialect!id`, the id unique within the kernel. */
export interface PlantedControl extends Control {
  readonly id: string;
  readonly dialects: readonly Dialect[];
  /** A formula control claims the formula without this rounding point. */
  readonly withoutPoint?: number;
}

/** The mode in which a control must show: what only a check image finds shows there. */
export const modeOf = ({ mode, finding }: Control): ModeName => mode ?? (CHECKED.includes(finding) ? 'check' : 'plain');

/** The modes that a control runs in: its own, and plain, in which what only another arithmetic shows must stay green. */
export function controlModes(control: Control): readonly ModeName[] {
  const mode = modeOf(control);
  return mode === 'check' ? [mode] : [...new Set(['plain', mode] as const)];
}

/** Whether all of a control's modes are among those of a run: without one of them it shows nothing. */
export const runsIn = (control: Control, modes: readonly ModeName[]): boolean =>
  controlModes(control).every((mode) => modes.includes(mode));

const EXTENSIONS: Readonly<Record<Dialect, string>> = { cuda: 'cu', hip: 'hip', metal: 'metal', xpu: 'cl' };

/** The launches of a kernel in a dialect, in the order in which they are tried. */
export function launchesOf(contract: Contract, dialect: Dialect): readonly Launch[] {
  const launch = contract.launch[dialect] ?? contract.launch.everywhere;
  if (launch === undefined) return [];
  return Array.isArray(launch) ? launch : [launch as Launch];
}

/** The launch that takes a shape; undefined where none does. */
export function routeOf(
  contract: Contract,
  dialect: Dialect,
  shape: Readonly<Record<string, number>>,
): Launch | undefined {
  return launchesOf(contract, dialect).find((launch) => launch.when?.(shape) ?? true);
}

/** A launch's source file, relative to kernels/. */
export function sourceOf(folder: string, dialect: Dialect, launch: Launch): string {
  const leaf = folder.split('/').at(-1) ?? folder;
  return `${folder}/${launch.source ?? `${leaf}.${EXTENSIONS[dialect]}`}`;
}

/** The dialect of a source file by its extension. */
export function dialectOf(path: string): Dialect | undefined {
  const extension = path.split('.').at(-1);
  const entry = Object.entries(EXTENSIONS).find(([, known]) => known === extension);
  return entry?.[0] as Dialect | undefined;
}

export const registrationName = (kernel: string, dialect: Dialect): string => `${kernel}@${dialect}`;

/** Why a kernel is not launched on a chip; undefined where it is. */
export function quarantineOn({ quarantine = [] }: Contract, chip: string | undefined): string | undefined {
  const entry = quarantine.find(({ chips }) => chip !== undefined && chips.includes(chip));
  return entry && `quarantined on ${chip}: ${entry.why} (${entry.link})`;
}

/** What is known to be wrong with a kernel in a dialect at a gate, on a chip or, where there is none, on the host device. */
export const knownFindings = (
  { known = [] }: Contract,
  dialect: Dialect,
  gate: GateName,
  chip?: string,
): readonly KnownFinding[] =>
  known.filter(
    ({ gate: own, on, chips }) =>
      own === gate &&
      (on?.includes(dialect) ?? true) &&
      (chips === undefined || (chip !== undefined && chips.includes(chip))),
  );
