/** A device of a run as plain data, which crosses threads and goes into reports. The device itself is opened where jobs run. */
import type { GpuInfo } from './gpu-info.ts';
import type { DeviceKind } from './device.ts';
import type { Dialect } from '../families/formula/functions.ts';
import { DIALECTS } from '../families/formula/functions.ts';

/** `host`, or a GPU by its dialect and its number: `cuda:0`. */
export type DeviceId = 'host' | `${Dialect}:${number}`;

export interface RunDevice {
  readonly id: DeviceId;
  /** The device's own name: `NVIDIA H200`. */
  readonly name: string;
  /** Whose kernels run on it. */
  readonly dialects: readonly Dialect[];
  /** A GPU's, as its driver tells them: `sm_90`, `580.82`. */
  readonly chip?: string;
  readonly driver?: string;
  /** What its driver tells of its limits. */
  readonly limits?: Omit<GpuInfo, 'name' | 'chip' | 'driver'>;
}

/** What kind of device an id names. */
export const kindOf = (id: DeviceId): DeviceKind => (id.split(':')[0] ?? id) as DeviceKind;

/** Which of its kind it is. */
export const indexOf = (id: DeviceId): number => Number(id.split(':')[1] ?? 0);

/** The host device, for some dialects. */
export const hostFor = (dialects: readonly Dialect[]): RunDevice => ({ id: 'host', name: 'host', dialects });
export const HOST: RunDevice = hostFor(DIALECTS);

/** `host`, `cuda:0 NVIDIA H200`. */
export const deviceLabel = ({ id, name }: Pick<RunDevice, 'id' | 'name'>): string =>
  id === 'host' ? id : `${id} ${name}`;
