/** What the pass knows of ffi/host/image.h: names of what it replaces, and offsets, which the header holds against its own. */

/** A function that runs one thread of a kernel from start to end has this in its name. */
export const WHOLE = 'tf_whole';

/** i64 tf_suspend(kind, operation, mask, value, site): the thread waits; the token says what it met. */
export const SUSPEND = 'tf_suspend';
/** Functions of a token: the values that lanes brought, the lanes that came, the meeting, which of its buffers. */
export const MET = { tf_met_values: 'ptr', tf_met_came: 'i64', tf_met_meeting: 'ptr', tf_met_buffer: 'i32' } as const;
/** The thread that runs; the address of a variable in local memory. */
export const CURRENT = 'tf_current';
export const LOCAL = 'tf_local_of';
export const LOCAL_NOW = 'tf_local_now';

/** A function of a float that has a form for four, of the name with `_x4`. */
export const EACH =
  /^%\S+ = (?:tail |notail )?call (?:[a-z]+ )*?float @(tf_each_\w+)\(float (?:noundef )?(%v\d+|[^%)]*)\)/;

/** TF_PLACE_MASKED: the mask is the thread's own, and goes into it. */
export const KIND_MASKED = '2';
/** Kinds below this one bring a value. */
export const KINDS_WITH_VALUE = ['1', '2', '3'];

export const THREAD_BYTES = 128;
export const PLACE_BYTES = 16;

export const THREAD = { group: 40, warp: 48, schedule: 56, lane: 80, mask: 96, at: 104 } as const;

/** Where a thread's index in its group lies. */
export const INDEX = { x: 64, y: 68, z: 72, linear: 76 } as const;

/** TF_TOGETHER: lanes that may run at once, as the elements of vectors. */
export const TOGETHER = 8;
/** TF_STEP_TOGETHER: added to the address of the thread that runs where those after it run with it. */
export const SEVERAL_RUN = 1;

/** Fields that stay as they are while a group runs, [from, to). */
export const FIXED = {
  thread: [[64, 96]],
  group: [[0, 88]],
  warp: [
    [0, 12],
    [24, 32],
  ],
  schedule: [],
} as const;
