/** `--devices`: what each dialect's kernels run on here, and why. */
import { DIALECTS } from '../families/formula/functions.ts';
import type { Dialect } from '../families/formula/functions.ts';
import { NothingRunError } from './errors.ts';
import type { Options } from './flags.ts';

/** A GPU's name by the dialect that is its own. */
const GPUS: Readonly<Record<Dialect, string>> = { cuda: 'NVIDIA', hip: 'AMD', metal: 'Apple', xpu: 'Intel' };

/** One line a dialect: the device, and the reason that it is that one. Opens the host device to be sure of it. */
export async function deviceLines(): Promise<string[]> {
  const [{ openHost }, { runtimeImage }] = [await import('../device/host.ts'), await import('../device/store.ts')];
  const device = openHost({ bytes: await runtimeImage() });
  const { name } = device;
  device.close();
  return DIALECTS.map(
    (dialect) => `${dialect.padEnd(5)}  host  ${name}: no shim for ${GPUS[dialect]} GPUs is built in`,
  );
}

/** Refuses a device that was asked for and is not there: nothing may be green by absence. */
export function requireDevice(device: Options['device']): void {
  if (device === 'host') return;
  throw new NothingRunError(
    [
      `No ${device} device: no shim for ${GPUS[device]} GPUs is built into this program.`,
      '  Nothing was run, since no result of the host device stands in for a GPU.',
      `  Leave --device out to run the ${device} sources on the host device: tf-kernel-contract --dialect ${device}`,
    ].join('\n'),
  );
}
