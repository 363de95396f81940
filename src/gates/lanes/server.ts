/** The side of a lane on which jobs run: it opens the device, then answers one job after another. */
import type { Device } from '../../device/device.ts';
import { DeviceError } from '../../device/device.ts';
import { ImageFolderError } from '../../device/image-folder.ts';
import { ToolchainError } from '../../device/toolchain/toolchain-error.ts';
import { DeviceGone } from '../../device/device-gone.ts';
import { imagesFor } from '../../device/image-source.ts';
import { openDevice } from '../../device/open.ts';
import { matcher } from '../../spec/address.ts';
import { readListing } from '../../spec/listing.ts';
import { loadKernels } from '../../spec/load.ts';
import type { Kernel } from '../../spec/registration.ts';
import { referenceTime } from '../case.ts';
import type { CaseDone } from '../case-done.ts';
import { runJob } from '../job.ts';
import type { Sources } from '../subject.ts';
import type { JobAsk, JobDone, LaneSetup, ServerWord } from './lane.ts';
import { messageOf, traceOf } from '../../spec/message-of.ts';

export class Server {
  private constructor(
    private readonly setup: LaneSetup,
    private readonly device: Device,
    private readonly sources: Sources,
    private readonly kernels: ReadonlyMap<string, Kernel>,
    private readonly tell: (word: ServerWord) => void,
  ) {}

  /** Opens the device; throws a DeviceError where it does not open. `watched` may stand between its calls and the driver. */
  static async open(
    setup: LaneSetup,
    tell: (word: ServerWord) => void,
    watched: (device: Device) => Device = (device) => device,
  ): Promise<Server> {
    const listing = await readListing();
    const kernels = new Map(loadKernels(listing).map((kernel) => [kernel.name, kernel]));
    const device = watched(await openDevice(setup.device.id));
    const images = await imagesFor(setup.device, setup.images, listing.sources);
    return new Server(setup, device, { texts: listing.sources, images }, kernels, tell);
  }

  /** Runs a job and tells what it came to. */
  async serve({ job, endings }: JobAsk): Promise<void> {
    const from = referenceTime.ms;
    const answer = (part: Partial<JobDone>): void =>
      this.tell({ kind: 'done', done: { job, results: [], referenceMs: referenceTime.ms - from, ...part } });
    try {
      answer({ results: await this.resultsOf({ job, endings }) });
    } catch (error) {
      if (error instanceof DeviceGone) this.tell({ kind: 'gone', what: error.message });
      else answer({ error: textOf(error) });
    }
  }

  private async resultsOf({ job, endings }: JobAsk): Promise<JobDone['results']> {
    const { options, device: on } = this.setup;
    const kernel = this.kernels.get(job.kernel);
    if (!kernel) throw new Error(`no kernel ${job.kernel}`);
    const dialects = options.dialects.filter((dialect) => on.dialects.includes(dialect));
    const tell = (place: Extract<ServerWord, { kind: 'at' }>['place']): void => this.tell({ kind: 'at', place });
    const onCase = (done: CaseDone): void => this.tell({ kind: 'case', done });
    const own = {
      ...(options.tellsCases && { onCase }),
      dialects,
      endings,
      ...(on.chip !== undefined && { chip: on.chip }),
      selects: matcher(options.only),
      tell,
    };
    return runJob(this.device, this.sources, this.kernels, kernel, job.gate, { ...options, ...own });
  }

  close(): void {
    this.device.close();
  }
}

/** An error in words; where in this program it arose, unless it is the device's. */
export const textOf = (error: unknown): string => (isTold(error) ? messageOf(error) : traceOf(error));

const isTold = (error: unknown): boolean =>
  error instanceof DeviceError || error instanceof ImageFolderError || error instanceof ToolchainError;
