/**
 * Contracts from outside the program: those that a person names on the command line, in place of the program's own. Which they are
 * is a variable of the environment, since worker threads and child processes of a run have that from it and must read the same.
 */
export interface Outside {
  /** Absolute: the folder that kernels' folders, `shared/` and `records/` lie in. */
  readonly root: string;
  /** Contract files, relative to the root; each lies in a folder of its own below it. */
  readonly contracts: readonly string[];
  /** The paths as they were given. */
  readonly named: readonly string[];
}

/** The name that contracts from outside import. */
export const MODULE = 'tf-kernel-contract';

const VARIABLE = 'TF_OUTSIDE';

/** What this process works with; undefined for the program's own kernels. */
export function outside(): Outside | undefined {
  const value = process.env[VARIABLE];
  return value ? (JSON.parse(value) as Outside) : undefined;
}

/** From here on, this process and those it starts work with these. Called before anything of them is loaded. */
export function nameOutside(named: Outside): void {
  process.env[VARIABLE] = JSON.stringify(named);
}
