/**
 * A vendor's compiler library, opened at run time by the C library's own dlopen: bun:ffi's would look for a bare name in the folder
 * that the program runs in, too.
 */
import { type CString, dlopen, type FFIFunction, FFIType, linkSymbols, type Pointer } from 'bun:ffi';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { CompilerKind } from './kinds.ts';

const { i32, ptr: pointer, cstring } = FFIType;
const NOW = 2;

/** The functions of a compiler, less its prefix; results are 0 or an error's number. */
const FUNCTIONS = {
  Version: { args: [pointer, pointer], returns: i32 },
  CreateProgram: { args: [pointer, pointer, pointer, i32, pointer, pointer], returns: i32 },
  CompileProgram: { args: [pointer, i32, pointer], returns: i32 },
  GetProgramLogSize: { args: [pointer, pointer], returns: i32 },
  GetProgramLog: { args: [pointer, pointer], returns: i32 },
  DestroyProgram: { args: [pointer], returns: i32 },
  GetErrorString: { args: [i32], returns: cstring },
} as const satisfies Record<string, FFIFunction>;

const IMAGE_FUNCTION = { args: [pointer, pointer], returns: i32 } as const;

type Call = (...args: (Pointer | Uint8Array | BigUint64Array | Int32Array | number | null)[]) => number;

/** The functions, opened. The image's two have one name whoever's they are. */
export interface Functions extends Readonly<
  Record<Exclude<keyof typeof FUNCTIONS, 'GetErrorString'> | 'GetImageSize' | 'GetImage', Call>
> {
  readonly GetErrorString: (code: number) => CString;
}

export interface Library {
  readonly path: string;
  readonly functions: Functions;
}

/** Opens the library of a kind; the text says why there is none. */
export function openLibrary(kind: CompilerKind): Library | { readonly why: string } {
  const libc = openLibc();
  if (!libc) return { why: `${kind.name} runs on Linux with glibc alone` };
  const named = process.env[kind.variable];
  const tried: string[] = [];
  for (const path of named ? [named] : kind.libraries) {
    for (const companion of companionsOf(kind, path)) libc.dlopen(text(companion), NOW); // is then found by its name
    const handle = libc.dlopen(text(path), NOW);
    if (handle) return functionsOf(kind, path, (name) => libc.dlsym(handle, text(name)));
    tried.push(String(libc.dlerror()));
  }
  return { why: `${tried[0]}. ${kind.install}` };
}

function companionsOf({ companion }: CompilerKind, path: string): string[] {
  if (companion === undefined || !existsSync(path)) return [];
  const folder = dirname(realpathSync(path));
  return readdirSync(folder).flatMap((name) => (name.startsWith(companion) ? [join(folder, name)] : []));
}

function functionsOf(
  kind: CompilerKind,
  path: string,
  find: (name: string) => Pointer | bigint | null,
): Library | { why: string } {
  const wanted = {
    ...FUNCTIONS,
    [`Get${kind.image}Size`]: IMAGE_FUNCTION,
    [`Get${kind.image}`]: IMAGE_FUNCTION,
  };
  const links: Record<string, FFIFunction & { ptr: Pointer }> = {};
  for (const [name, shape] of Object.entries(wanted)) {
    const at = find(kind.prefix + name);
    if (!at) return { why: `${path} has no ${kind.prefix}${name}. ${kind.install}` };
    links[name.replace(kind.image, 'Image')] = { ...shape, ptr: Number(at) as Pointer };
  }
  return { path, functions: linkSymbols(links).symbols as unknown as Functions };
}

function openLibc() {
  try {
    return dlopen('libc.so.6', {
      dlopen: { args: [pointer, i32], returns: pointer },
      dlsym: { args: [pointer, pointer], returns: pointer },
      dlerror: { args: [], returns: cstring },
    }).symbols;
  } catch {
    return undefined;
  }
}

/** Text as C reads it. */
export const text = (value: string): Uint8Array => {
  const bytes = new TextEncoder().encode(`${value}\0`);
  const own = new Uint8Array(new ArrayBuffer(bytes.length)); // one that does not move
  own.set(bytes);
  return own;
};
