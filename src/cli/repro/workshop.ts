/** What a command that runs kernels in its own process works with: a shop for each device, opened when it is asked for. */
import { imagesFor } from '../../device/image-source.ts';
import { openDevice } from '../../device/open.ts';
import type { DeviceId, RunDevice } from '../../device/run-device.ts';
import { deviceLabel } from '../../device/run-device.ts';
import type { Shop } from '../../repro/suspect.ts';
import type { Listing } from '../../spec/listing.ts';
import { readListing } from '../../spec/listing.ts';
import { loadKernels } from '../../spec/load.ts';
import type { Kernel } from '../../spec/registration.ts';
import { devicesFor } from '../devices.ts';
import type { Options } from '../arguments/flags.ts';
import { imageSourceOf } from '../image-sources.ts';

type Flags = Pick<Options, 'device' | 'dialect' | 'images'>;

export class Workshops {
  private readonly open = new Map<DeviceId, Shop>();

  private constructor(
    readonly kernels: ReadonlyMap<string, Kernel>,
    /** What kernels run on: the host device for dialects without a GPU, or what was asked for. */
    readonly devices: readonly RunDevice[],
    readonly listing: Listing,
    private readonly images: string | undefined,
  ) {}

  /** Reads the kernels and finds the devices; throws a NothingRunError where one that is asked for is not there. */
  static async find(flags: Flags): Promise<Workshops> {
    const listing = await readListing();
    const kernels = new Map(loadKernels(listing).map((kernel) => [kernel.name, kernel]));
    return new Workshops(kernels, await devicesFor(flags), listing, flags.images);
  }

  /** The shop on a device of the run. */
  async on(device: RunDevice): Promise<Shop> {
    const known = this.open.get(device.id);
    if (known) return known;
    const images = await imagesFor(device, imageSourceOf(device, this.images), this.listing.sources);
    const opened = await openDevice(device.id);
    const shop = {
      device: opened,
      on: device,
      sources: { texts: this.listing.sources, images },
      kernels: this.kernels,
    };
    this.open.set(device.id, shop);
    return shop;
  }

  /** How output names a device. */
  label(id: string): string {
    const device = this.devices.find((one) => one.id === id);
    return device ? deviceLabel(device) : id;
  }

  close(): void {
    for (const { device } of this.open.values()) device.close();
  }
}
