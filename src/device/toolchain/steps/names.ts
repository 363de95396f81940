/** The names of what is not the kernel's own: the new function's parameters, and values that take the place of others. */

/** Parameters of the step, in order, with their types. */
export const PARAMETERS = [
  'ptr noalias %threads',
  'ptr noalias %frames',
  'ptr %v1',
  'ptr noalias %running',
  'ptr noalias %values',
  'ptr noalias %deposit',
  'ptr %meeting',
  'i64 %came',
  'i32 %buffer',
  'i32 %at',
  'i32 %count',
  'i32 %first',
  'i32 %lane.first',
  'i32 %capacity',
];

/** What the whole function took. */
export const THREAD_VALUE = '%v0';
export const ARGUMENTS_VALUE = '%v1';

/** The same for all threads of a call. */
export const GROUP_VALUE = '%v900000';
export const WARP_VALUE = '%v900001';
export const SCHEDULE_VALUE = '%v900002';
/** The thread's lane. */
export const LANE_VALUE = '%v900003';
/** Values of vectors have numbers from here. */
export const FIRST_PACKED = 920000;
/** Values of tokens have numbers from here, up to those of vectors. */
export const FIRST_TOKEN = 910000;
/** Whether a value is of a token: what lanes brought to a meeting lies where it points. */
export function isToken(value: string): boolean {
  const number = Number(value.slice(2));
  return number >= FIRST_TOKEN && number < FIRST_PACKED;
}

export const UNIFORM_ROOTS: ReadonlySet<string> = new Set([ARGUMENTS_VALUE, GROUP_VALUE, WARP_VALUE, SCHEDULE_VALUE]);
export const LANE_ROOTS: ReadonlySet<string> = new Set([THREAD_VALUE, LANE_VALUE]);
