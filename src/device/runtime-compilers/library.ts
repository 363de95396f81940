/**
 * A vendor's compiler library, opened at run time by the C library's own dlopen: bun:ffi's would look for a bare name in the folder
 * that the program runs in, too.
 */
import { type CString, dlopen, type FFIFunction, FFIType, linkSymbols, type Pointer } from 'bun:ffi';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { CompilerKind } from './kinds.ts';
import { text } from './strings.ts';

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
  const shapes = {
    ...FUNCTIONS,
    [`Get${kind.image}Size`]: IMAGE_FUNCTION,
    [`Get${kind.image}`]: IMAGE_FUNCTION,
  };
  const wanted = Object.entries(shapes).map(([name, shape]) => [kind.prefix + name, shape] as const);
  const opened = openSymbols(kind, Object.fromEntries(wanted));
  if ('why' in opened) return opened;
  const own = (name: string): string => name.slice(kind.prefix.length).replace(kind.image, 'Image');
  const functions = Object.fromEntries(Object.entries(opened.symbols).map(([name, call]) => [own(name), call]));
  return { path: opened.path, functions: functions as unknown as Functions };
}

/** Where a library is looked for, and what to do where it is not found. */
export interface LibraryPlaces {
  readonly name: string;
  /** Names the library's path. */
  readonly variable: string;
  readonly libraries: readonly string[];
  /** Begins the name of a library beside it that it opens by that name alone, wherever it was found itself. */
  readonly companion?: string;
  readonly install: string;
}

/** Opens the first library that there is, with all of the functions; the text says why there is none. */
export function openSymbols<const F extends Record<string, FFIFunction>>(
  places: LibraryPlaces,
  wanted: F,
):
  { readonly path: string; readonly symbols: ReturnType<typeof linkSymbols<F>>['symbols'] } | { readonly why: string } {
  const libc = openLibc();
  if (!libc) return { why: `${places.name} runs on Linux with glibc alone` };
  const named = process.env[places.variable];
  const tried: string[] = [];
  for (const path of named ? [named] : places.libraries) {
    for (const companion of companionsOf(places, path)) libc.dlopen(text(companion), NOW); // is then found by its name
    const handle = libc.dlopen(text(path), NOW);
    if (!handle) {
      tried.push(String(libc.dlerror()));
      continue;
    }
    const at = Object.keys(wanted).map((name) => [name, libc.dlsym(handle, text(name))] as const);
    const missing = at.find(([, pointer]) => !pointer);
    if (missing) return { why: `${path} has no ${missing[0]}. ${places.install}` };
    const links = at.map(([name, pointer]) => [name, { ...wanted[name], ptr: Number(pointer) as Pointer }]);
    return { path, symbols: linkSymbols(Object.fromEntries(links) as F).symbols };
  }
  return { why: `${tried[0]}. ${places.install}` };
}

function companionsOf({ companion }: LibraryPlaces, path: string): string[] {
  if (companion === undefined || !existsSync(path)) return [];
  const folder = dirname(realpathSync(path));
  return readdirSync(folder).flatMap((name) => (name.startsWith(companion) ? [join(folder, name)] : []));
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
