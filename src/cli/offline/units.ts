/** What `--offline` compiles: each source once for all the kernels in it, and each planted edit of one. */
import type { Dialect } from '../../families/formula/functions.ts';
import { definesText } from '../../audit/launch.ts';
import { auditLaunches } from '../../audit/launches.ts';
import { plantedText } from '../../gates/subject.ts';
import { controlAddress } from '../../spec/address.ts';
import type { Contract } from '../../spec/contract.ts';
import { registrationName } from '../../spec/registration.ts';
import type { PlannedRegistration } from '../plan.ts';

/** A kernel of a unit, by the symbol that its launch names. */
export interface UnitLaunch {
  readonly kernel: string;
  readonly symbol: string;
  readonly contract: Contract;
}

/** One text to compile. */
export interface Unit {
  readonly dialect: Dialect;
  /** Relative to kernels/. */
  readonly source: string;
  readonly text: string;
  readonly defines: Readonly<Record<string, number | string>>;
  readonly launches: readonly UnitLaunch[];
  /** Registrations or, for a planted edit, controls. */
  readonly addresses: readonly string[];
  readonly planted: boolean;
}

export function unitsOf(registrations: readonly PlannedRegistration[], sources: ReadonlyMap<string, string>): Unit[] {
  const units = new Map<string, Unit>();
  for (const part of registrations.flatMap((planned) => [
    ...ownUnits(planned, sources),
    ...plantedUnits(planned, sources),
  ])) {
    const key = JSON.stringify([part.dialect, part.source, definesText(part.defines), part.text, part.planted]);
    const known = units.get(key);
    units.set(key, known ? joined(known, part) : part);
  }
  return [...units.values()].toSorted((a, b) => Number(a.planted) - Number(b.planted));
}

function ownUnits({ kernel, dialect, gates }: PlannedRegistration, sources: ReadonlyMap<string, string>): Unit[] {
  if (gates.length === 0) return []; // only a control of it is selected
  const address = registrationName(kernel.name, dialect);
  return auditLaunches(kernel)
    .filter((launch) => launch.dialect === dialect)
    .map(({ source, defines, symbol }) => ({
      dialect,
      source,
      text: sources.get(source) ?? '',
      defines,
      launches: [{ kernel: kernel.name, symbol, contract: kernel.contract }],
      addresses: [address],
      planted: false,
    }));
}

/** Edits of a source: formulas, launches and data are planted in other places, and compile to the kernel's own image. */
function plantedUnits(planned: PlannedRegistration, sources: ReadonlyMap<string, string>): Unit[] {
  const { kernel, dialect, controls } = planned;
  return controls.flatMap((control) =>
    ownUnits({ ...planned, gates: ['shapes'] }, sources).flatMap((unit) => {
      const text = plantedText({ texts: sources }, unit.source, dialect, control);
      if (text === unit.text) return [];
      return [{ ...unit, text, addresses: [controlAddress(kernel.name, dialect, control.id)], planted: true }];
    }),
  );
}

function joined(a: Unit, b: Unit): Unit {
  const launches = [...a.launches, ...b.launches];
  const seen = new Map(launches.map((launch) => [`${launch.kernel} ${launch.symbol}`, launch]));
  return { ...a, launches: [...seen.values()], addresses: [...new Set([...a.addresses, ...b.addresses])] };
}
