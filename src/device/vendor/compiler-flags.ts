/** How each dialect's compiler is named on the command line. Loaded without the compilers, for the help. */

/** The flag that names a dialect's compiler, without its dashes. */
export const COMPILER_FLAGS = { cuda: 'nvcc', hip: 'hipcc', metal: 'metal', xpu: 'ocloc' } as const;
