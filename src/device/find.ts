/** Looks for GPUs: opens each once, reads what its driver tells, and closes it. Done in a process of its own, which a driver may end. */
import type { Dialect } from '../families/formula/functions.ts';
import { DeviceError } from './device.ts';
import { openGpu } from './gpu.ts';
import type { RunDevice } from './run-device.ts';
import { shimImage } from './store.ts';
import { messageOf } from '../spec/message-of.ts';

/** What was found of a dialect: its GPUs, or why there is none. */
export interface Found {
  readonly dialect: Dialect;
  readonly devices: readonly RunDevice[];
  readonly why?: string;
}

const MOST = 16;

export async function findGpus(dialect: Dialect): Promise<Found> {
  const devices: RunDevice[] = [];
  try {
    const shim = { bytes: await shimImage(dialect) };
    for (let index = 0; index < MOST; index++) {
      const device = openGpu(dialect, shim, index);
      const { name, chip, driver, ...limits } = device.info;
      devices.push({ id: `${dialect}:${index}`, name, dialects: [dialect], chip, driver, limits });
      device.close();
    }
  } catch (error) {
    if (error instanceof DeviceError && error.failure === 'absent' && devices.length > 0) return { dialect, devices };
    return { dialect, devices, why: whyOf(error) };
  }
  return { dialect, devices };
}

function whyOf(error: unknown): string {
  if (error instanceof DeviceError)
    return error.failure === 'absent' ? error.message : `${error.failure}: ${error.message}`;
  return messageOf(error);
}
