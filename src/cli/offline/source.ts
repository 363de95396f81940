/**
 * What a Metal source says of itself on every chip: the threads that it reserves and its threadgroup bytes. No tool of Apple's
 * tells them, so they are read from the kernel as the host device loads it, whose headers keep Metal's sizes and attributes.
 */
import { definesText, extentOf } from '../../audit/launch.ts';
import type { MeasuredRecord } from '../../audit/records.ts';
import type { Device, DeviceKernel, DeviceModule, LaunchArgument } from '../../device/device.ts';
import { openHost } from '../../device/host.ts';
import { openImages, runtimeImage } from '../../device/store.ts';
import type { Compiler } from '../../device/vendor/vendor.ts';
import type { Dialect } from '../../families/formula/functions.ts';
import type { Shape, Tensor } from '../../families/tensor.ts';
import { byteCount } from '../../families/tensor.ts';
import type { Contract } from '../../spec/contract.ts';
import { routeOf } from '../../spec/registration.ts';
import { gateShapes } from '../../spec/shapes.ts';
import { firstWarp, launchShape } from '../../spec/warps.ts';
import type { OfflineJob, OfflineProblem } from './measure.ts';
import type { UnitLaunch } from './units.ts';

/** Takes a compiler's place: the release counts the ways in which sources are read. */
export const SOURCE_READER: Compiler = { name: 'source', path: '', release: '1', version: '1' };
/** The chip of its records. */
export const SOURCE_CHIP = 'source';

export interface SourceFacts {
  readonly records: readonly MeasuredRecord[];
  readonly problems: readonly OfflineProblem[];
}

/** A record for each kernel of a job's unit; an image that does not load is a problem. */
export async function readSource({ unit }: OfflineJob, source: string): Promise<SourceFacts> {
  const { dialect, source: path, text, defines } = unit;
  const result = await openImages().get({ kind: 'fast', dialect, path, text, defines });
  if ('error' in result) {
    const what = 'its source does not compile for the host device, which reads it';
    return { records: [], problems: [{ chips: [SOURCE_CHIP], what, words: result.error }] };
  }
  const device = openHost({ bytes: await runtimeImage() });
  try {
    return { records: recordsOf(device, result.image, unit, source), problems: [] };
  } finally {
    device.close();
  }
}

function recordsOf(device: Device, image: Uint8Array, unit: OfflineJob['unit'], source: string): MeasuredRecord[] {
  const defines = definesText(unit.defines);
  const module = device.load(image);
  return unit.launches.map((launch) => {
    const { kernel, symbol } = launch;
    const { maxThreads, staticLocalBytes } = loadedOnce(device, module, launch, unit.dialect);
    const reserved = maxThreads === 0 ? {} : { reserved: maxThreads };
    const tensorOps = usesTensorOps(unit.text) ? { tensorOps: true } : {};
    const named = { symbol, chip: SOURCE_CHIP };
    const facts = {
      dialect: 'metal',
      ...named,
      ...reserved,
      ...tensorOps,
      staticThreadgroup: staticLocalBytes,
    } as const;
    return { kernel, ...named, ...(defines !== '' && { defines }), source, facts };
  });
}

/** A kernel's attributes after a launch of its least shape on zeros: local variables get their places as they are reached. */
function loadedOnce(
  device: Device,
  module: DeviceModule,
  { contract, symbol }: UnitLaunch,
  dialect: Dialect,
): DeviceKernel {
  const kernel = device.kernel(module, symbol);
  const shape = gateShapes(contract).find((candidate) => routeOf(contract, dialect, candidate)?.symbol === symbol);
  const launch = shape && routeOf(contract, dialect, shape);
  if (!shape || !launch) return kernel;
  const at = launchShape(shape, firstWarp(dialect, launch));
  const tensors: Readonly<Record<string, Tensor>> = { ...contract.inputs, ...contract.outputs };
  const argument = (name: string): LaunchArgument => {
    const tensor = tensors[name];
    if (!tensor) return argumentOf(contract, shape, name);
    const { address, bytes } = device.alloc(byteCount(tensor, shape));
    device.fill(address, 0, bytes);
    return { kind: 'buffer', address };
  };
  device.launch({
    kernel,
    arguments: contract.args.map(argument),
    grid: extentOf(launch.grid(at)),
    group: extentOf([launch.threads].flat()),
    dynamicLocalBytes: launch.localBytes?.(at) ?? 0,
    cluster: launch.cluster ?? 0,
    schedule: 0,
    localPoison: 0,
  });
  device.wait(LIMIT_MS);
  return device.kernel(module, symbol);
}

const LIMIT_MS = 30_000;

function argumentOf({ scalars }: Contract, shape: Shape, name: string): LaunchArgument {
  const scalar = scalars?.[name];
  return scalar === undefined ? { kind: 'u32', value: shape[name] ?? 0 } : { kind: 'f32', value: scalar };
}

/** Whether a source includes Metal's tensor operations, which no toolchain translates for chips before M5. */
const usesTensorOps = (text: string): boolean =>
  /^\s*#\s*include\s*<(metal_tensor|MetalPerformancePrimitives)\b/m.test(text);
