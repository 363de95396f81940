/**
 * What macOS asks of a program or library for arm64 before it runs a byte of it, read without a Mac: its load commands, and of its code
 * signature the hash of every page. The layouts are those of <mach-o/loader.h> and of <kern/cs_blobs.h>.
 */
import { createHash } from 'node:crypto';

const MAGIC_64 = 0xfeedfacf;
const ARM64 = 0x0100000c;
const TYPES: Readonly<Record<number, string>> = { 2: 'program', 6: 'library' };
const COMMAND = { loadDylib: 0xc, segment: 0x19, signature: 0x1d, buildVersion: 0x32 } as const;
const MACOS = 1;
const SUPER_BLOB = 0xfade0cc0;
const CODE_DIRECTORY = 0xfade0c02;
const AD_HOC = 0x2;
const SHA256 = 2;
/** Where code that is no part of this project may come from: the system. */
const SYSTEM = /^\/(?:usr\/lib|System\/Library)\//;

export interface MachO {
  readonly kind: string;
  readonly dylibs: readonly string[];
  /** `13.0`, the least macOS; '' where none is named. */
  readonly least: string;
  readonly pages: number;
}

/** Reads a file and throws an Error that names the first thing for which macOS would refuse it. */
export function checkMachO(bytes: Uint8Array): MachO {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 32 || view.getUint32(0, true) !== MAGIC_64) throw new Error('no Mach-O file of 64 bits');
  if (view.getUint32(4, true) !== ARM64) throw new Error('not for arm64');
  const kind = TYPES[view.getUint32(12, true)];
  if (kind === undefined) throw new Error('neither a program nor a library');
  const commands = [...commandsOf(view)];
  const dylibs = commands.filter(({ type }) => type === COMMAND.loadDylib).map(({ at }) => textAt(bytes, view, at));
  const foreign = dylibs.filter((path) => !SYSTEM.test(path));
  if (foreign.length > 0) throw new Error(`it loads ${foreign.join(', ')}, which is no part of macOS`);
  const build = commands.find(({ type }) => type === COMMAND.buildVersion);
  if (build && view.getUint32(build.at + 8, true) !== MACOS) throw new Error('for another system than macOS');
  const signature = commands.find(({ type }) => type === COMMAND.signature);
  if (!signature) throw new Error('no code signature');
  const least = build ? versionOf(view.getUint32(build.at + 12, true)) : '';
  return { kind, dylibs, least, pages: checkSignature(bytes, view, signature.at, lastByte(view, commands)) };
}

interface Command {
  readonly type: number;
  readonly at: number;
}

function* commandsOf(view: DataView): Generator<Command> {
  let at = 32;
  const end = at + view.getUint32(20, true);
  for (let i = 0; i < view.getUint32(16, true); i++) {
    if (at + 8 > Math.min(end, view.byteLength)) throw new Error('load commands past their end');
    const size = view.getUint32(at + 4, true);
    if (size < 8 || size % 8 !== 0 || at + size > Math.min(end, view.byteLength))
      throw new Error(`load command ${i} has a size of ${size} bytes`);
    yield { type: view.getUint32(at, true) & 0x7fffffff, at };
    at += size;
  }
}

/** The name that a command holds at the offset in its third word. */
function textAt(bytes: Uint8Array, view: DataView, at: number): string {
  const from = at + view.getUint32(at + 8, true);
  const end = at + view.getUint32(at + 4, true);
  const zero = bytes.subarray(0, end).indexOf(0, from);
  return new TextDecoder().decode(bytes.subarray(from, zero < 0 ? end : zero));
}

const versionOf = (packed: number): string => `${packed >>> 16}.${(packed >>> 8) & 255}`;

/** Where the last segment ends in the file; throws where one is past the file's end. */
function lastByte(view: DataView, commands: readonly Command[]): number {
  const ends = commands
    .filter(({ type }) => type === COMMAND.segment)
    .map(({ at }) => Number(view.getBigUint64(at + 40, true) + view.getBigUint64(at + 48, true)));
  const last = Math.max(0, ...ends);
  if (last > view.byteLength) throw new Error('cut short: a segment is past the end of the file');
  return last;
}

/** Holds every page against its hash; returns how many there are. */
function checkSignature(bytes: Uint8Array, view: DataView, command: number, last: number): number {
  const at = view.getUint32(command + 8, true);
  const size = view.getUint32(command + 12, true);
  if (at + size > last) throw new Error('the code signature is past the last segment');
  const directory = findDirectory(view, at, size);
  const [flags, hashes, slots, limit] = [12, 16, 28, 32].map((offset) => view.getUint32(directory + offset)) as [
    number,
    number,
    number,
    number,
  ];
  if ((flags & AD_HOC) === 0) throw new Error('the code signature is not ad hoc');
  if (view.getUint8(directory + 37) !== SHA256) throw new Error('pages are not hashed by SHA-256');
  if (limit !== at) throw new Error(`the code signature covers ${limit} bytes of the ${at} before it`);
  const page = 1 << view.getUint8(directory + 39);
  if (slots !== Math.ceil(limit / page)) throw new Error(`${slots} hashes for ${Math.ceil(limit / page)} pages`);
  if (directory + hashes + slots * 32 > at + size) throw new Error('hashes are past the code signature');
  const bad = Array.from({ length: slots }, (_, i) => i).filter((i) => {
    const found = createHash('sha256')
      .update(bytes.subarray(i * page, Math.min((i + 1) * page, limit)))
      .digest();
    return Buffer.compare(found, bytes.subarray(directory + hashes + i * 32, directory + hashes + (i + 1) * 32)) !== 0;
  });
  if (bad.length > 0) throw new Error(`${bad.length} of ${slots} pages are not what was signed`);
  return slots;
}

/** The offset of the code directory; blobs of a signature are big-endian. */
function findDirectory(view: DataView, at: number, size: number): number {
  if (size < 12 || view.getUint32(at) !== SUPER_BLOB) throw new Error('no code signature where its command says');
  for (let i = 0; i < view.getUint32(at + 8) && 20 + i * 8 <= size; i++) {
    const blob = view.getUint32(at + 16 + i * 8);
    if (blob + 44 <= size && view.getUint32(at + blob) === CODE_DIRECTORY) return at + blob;
  }
  throw new Error('the code signature has no code directory');
}
