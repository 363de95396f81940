/** What a run's kernels run on: every GPU that is found runs its own dialect, and the host device those that have none. */
import { DIALECTS } from '../families/formula/functions.ts';
import type { Dialect } from '../families/formula/functions.ts';
import type { Found } from '../device/find.ts';
import type { RunDevice } from '../device/run-device.ts';
import { deviceLabel, hostFor } from '../device/run-device.ts';
import { NothingRunError } from './errors.ts';
import type { Options } from './arguments/flags.ts';

/** A GPU's name by the dialect that is its own. */
const GPUS: Readonly<Record<Dialect, string>> = { cuda: 'NVIDIA', hip: 'AMD', metal: 'Apple', xpu: 'Intel' };

/** The devices of a run. Throws a NothingRunError where one is asked for and is not there: nothing may be green by absence. */
export async function devicesFor({
  device,
  dialect: dialects,
}: Pick<Options, 'device' | 'dialect'>): Promise<RunDevice[]> {
  if (device === 'host') return [hostFor(dialects)];
  const { findDevices } = await import('./find-devices.ts');
  if (device !== undefined) return asked(device, await findDevices([kindOfAsked(device)]));
  const found = await findDevices(dialects);
  const gpus = found.flatMap((one) => one.devices);
  const left = dialects.filter((dialect) => !gpus.some((gpu) => gpu.dialects.includes(dialect)));
  return left.length > 0 ? [...gpus, hostFor(left)] : gpus;
}

/** What `--device` asks for: `cuda` is each of them, `cuda:1` one. */
const kindOfAsked = (device: string): Dialect => (device.split(':')[0] ?? device) as Dialect;

function asked(device: string, found: readonly Found[]): RunDevice[] {
  const devices = found.flatMap((one) => one.devices);
  const wanted = devices.filter(({ id }) => id === device || kindOfAsked(id) === device);
  if (wanted.length > 0) return wanted;
  const kind = kindOfAsked(device);
  const there = devices.map(deviceLabel).join(', ');
  const why = found.flatMap((one) => one.why ?? []).join('; ');
  throw new NothingRunError(
    [
      `No ${device} device: ${there === '' ? why : `there is ${there}`}`,
      '  Nothing was run, since no result of the host device stands in for a GPU.',
      `  Run the ${kind} sources on the host device: tf-kernel-contract --device host --dialect ${kind}`,
    ].join('\n'),
  );
}

/** `--devices`: a line for each GPU, and for each dialect without one what runs it and why. Opens them all to be sure. */
export async function deviceLines(): Promise<string[]> {
  const { findDevices } = await import('./find-devices.ts');
  const [{ openHost }, { runtimeImage }] = [await import('../device/host.ts'), await import('../device/store.ts')];
  const host = openHost({ bytes: await runtimeImage() });
  const { name } = host;
  host.close();
  const found = await findDevices(DIALECTS);
  return found.flatMap(({ dialect, devices, why }) =>
    devices.length > 0
      ? devices.map((device) => `${dialect.padEnd(5)}  ${gpuText(device)}`)
      : [`${dialect.padEnd(5)}  host  ${name}; no ${GPUS[dialect]} GPU: ${oneLine(why ?? 'none was found')}`],
  );
}

/** `cuda:0 NVIDIA H200  sm_90  driver 580.82`. */
export const gpuText = (device: RunDevice): string =>
  [deviceLabel(device), device.chip, device.driver && `driver ${device.driver}`].filter(Boolean).join('  ');

const oneLine = (text: string): string => text.replaceAll(/\s*\n\s*/g, '; ');
