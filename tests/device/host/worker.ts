/** A worker that opens a host device of its own and answers what a right and a wrong kernel did on it. */

import type { DeviceError } from '../../../src/device/device.ts';
import { openHost } from '../../../src/device/host.ts';
import { buffer, download, failureOf, launchOf, run, upload } from './device.ts';

export interface Order {
  readonly runtime: Uint8Array;
  readonly image: Uint8Array;
  readonly rounds: number;
}
export interface Answer {
  readonly right: number;
  readonly failures: Readonly<Record<string, number>>;
}

declare const self: Worker;

self.onmessage = (event: MessageEvent<Order>) => {
  const { runtime, image, rounds } = event.data;
  const device = openHost({ bytes: runtime });
  const module = device.load(image);
  const y = upload(device, new Uint32Array(64));
  const failures: Record<string, number> = {};
  let right = 0;
  for (let i = 0; i < rounds; i++) {
    for (const symbol of ['past_end', 'endless', 'diverges']) {
      const { failure } = failureOf(device, launchOf(device.kernel(module, symbol), [buffer(y)]), 20) as DeviceError;
      failures[failure] = (failures[failure] ?? 0) + 1;
    }
    run(device, launchOf(device.kernel(module, 'right'), [buffer(y)], { group: [64, 1, 1], schedule: i }));
    if (download(device, y, new Uint32Array(64)).every((v, t) => v === 64 - t)) right++;
  }
  device.close();
  self.postMessage({ right, failures } satisfies Answer);
};
