/** One kernel in each dialect, and a whole run of it: for the shims whose drivers take nothing back by themselves. */
import type { LaunchArgument } from '../../../src/device/device.ts';
import type { Shim } from '../../../src/device/shim.ts';
import { imageOf } from '../host/device.ts';
import { launchOf, type LoadedRig, newRig, reported } from './kit.ts';
import { metallibOf } from './metallib.ts';

export const THREADS = 32;
export const BYTES = 4 * THREADS;

/** `twice` is y = 2 y + n by way of local memory; `outside` writes past every buffer; `add` is y = x + k. */
export const SOURCE = {
  xpu: `
kernel void twice(global uint* y, uint n, local uint* held) {
  held[get_local_id(0)] = y[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  y[get_global_id(0)] = 2 * held[get_local_id(0)] + n;
}
kernel void outside(global uint* y) { y[1 << 28] = 1; }
kernel void add(global const uint* x, global uint* y, uint k) { y[get_local_id(0)] = x[get_local_id(0)] + k; }
`,
  metal: `
#include <metal_stdlib>
using namespace metal;
kernel void twice(device uint* y [[buffer(0)]], constant uint& n [[buffer(1)]], threadgroup uint* held [[threadgroup(0)]],
                  uint i [[thread_index_in_threadgroup]]) {
  held[i] = y[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  y[i] = 2 * held[i] + n;
}
kernel void outside(device uint* y [[buffer(0)]]) { y[1 << 28] = 1; }
kernel void add(device const uint* x [[buffer(0)]], device uint* y [[buffer(1)]], constant uint& k [[buffer(2)]],
                uint i [[thread_index_in_threadgroup]]) { y[i] = x[i] + k; }
`,
} as const;

export type Dialect = keyof typeof SOURCE;
export const imageOfTwice = (dialect: Dialect): Promise<Uint8Array> => imageOf(SOURCE[dialect], dialect);
/** A shim over its emulated driver, and the image of the kernels of SOURCE. */
export async function newTwiceRig(dialect: Dialect): Promise<LoadedRig> {
  const [rig, host] = await Promise.all([newRig(dialect), imageOfTwice(dialect)]);
  return { ...rig, image: dialect === 'metal' ? metallibOf(host) : host };
}

export const argumentsOf = (address: number, n = 7): LaunchArgument[] => [
  { kind: 'buffer', address },
  { kind: 'u32', value: n },
  { kind: 'local', bytes: BYTES },
];

/** What the driver's report holds against the shim. */
export function kept(): string[] {
  const open = reported('open').length - reported('close').length;
  return [...reported('violation'), ...reported('leak'), ...(open ? [`${open} contexts are open`] : [])];
}

/** Opens, loads, launches with n = 7, 8 ..., and gives everything back; what the kernel left of zeros: 7, 22, 53 ... */
export function roundTrip(shim: Shim, image: Uint8Array, launches = 1, limitMs = 1000): Uint32Array {
  const device = shim.open(0);
  try {
    const module = shim.load(device, image);
    const { handle } = shim.kernel(device, module, 'twice');
    const address = shim.alloc(device, BYTES);
    shim.fill(device, address, 0, BYTES);
    for (let i = 0; i < launches; i++) shim.launch(device, launchOf(handle, argumentsOf(address, 7 + i)), {});
    shim.wait(device, limitMs);
    const left = new Uint32Array(new ArrayBuffer(BYTES));
    shim.download(device, address, new Uint8Array(left.buffer));
    shim.free(device, address);
    shim.unload(device, module);
    return left;
  } finally {
    shim.close(device);
  }
}
