/** The `ar` archive: members one after another, each behind a text header. Throws ImageFault. */
import type { Reader } from './bytes.ts';
import { ImageFault, readerOf, slice, startsWith, text } from './bytes.ts';

export interface Member {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export function isArchive(bytes: Uint8Array): boolean {
  return startsWith(bytes, MAGIC);
}

/** The members in order, without the archive's own tables. */
export function* membersOf(bytes: Uint8Array): Generator<Member> {
  const reader = readerOf(bytes);
  if (!isArchive(bytes)) throw new ImageFault('not-an-image', 'no archive magic');
  let longNames = readerOf(new Uint8Array(0));
  for (let at = MAGIC.length; at < bytes.length;) {
    const header = text(reader, at, HEADER_BYTES);
    if (!header.endsWith('`\n')) throw new ImageFault('malformed', `no archive member at offset ${at}`);
    const size = sizeIn(header, at);
    const content = slice(reader, at + HEADER_BYTES, size);
    const name = header.slice(0, 16).trimEnd();
    if (name === '//') longNames = readerOf(content);
    else if (name !== '/' && name !== '/SYM64/') yield { name: nameOf(name, longNames), bytes: content };
    // Members start at even offsets.
    at += HEADER_BYTES + size + (size % 2);
  }
}

// --- details ---

const MAGIC = '!<arch>\n';
const HEADER_BYTES = 60;
const NAME_LENGTH = 1024;

function sizeIn(header: string, at: number): number {
  const digits = header.slice(48, 58).trimEnd();
  if (!/^\d+$/.test(digits)) throw new ImageFault('malformed', `the archive member at offset ${at} has no size`);
  return Number(digits);
}

/** A name ends with a slash; one of over 15 letters stands in a table, at the offset after the slash. */
function nameOf(field: string, longNames: Reader): string {
  if (!/^\/\d+$/.test(field)) return field.replace(/\/$/, '');
  const at = Number(field.slice(1));
  const length = Math.min(NAME_LENGTH, longNames.bytes.length - at);
  return text(longNames, at, length).split('/\n', 1)[0] ?? '';
}
