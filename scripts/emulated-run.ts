/**
 * The whole contract on an emulated driver, with controls: bun scripts/emulated-run.ts [cuda|hip|metal|xpu] [flags of a run]. It shows the
 * harness's way through a GPU's shim, not a GPU. The driver's own words on its caller close it: a call that no caller may make, or a
 * handle that is left, fails it.
 */
import { KERNELS } from '../src/spec/folder.ts';
import { emulated, imagesOf, isEmulated } from '../tests/lanes/emulated.ts';

const [dialect = 'cuda', ...flags] = process.argv.slice(2);
if (!isEmulated(dialect)) throw new Error(`there is no emulated driver of ${dialect}`);

const only = flags.flatMap((flag, i) => (flags[i - 1] === '--only' ? [flag.split('@')[0] ?? ''] : []));
const isWanted = (kernel: string): boolean => only.length === 0 || only.some((name) => kernel.includes(name));
const images = await imagesOf(KERNELS, dialect, isWanted);
const plan = process.env['TF_EMULATE'];
const run = await emulated({ dialect, images, ...(plan !== undefined && { plan }) }, ...flags);
console.log(run.stdout + run.stderr);
console.log(`exit code ${run.code}; ${run.violations.length} violations, ${run.leaks.length} leaks`);
for (const line of [...run.violations, ...run.leaks].slice(0, 20)) console.log(line);
process.exitCode = run.code === 0 && run.violations.length + run.leaks.length > 0 ? 1 : run.code;
