/** Where kernels run, what they are made of, and all of them by name. */
import type { Device } from '../device/device.ts';
import type { Kernel } from '../spec/registration.ts';
import type { Sources } from './subject.ts';

export interface Workshop {
  readonly device: Device;
  readonly sources: Sources;
  readonly kernels: ReadonlyMap<string, Kernel>;
}
