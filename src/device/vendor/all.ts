/** The compilers of every dialect, and how each is named on the command line and in the environment. */
import type { Dialect } from '../../families/formula/functions.ts';
import { HIP } from './hip.ts';
import { METAL } from './metal.ts';
import { NVCC } from './nvcc.ts';
import { OCLOC } from './ocloc.ts';
import type { Compiler, Missing, Vendor } from './vendor.ts';

export const VENDORS: Readonly<Record<Dialect, Vendor>> = { cuda: NVCC, hip: HIP, metal: METAL, xpu: OCLOC };

/** The environment variable that does. */
export const COMPILER_VARIABLES: Readonly<Record<Dialect, string>> = {
  cuda: 'TF_NVCC',
  hip: 'TF_HIPCC',
  metal: 'TF_METAL',
  xpu: 'TF_OCLOC',
};

/** The compiler of a dialect on this machine: the one that is named, else that of the environment, else a usual one. */
export function findCompiler(dialect: Dialect, named: string | undefined): Promise<Compiler | Missing> {
  return VENDORS[dialect].find(named ?? process.env[COMPILER_VARIABLES[dialect]]);
}
