/** The words that the dialects have for the same thing. */
import type { Dialect } from '../families/formula/functions.ts';

type ByDialect<T> = Readonly<Record<Dialect, T>>;

export const BARRIER: ByDialect<string> = {
  cuda: '__syncthreads',
  hip: '__syncthreads',
  metal: 'threadgroup_barrier',
  xpu: 'barrier',
};

/** What declares a variable of local memory. */
export const LOCAL: ByDialect<readonly string[]> = {
  cuda: ['__shared__'],
  hip: ['__shared__'],
  metal: ['threadgroup'],
  xpu: ['local', '__local'],
};

/** Reads of another lane's value. */
export const SHUFFLES: ByDialect<readonly string[]> = {
  cuda: ['__shfl_xor_sync', '__shfl_down_sync'],
  hip: ['__shfl_xor', '__shfl_down'],
  metal: ['simd_shuffle_xor', 'simd_shuffle_down'],
  xpu: ['sub_group_shuffle_xor', 'sub_group_shuffle_down'],
};

/** Sums over a warp in one call, and the call that gives every lane the value of one. */
export const WARP_SUM: ByDialect<{ readonly sum: string; readonly of: string } | undefined> = {
  cuda: undefined,
  hip: undefined,
  metal: { sum: 'simd_sum', of: 'simd_broadcast' },
  xpu: { sum: 'sub_group_reduce_add', of: 'sub_group_broadcast' },
};

/** The call whose value is the fp32 value of a bf16 tensor, from fp32, as nested calls, outermost first. */
export const ROUNDING_POINT: ByDialect<readonly string[]> = {
  cuda: ['round_bf16'],
  hip: ['round_bf16'],
  metal: ['float', 'bfloat'],
  xpu: ['from_bf16', 'to_bf16'],
};

/** Conversions from fp32 to bf16. */
export const TO_BF16: ByDialect<readonly string[]> = {
  cuda: ['__float2bfloat16_rn', '__float2bfloat16', '__floats2bfloat162_rn'],
  hip: ['__float2bfloat16', '__float2bfloat16_rn', '__floats2bfloat162_rn'],
  metal: ['bfloat'],
  xpu: ['to_bf16'],
};

/** The larger of two values by the dialect's own function, which drops a NaN. */
export const FMAX: ByDialect<string> = { cuda: 'fmaxf', hip: 'fmaxf', metal: 'fmax', xpu: 'fmax' };

/** A pointer through which an input can be written. */
export const WRITABLE: ByDialect<(name: string) => string> = {
  cuda: (name) => `((unsigned short*)${name})`,
  hip: (name) => `((unsigned short*)${name})`,
  metal: (name) => `((device ushort*)${name})`,
  xpu: (name) => `((global ushort*)${name})`,
};

/** The group's place in the grid, by axis, and a thread's place in its group. Metal has them as parameters. */
export const PLACES: ByDialect<{ readonly x: string; readonly y: string; readonly thread: string } | undefined> = {
  cuda: { x: 'blockIdx.x', y: 'blockIdx.y', thread: 'threadIdx.x' },
  hip: { x: 'blockIdx.x', y: 'blockIdx.y', thread: 'threadIdx.x' },
  metal: undefined,
  xpu: { x: 'get_group_id(0)', y: 'get_group_id(1)', thread: 'get_local_id(0)' },
};

// What the project's own headers call the steps of a reduction and the stores of vectors.

/** The larger of two values, a NaN of either kept. */
export const KEEPS_NAN = 'larger';
/** Keeps a warp's value in local memory, for the group. */
export const KEEPS_PARTIAL = 'put_partial';
/** Stores several values at a pointer, or at a pointer and a place. */
export const STORES = /^store_/;
/** Names of functions that give the largest of their arguments. */
export const MAXIMUM = /^(larg|f?max)/;
