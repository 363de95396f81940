/**
 * Which thread makes an output's element: a check image is told that the element may not be written, and stops who does. Of a
 * device without check images nothing is known.
 */
import { DeviceError } from '../device/device.ts';
import type { Inputs } from '../families/inputs.ts';
import { bytesOf } from '../numerics/dtype.ts';
import { SubjectError, prepareSubject } from '../gates/subject.ts';
import type { Suspect } from './suspect.ts';

export type Triple = readonly [number, number, number];

export interface Writer {
  readonly group: Triple;
  readonly thread: Triple;
  /** `relu2_rows.cu:12`, where the image says it. */
  readonly line?: string;
}

/** The first thread that writes an element, in index order, or that none does; undefined where the device does not tell. */
export async function writerOf(
  suspect: Suspect,
  inputs: Inputs,
  at: { readonly output: string; readonly index: number },
): Promise<Writer | 'none' | undefined> {
  const { shop, target } = suspect;
  const tensor = target.kernel.contract.outputs[at.output];
  if (shop.device.kind !== 'host' || !tensor) return undefined;
  const bytes = bytesOf(tensor.dtype);
  const sealed = { output: at.output, from: Math.floor(at.index * bytes), bytes: Math.max(bytes, 1) };
  try {
    const { kernel, dialect, control } = target;
    const way = { ...suspect.way, mode: 'check' } as const;
    const subject = await prepareSubject(shop.device, shop.sources, kernel, dialect, [way], control);
    try {
      const route = subject.inWay(way, suspect.settings.seed).route(inputs.shape);
      suspect.stageOf(inputs).run(route, { check: {}, sealed });
      return 'none';
    } finally {
      subject.release();
    }
  } catch (error) {
    if (error instanceof SubjectError) return undefined; // no check image of it
    if (error instanceof DeviceError) return readWriter(error.message);
    throw error;
  }
}

/** Reads `write to an input: group (0,0,0) thread (3,0,0) writes 2 bytes at …, at relu2_rows.cu:12`. */
export function readWriter(message: string): Writer | undefined {
  const found = /group \((\d+),\s*(\d+),\s*(\d+)\) thread \((\d+),\s*(\d+),\s*(\d+)\) writes/.exec(message);
  if (!found) return undefined;
  const [gx = 0, gy = 0, gz = 0, x = 0, y = 0, z = 0] = found.slice(1).map(Number);
  const line = /, at (\S+:\d+)/.exec(message)?.[1];
  return { group: [gx, gy, gz], thread: [x, y, z], ...(line !== undefined && { line }) };
}
