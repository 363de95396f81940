/** Calls a library that prints on its own: what it writes to standard output, which is a report's, goes nowhere. */
import { dlopen, FFIType } from 'bun:ffi';
import { closeSync, openSync } from 'node:fs';

const { i32, ptr: pointer } = FFIType;
const STDOUT = 1;

const FUNCTIONS = {
  dup: { args: [i32], returns: i32 },
  dup2: { args: [i32, i32], returns: i32 },
  fflush: { args: [pointer], returns: i32 },
} as const;

/** Only where the C library is glibc. */
export function quietly<T>(call: () => T): T {
  const { symbols: libc } = dlopen('libc.so.6', FUNCTIONS);
  libc.fflush(null);
  const [kept, nowhere] = [libc.dup(STDOUT), openSync('/dev/null', 'w')];
  libc.dup2(nowhere, STDOUT);
  try {
    return call();
  } finally {
    libc.fflush(null); // into nowhere too
    libc.dup2(kept, STDOUT);
    closeSync(kept);
    closeSync(nowhere);
  }
}
