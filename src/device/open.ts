/** Opens the device that an id names. What a GPU needs is loaded for one alone. */
import type { Device } from './device.ts';
import { openHost } from './host.ts';
import type { DeviceId } from './run-device.ts';
import { indexOf, kindOf } from './run-device.ts';
import { runtimeImage, shimImage } from './store.ts';

/** Throws a DeviceError where the device does not open, and a ToolchainError where its shim cannot be built. */
export async function openDevice(id: DeviceId): Promise<Device> {
  const kind = kindOf(id);
  if (kind === 'host') return openHost({ bytes: await runtimeImage() });
  const { openGpu } = await import('./gpu.ts');
  return openGpu(kind, { bytes: await shimImage(kind) }, indexOf(id));
}
