/** The folder of `--offline`: the sources as they are compiled, and where their images go. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, dirname, extname, join, relative, resolve } from 'node:path';
import type { Dialect } from '../../families/formula/functions.ts';
import { definesText } from '../../audit/launch.ts';
import { setName } from '../../audit/records.ts';
import { hashOf, writeWhole } from '../../device/toolchain/cache.ts';
import type { Compile, Compiler } from '../../device/vendor/vendor.ts';
import type { Unit } from './units.ts';

/** Planted edits lie apart: an audit of the folder holds them to no record. */
export const PLANTED_FOLDER = 'controls';

const HEADERS: Readonly<Record<Dialect, string>> = { cuda: 'cuda', hip: 'hip', metal: 'metal', xpu: 'opencl' };

/** The name of a compiler's records: `nvcc-13.0`. */
export const setOf = ({ name, release }: Compiler): string => setName({ compiler: name, release });

export interface Workspace {
  /** Absolute. */
  readonly root: string;
}

/** Makes the folder and puts every source and header into it; what is there already is left as it is. */
export function openWorkspace(folder: string, sources: ReadonlyMap<string, string>): Workspace {
  const root = resolve(folder);
  for (const [path, text] of sources) writeChanged(join(root, 'sources/kernels', path), text);
  return { root };
}

/** The request for a unit on some chips; writes the unit's source where it is a planted edit. */
export function compileOf({ root }: Workspace, unit: Unit, compiler: Compiler, chips: readonly string[]): Compile {
  const { dialect, source, defines, launches } = unit;
  const shared = join(root, 'sources');
  const folder = unit.planted ? plantedFolder(root, unit) : shared;
  if (unit.planted) writeChanged(join(folder, 'kernels', source), unit.text);
  const near = (path: string): string => join(relative(folder, shared), path);
  return {
    folder,
    source: join('kernels', source),
    symbols: [...new Set(launches.map(({ symbol }) => symbol))],
    includeDirs: [near(join('kernels/shared', HEADERS[dialect])), near(join('kernels', dirname(source)))],
    defines,
    chips,
    output: join(unit.planted ? folder : root, 'images', dialect, setOf(compiler), imageName(unit, chips)),
  };
}

function plantedFolder(root: string, { dialect, source, text }: Unit): string {
  return join(root, PLANTED_FOLDER, dialect, `${stem(source)}-${hashOf(text).slice(0, 8)}`);
}

/** `rms_rows` for all chips of a compiler, `rms_rows.gfx1100` for one; defines stand between. */
function imageName({ source, defines }: Unit, chips: readonly string[]): string {
  const [chip] = chips;
  const built = definesText(defines).replaceAll(/[^\w=]+/g, ',');
  return [stem(source), built, chips.length === 1 ? chip : ''].filter((part) => part !== '').join('.');
}

/** A folder's one source by its folder, any other by its path below kernels/. */
function stem(source: string): string {
  const path = source.slice(0, -extname(source).length);
  return basename(path) === basename(dirname(path)) ? dirname(path) : path;
}

/** Keeps the time of a file that holds the text already. */
function writeChanged(path: string, text: string): void {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return;
  mkdirSync(dirname(path), { recursive: true });
  writeWhole(path, text);
}
