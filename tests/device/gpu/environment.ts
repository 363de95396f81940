/** The environment as C reads it: Bun keeps changes of process.env to itself. */
import { dlopen, FFIType } from 'bun:ffi';

const { symbols } = dlopen('libc.so.6', {
  setenv: { args: [FFIType.ptr, FFIType.ptr, FFIType.i32], returns: FFIType.i32 },
  unsetenv: { args: [FFIType.ptr], returns: FFIType.i32 },
});

const text = (value: string): Buffer => Buffer.from(`${value}\0`);

/** Sets a variable for this process's C code, or takes it away where there is no value. */
export function setVariable(name: string, value: string | undefined): void {
  if (value === undefined) symbols.unsetenv(text(name));
  else symbols.setenv(text(name), text(value), 1);
}
