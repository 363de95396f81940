/** What the tests of check images share: a source's kernels over one input, one output and one counter, four groups of 256. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CheckOptions, DeviceError, type DeviceModule, type Extent } from '../../../src/device/device.ts';
import type { HostDevice, HostLaunch } from '../../../src/device/host.ts';
import { compileHost, type HostDialect } from '../../../src/device/toolchain/host.ts';
import { buffer, download, launchOf, lineOf, newDevice, run, upload } from '../host/device.ts';

/** What a compile may take on a busy machine. */
export const COMPILE_MS = 60_000;

export const GROUPS = 4;
export const THREADS = 256;
const ELEMENTS = GROUPS * THREADS;

const FILES: Readonly<Record<HostDialect, string>> = {
  cuda: 'bad.cu',
  hip: 'bad.cu',
  metal: 'bad.metal',
  xpu: 'bad.cl',
};

export interface Outcome {
  /** The failure's word, or `right`. */
  readonly failure: string;
  readonly text: string;
  readonly y: Float32Array;
  readonly count: number;
}

export interface Asked extends Partial<Pick<HostLaunch, 'schedule' | 'cooperative' | 'cluster'>> {
  readonly check?: CheckOptions;
  readonly limitMs?: number;
}

/** The kernels of a source in check images. */
export class Checked {
  private constructor(
    readonly device: HostDevice,
    private readonly module: DeviceModule,
    private readonly source: string,
    readonly file: string,
  ) {}

  /** `form` is the value of TF_HOST_FORM: `fibers`, or nothing for steps where they can be. */
  static async open(dialect: HostDialect, file: string = FILES[dialect], form = ''): Promise<Checked> {
    return Checked.of(dialect, readFileSync(join(import.meta.dir, 'sources', file), 'utf8'), file, form);
  }

  static async of(dialect: HostDialect, source: string, file: string, form = ''): Promise<Checked> {
    const before = process.env['TF_HOST_FORM'];
    process.env['TF_HOST_FORM'] = form;
    const made = compileHost({ kind: 'check', dialect, source, path: file, defines: {}, includeDirs: [] });
    const compiled = await made.finally(() => {
      if (before === undefined) delete process.env['TF_HOST_FORM'];
      else process.env['TF_HOST_FORM'] = before;
    });
    if ('error' in compiled) throw new Error(compiled.error);
    const device = await newDevice();
    return new Checked(device, device.load(compiled.image), source, file);
  }

  /** Where a mark stands: `bad.cu:17`. */
  at(mark: string): string {
    return `${this.file}:${lineOf(this.source, mark)}`;
  }

  run(symbol: string, { check, limitMs, ...rest }: Asked = {}): Outcome {
    const { device } = this;
    const x = upload(
      device,
      Float32Array.from({ length: ELEMENTS }, (_, i) => i + 1),
    );
    const y = upload(device, new Float32Array(ELEMENTS));
    const count = upload(device, new Uint32Array(1));
    const extents: Extent[] = [
      { address: x, bytes: 4 * ELEMENTS, access: 'read', name: 'x' },
      { address: y, bytes: 4 * ELEMENTS, access: 'written', name: 'y' },
      { address: count, bytes: 4, access: 'updated', name: 'count' },
    ];
    const shape = { grid: [GROUPS, 1, 1], group: [THREADS, 1, 1], check: { ...check, extents }, ...rest } as const;
    const failed = this.failure(() =>
      run(device, launchOf(device.kernel(this.module, symbol), [buffer(x), buffer(y), buffer(count)], shape), limitMs),
    );
    return {
      ...failed,
      y: download(device, y, new Float32Array(ELEMENTS)),
      count: download(device, count, new Uint32Array(1))[0] ?? 0,
    };
  }

  private failure(launch: () => void): Pick<Outcome, 'failure' | 'text'> {
    try {
      launch();
      return { failure: 'right', text: '' };
    } catch (error) {
      if (error instanceof DeviceError) return { failure: error.failure, text: error.message };
      throw error;
    }
  }
}
