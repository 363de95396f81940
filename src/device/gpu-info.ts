/** What a GPU's driver tells of the device and of a loaded kernel, read from a shim's JSON: a driver's text is checked, not trusted. */
import * as v from 'valibot';
import { DeviceError } from './device.ts';

const text = v.pipe(v.string(), v.maxLength(200));
const whole = v.pipe(v.number(), v.integer(), v.minValue(0));
const extent = v.pipe(v.array(whole), v.length(3));

/** tf_info of a GPU. Sizes in bytes; what a driver does not tell is absent. */
const infoSchema = v.object({
  name: text,
  driver: text,
  chip: text,
  max_threads: v.optional(whole),
  max_group: v.optional(extent),
  max_grid: v.optional(extent),
  warp: v.optional(whole),
  registers: v.optional(whole),
  local_bytes: v.optional(whole),
  local_bytes_optin: v.optional(whole),
  multiprocessors: v.optional(whole),
  memory_bytes: v.optional(whole),
});
export type GpuInfo = v.InferOutput<typeof infoSchema>;

/** tf_kernel of a GPU. Registers and spill bytes are a thread's. */
const kernelSchema = v.object({
  max_threads: v.optional(whole),
  static_local_bytes: v.optional(whole),
  arguments: v.optional(whole),
  registers: v.optional(whole),
  spill_bytes: v.optional(whole),
  warp: v.optional(whole),
  required_warp: v.optional(whole),
  max_dynamic_local_bytes: v.optional(whole),
});
export type LoadedAttributes = v.InferOutput<typeof kernelSchema>;

export const readInfo = (info: unknown): GpuInfo => told(infoSchema, info, 'device');
export const readAttributes = (attributes: unknown): LoadedAttributes => told(kernelSchema, attributes, 'kernel');

function told<T>(schema: v.GenericSchema<unknown, T>, value: unknown, what: string): T {
  const read = v.safeParse(schema, value);
  if (read.success) return read.output;
  const [issue] = read.issues;
  throw new DeviceError('lost', `what the driver tells of its ${what} is unreadable: ${issue.message}`);
}
