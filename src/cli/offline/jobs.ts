/** What `--offline` runs: the compilers that are here, and a job for each unit that one of them takes. */
import type { Dialect } from '../../families/formula/functions.ts';
import { SERVED_CHIPS } from '../../audit/chips/all.ts';
import type { Chip } from '../../audit/chips/chip.ts';
import { findCompiler, VENDORS } from '../../device/vendor/all.ts';
import type { Compiler } from '../../device/vendor/vendor.ts';
import { isMissing } from '../../device/vendor/vendor.ts';
import type { OfflineJob, OfflineResult } from './measure.ts';
import { measure } from './measure.ts';
import { SOURCE_CHIP, SOURCE_READER } from './source.ts';
import type { Unit } from './units.ts';
import type { Workspace } from './workspace.ts';
import { progressOn } from '../progress.ts';

/** What measures a dialect, and for which of its chips. */
export interface Measurer {
  readonly dialect: Dialect;
  readonly compiler: Compiler;
  readonly chips: readonly string[];
}

export interface FoundMeasurers {
  readonly measurers: readonly Measurer[];
  /** Compilers that are not here, and chips that no compiler knows. */
  readonly absent: readonly Absent[];
}

/** What is not measured: its records stay as they are. */
export interface Absent {
  readonly dialect: Dialect;
  readonly what: string;
  /** How to get what is missing. */
  readonly install?: string;
}

/** The compilers that are here. Metal's sources say a part by themselves, wherever they are. */
export async function findMeasurers(
  units: readonly Unit[],
  named: Partial<Readonly<Record<Dialect, string>>>,
): Promise<FoundMeasurers> {
  const measurers: Measurer[] = [];
  const absent: Absent[] = [];
  for (const dialect of new Set(units.map((unit) => unit.dialect))) {
    if (dialect === 'metal') measurers.push({ dialect, compiler: SOURCE_READER, chips: [SOURCE_CHIP] });
    const found = await findCompiler(dialect, named[dialect]);
    if (isMissing(found)) {
      absent.push({ dialect, what: `no compiler: ${found.why}`, install: found.install });
      continue;
    }
    const { known, unknown } = await servedChips(dialect, found);
    if (known.length > 0) measurers.push({ dialect, compiler: found, chips: known });
    if (unknown.length > 0)
      absent.push({ dialect, what: `${found.name} ${found.version} does not know ${unknown.join(', ')}` });
  }
  return { measurers, absent };
}

/** The served chips of a dialect that are compiled for, by whether a compiler's release knows them. */
export async function servedChips(
  dialect: Dialect,
  compiler: Compiler,
): Promise<{ readonly known: readonly string[]; readonly unknown: readonly string[] }> {
  const names = SERVED_CHIPS.filter((chip) => chip.dialect === dialect && isCompiledFor(chip)).map(({ name }) => name);
  const knows = await Promise.all(names.map((name) => VENDORS[dialect].knows(compiler, name)));
  return { known: names.filter((_, i) => knows[i]), unknown: names.filter((_, i) => !knows[i]) };
}

/** Where registers do not lower a pipeline's thread limit, its source says all there is. */
const isCompiledFor = (chip: Chip): boolean => chip.dialect !== 'metal' || chip.fallsWithRegisters;

/** A run for each unit and, of a compiler that makes one chip's image at a time, for each chip. */
export function jobsOf(units: readonly Unit[], measurers: readonly Measurer[]): OfflineJob[] {
  return units.flatMap((unit) =>
    measurers
      .filter(({ dialect, compiler }) => dialect === unit.dialect && !(unit.planted && compiler === SOURCE_READER))
      .flatMap(({ compiler, chips }): OfflineJob[] =>
        VENDORS[unit.dialect].together
          ? [{ unit, compiler, chips }]
          : chips.map((chip) => ({ unit, compiler, chips: [chip] })),
      ),
  );
}

/** Runs jobs, so many at a time; results in the order of the jobs. */
export async function runJobs(
  jobs: readonly OfflineJob[],
  workspace: Workspace,
  sources: ReadonlyMap<string, string>,
  atOnce: number,
): Promise<OfflineResult[]> {
  const progress = progressOn(process.stderr);
  const results = new Map<OfflineJob, OfflineResult>();
  const waiting = [...jobs];
  const work = async (): Promise<void> => {
    for (let job = waiting.shift(); job; job = waiting.shift()) {
      progress.show(results.size, jobs.length, `${job.unit.addresses[0] ?? ''} ${job.chips.join(' ')}`);
      results.set(job, await measure(job, workspace, sources));
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, jobs.length) }, work));
  progress.clear();
  return jobs.flatMap((job) => results.get(job) ?? []);
}
