/** One device's launches of many sizes: what one leaves in the shadow of buffers means nothing to the next. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { DeviceModule } from '../../../src/device/device.ts';
import type { HostDevice } from '../../../src/device/host.ts';
import { compileHost } from '../../../src/device/toolchain/host.ts';
import { buffer, launchOf, newDevice, run, u32, upload } from '../host/device.ts';
import { COMPILE_MS } from './kit.ts';

const THREADS = 256;
const SOURCE = `
extern "C" __global__ void neighbours(float* y, float* z, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = y[i] + y[(i + 1) % n] + y[(i + ${THREADS}) % n];
}
`;

let device: HostDevice;
let module: DeviceModule;

beforeAll(async () => {
  const source = {
    kind: 'check',
    dialect: 'cuda',
    source: SOURCE,
    path: 'shadow.cu',
    defines: {},
    includeDirs: [],
  } as const;
  const compiled = await compileHost(source);
  if ('error' in compiled) throw new Error(compiled.error);
  device = await newDevice();
  module = device.load(compiled.image);
}, COMPILE_MS);
afterAll(() => device.close());

function launch(n: number): void {
  const [y, z] = [upload(device, new Float32Array(n)), upload(device, new Float32Array(n))];
  const extents = [
    { address: y, bytes: 4 * n, access: 'updated', name: 'y' },
    { address: z, bytes: 4 * n, access: 'written', name: 'z' },
  ] as const;
  const shape = { grid: [Math.ceil(n / THREADS), 1, 1], group: [THREADS, 1, 1], check: { extents } } as const;
  run(device, launchOf(device.kernel(module, 'neighbours'), [buffer(y), buffer(z), u32(n)], shape));
}

test('right launches of any sizes, one after another, are right', () => {
  for (let i = 0; i < 40; i++) expect(() => launch(1 + ((i * 2654435761) % 9973))).not.toThrow();
});
