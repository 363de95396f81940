/**
 * Files that this user alone may have written, for what can be loaded from a file alone. A file has the hash of its content as its
 * name, appears whole, and is held against the content before it is used: one that was changed is replaced. A folder that is a link or
 * another user's is not used.
 */
import type { Stats } from 'node:fs';
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const NAME = 'tf-kernel-contract';
const OTHERS = 0o077;

type Environment = Readonly<Record<string, string | undefined>>;

/** Where such files may lie, in the order in which to try: a folder may be read-only, or let nothing run from it. */
export function privateFolders(environment: Environment = process.env): string[] {
  const { TF_CACHE_DIR: own, XDG_CACHE_HOME: cache } = environment;
  return [
    ...(own ? [own] : []),
    join(cache || join(homedir(), process.platform === 'darwin' ? 'Library/Caches' : '.cache'), NAME),
    join(tmpdir(), `${NAME}-${process.getuid?.() ?? 0}`),
  ];
}

/** The path of a file of these bytes in a folder, written or found; throws an Error that says why it cannot be there. */
export function privateFile(folder: string, bytes: Uint8Array): string {
  takeFolder(folder);
  const path = join(folder, new Bun.CryptoHasher('sha256').update(bytes).digest('hex').slice(0, 32));
  if (!isThere(path, bytes)) write(path, bytes);
  return path;
}

/** Makes a folder this user's own; throws an Error that says why it cannot be. */
export function takeFolder(folder: string): void {
  mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error;
  }
  const found = lstatSync(folder);
  if (!found.isDirectory()) throw new Error(`${folder} is no folder`);
  if (!isOwn(found)) throw new Error(`${folder} is another user's`);
  if ((found.mode & OTHERS) !== 0) chmodSync(folder, 0o700);
}

const isOwn = ({ uid }: Stats): boolean => uid === (process.getuid?.() ?? uid);

/** Whether the file is there with this content, and nobody else may have written it. */
function isThere(path: string, bytes: Uint8Array): boolean {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return false; // absent, a link, or not to be read
  }
  try {
    const found = fstatSync(file);
    const isSound = found.isFile() && isOwn(found) && (found.mode & OTHERS) === 0 && found.size === bytes.length;
    return isSound && Buffer.compare(readFileSync(file), bytes) === 0;
  } finally {
    closeSync(file);
  }
}

function write(path: string, bytes: Uint8Array): void {
  const temporary = `${path}.${process.pid}.${crypto.randomUUID()}`;
  try {
    const file = openSync(temporary, 'wx', 0o500);
    try {
      for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
}
