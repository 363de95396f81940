import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostDevice } from '../../../src/device/host.ts';
import { findClang } from '../../../src/device/toolchain/clang.ts';
import { compileFlags, HOST_FOLDER, linkFlags } from '../../../src/device/toolchain/flags.ts';
import { OWN_PROCESSOR } from '../../../src/device/toolchain/target.ts';
import { buffer, download, failureOf, launchOf, lineOf, newDevice, run, u32, upload } from './device.ts';

/** Lowered text by hand: the interface between headers, lowering and runtime, with a dialect's choices made here. */
const SOURCE = `
#include "${HOST_FOLDER}/dialect/simt.h"
static constexpr tf_u32 tf_image_flags = TF_IMAGE_STRICT_EXIT;

static void early_exit(tf_u32* y) {
  TfThread* t = tf_self();
  if (t->linear >= 8) tf_barrier(tf_here()); // the-barrier
  y[t->linear] = 1;
}
template <class T, int N> static void reverse(const T* x, T* y) {
  TF_LOCAL((T), part, ([2][N]), (64), 14);
  TfThread* t = tf_self();
  part[1][t->linear] = x[t->linear];
  tf_barrier(tf_here());
  y[t->linear] = part[1][N - 1 - t->linear] + (T)((tf_address)&part % 64);
}
static void by_reference(TfThread* thread, void** arguments) {
  while (tf_next(thread)) {
    const tf_u32& value = *(const tf_u32*)arguments[0];
    tf_u32* local = *(tf_u32**)arguments[1];
    tf_u32* y = *(tf_u32**)arguments[3];
    local[thread->linear] = value + thread->linear;
    tf_barrier(tf_here());
    y[thread->linear] = local[31 - thread->linear];
  }
}
static void narrow(tf_u32* y) {
  TfThread* t = tf_self();
  TfLanes lanes = tf_meet_active(t, tf_bits(t->linear), TF_OP_ADD, tf_here());
  y[t->linear] = tf_reduce<tf_u32>(lanes, [](tf_u32 a, tf_u32 b) { return a + b; }) + (t->lane << 16);
}
static void scan(tf_u32* y) {
  TfThread* t = tf_self();
  TfLanes lanes = tf_meet_active(t, tf_bits(t->lane + 1), TF_OP_SCAN, tf_here());
  auto add = [](tf_u32 a, tf_u32 b) { return a + b; };
  y[t->linear] = tf_scan<tf_u32>(lanes, t->lane, true, 0, add) + (tf_scan<tf_u32>(lanes, t->lane, false, 0, add) << 16);
}
static constexpr TfParameter references[] = {
  { TF_PARAMETER_REFERENCE, 4 }, { TF_PARAMETER_LOCAL, 0 }, { TF_PARAMETER_NONE, 0 }, { TF_PARAMETER_BUFFER, 8 } };
constexpr TfKernel with_width(TfKernel kernel, tf_u32 width) { kernel.warp_width = width; return kernel; }

TF_KERNELS_BEGIN
TF_KERNEL("early_exit", early_exit, 0)
TF_KERNEL("reverse<float,32>", reverse<float, 32>, 32)
TF_KERNEL("reverse<double,64>", reverse<double, 64>, 64)
{ "by_reference", by_reference, nullptr, references, 4, 0, TF_WARP, {} },
with_width(tf_kernel_of<narrow, 0>("narrow"), 16),
with_width(tf_kernel_of<scan, 0>("scan64"), 64),
TF_KERNELS_END
`;

let device: HostDevice;
let module: ReturnType<HostDevice['load']>;
let y: number;

beforeAll(async () => {
  device = await newDevice();
  module = device.load(await imageOfLowered(SOURCE));
  y = upload(device, new Uint32Array(128));
});
afterAll(() => device.close());

async function imageOfLowered(text: string): Promise<Uint8Array> {
  const clang = await findClang();
  const folder = mkdtempSync(join(tmpdir(), 'tf-test-'));
  const [object, out] = [join(folder, 'image.o'), join(folder, 'image.so')];
  try {
    const stdin = Buffer.from(`# 1 "simt.cpp"\n${text}`);
    const compiled = Bun.spawnSync(
      [clang.path, ...compileFlags({ kind: 'fast', dialect: 'cuda', processor: OWN_PROCESSOR }, clang), '-o', object],
      { stdin },
    );
    if (compiled.exitCode !== 0) throw new Error(compiled.stderr.toString());
    const linked = Bun.spawnSync([clang.linker, ...linkFlags(OWN_PROCESSOR), object, '-o', out]);
    if (linked.exitCode !== 0) throw new Error(linked.stderr.toString());
    return readFileSync(out);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const words = (count: number) => [...download(device, y, new Uint32Array(count))];

test('where a dialect forbids it, a thread that returns before a barrier is a divergence, in any order', () => {
  for (const schedule of [0, 1, 2, 3, 4]) {
    const error = failureOf(device, launchOf(device.kernel(module, 'early_exit'), [buffer(y)], { schedule }));
    expect(error.failure).toBe('divergence');
    expect(error.message).toContain('barrier divergence: 8 of 32 threads returned');
    expect(error.message).toContain(`and 23 more wait at the barrier at simt.cpp:${lineOf(SOURCE, '// the-barrier')}`);
  }
});

test('static local memory in templates: one variable an instance, aligned as asked', () => {
  const x = Float32Array.from({ length: 32 }, (_, i) => i);
  const input = upload(device, x);
  run(device, launchOf(device.kernel(module, 'reverse<float,32>'), [buffer(input), buffer(y)]));
  expect([...download(device, y, new Float32Array(32))]).toEqual([...x].reverse());
  expect(device.kernel(module, 'reverse<float,32>')).toMatchObject({ maxThreads: 32, staticLocalBytes: 256 });
  expect(device.kernel(module, 'reverse<double,64>')).toMatchObject({ maxThreads: 64, staticLocalBytes: 0 });
});

test('references take bytes or the contents of a buffer; local arguments get their bytes', () => {
  const kernel = device.kernel(module, 'by_reference');
  const held = buffer(upload(device, Uint32Array.of(500)));
  const local = { kind: 'local', bytes: 128 } as const;
  const want = (start: number) => Array.from({ length: 32 }, (_, i) => start + 31 - i);
  for (const [first, start] of [
    [u32(100), 100],
    [held, 500],
    [u32(7), 7],
  ] as const) {
    run(device, launchOf(kernel, [first, local, u32(0), buffer(y)]));
    expect(words(32)).toEqual(want(start));
  }
  const short = launchOf(kernel, [u32(1), { kind: 'local', bytes: 112 }, u32(0), buffer(y)]);
  expect(failureOf(device, short).message).toContain('local memory 0 bytes past its end');
});

test('warps of 16 and of 64 lanes', () => {
  for (const schedule of [0, 5]) {
    run(device, launchOf(device.kernel(module, 'narrow'), [buffer(y)], { schedule }));
    expect(words(32)).toEqual(Array.from({ length: 32 }, (_, t) => (t < 16 ? 120 : 376) + ((t % 16) << 16)));
    run(device, launchOf(device.kernel(module, 'scan64'), [buffer(y)], { group: [96, 1, 1], schedule }));
    const triangle = (n: number) => (n * (n + 1)) / 2;
    const want = (t: number) => triangle((t % 64) + 1) + (triangle(t % 64) << 16);
    expect(words(96)).toEqual(Array.from({ length: 96 }, (_, t) => want(t)));
  }
});
