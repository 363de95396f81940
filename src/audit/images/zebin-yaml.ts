/**
 * The part of YAML that `.ze_info` needs, of untrusted text: a list is cut into its items, an item into its keys, and
 * only what is wanted reaches the parser. Throws ImageFault.
 */
import { ImageFault } from './bytes.ts';

export type YamlMap = Readonly<Record<string, unknown>>;

/** The texts of the items of the block list that starts at `start`; it ends at the first line of lesser indentation. */
export function* listItems(yaml: string, start: number): Generator<string> {
  let indentation = -1;
  let itemAt = start;
  let at = start;
  while (at < yaml.length) {
    const column = columnOf(yaml, at);
    const isBlank = '\r\n#'.includes(yaml[at + column] ?? '\n');
    const isItem = isDash(yaml, at + column) && (indentation < 0 || column === indentation);
    if (!isBlank && !isItem && (indentation < 0 || column <= indentation)) break;
    if (isItem && indentation >= 0) yield yaml.slice(itemAt, at);
    if (isItem) [indentation, itemAt] = [column, at];
    at = lineEnd(yaml, at);
  }
  if (indentation >= 0) yield yaml.slice(itemAt, at);
}

/** The map of an item of `listItems`, of the `keys` alone. */
export function parseItem(item: string, keys: ReadonlySet<string>): YamlMap {
  const wanted = wantedText(item, keys);
  if (UNWANTED_YAML.test(wanted)) throw new ImageFault('malformed', '.ze_info has YAML anchors, aliases or tags');
  let kernel: unknown;
  try {
    kernel = Bun.YAML.parse(wanted);
  } catch (fault) {
    throw new ImageFault('malformed', `.ze_info: ${fault instanceof Error ? fault.message : String(fault)}`);
  }
  if (!isMap(kernel)) throw new ImageFault('malformed', '.ze_info has a kernel that is no map');
  return kernel;
}

export function isMap(value: unknown): value is YamlMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The map under `key`; an empty one where there is none. */
export function mapIn(map: YamlMap, key: string): YamlMap {
  const value = Object.hasOwn(map, key) ? map[key] : {};
  if (!isMap(value)) throw new ImageFault('malformed', `.ze_info: ${key} is no map`);
  return value;
}

export function textIn(map: YamlMap, key: string): string {
  const value = Object.hasOwn(map, key) ? map[key] : undefined;
  if (typeof value !== 'string') throw new ImageFault('malformed', `.ze_info: ${key} is no text`);
  return value;
}

/** The whole number of at least zero under `key`. */
export function optionalCountIn(map: YamlMap, key: string): number | undefined {
  return Object.hasOwn(map, key) ? countOf(map[key], key) : undefined;
}

/** As `optionalCountIn`; `otherwise` where there is none, or a fault. */
export function countIn(map: YamlMap, key: string, otherwise?: number): number {
  const value = optionalCountIn(map, key) ?? otherwise;
  if (value === undefined) throw new ImageFault('malformed', `.ze_info: a kernel has no ${key}`);
  return value;
}

export function countOf(value: unknown, key: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw new ImageFault('malformed', `.ze_info: ${key} is no count`);
}

// --- details ---

/** What is read of a kernel takes about 1 KiB, and its name as much again. The bound is one on the parser's memory. */
const READ_LENGTH = 2 ** 16;
/** Anchors, aliases, tags and merges: no compiler writes them, and aliases that are merged grow without bound. */
const UNWANTED_YAML = /(?:^|[\s,[{:-])[&*!]|<<\s*:/;

/** The lines of the keys that are read. A key stands at the column of the first one, what belongs to it further in. */
function wantedText(item: string, keys: ReadonlySet<string>): string {
  const map = item.replace('-', ' ');
  const keyColumn = columnOf(map, 0);
  const kept: string[] = [];
  let length = 0;
  let isWanted = false;
  for (let at = 0; at < map.length;) {
    const end = lineEnd(map, at);
    const isKey = columnOf(map, at) === keyColumn && !isDash(map, at + keyColumn) && map[at + keyColumn] !== '#';
    if (isKey) isWanted = keys.has(keyIn(map.slice(at + keyColumn, end)));
    if (isWanted) {
      kept.push(map.slice(at, end));
      length += end - at;
    }
    if (length > READ_LENGTH) throw new ImageFault('malformed', `.ze_info has over ${READ_LENGTH} bytes for a kernel`);
    at = end;
  }
  return kept.join('');
}

function keyIn(line: string): string {
  return line.slice(0, Math.max(0, line.indexOf(':'))).trimEnd();
}

function isDash(yaml: string, at: number): boolean {
  return yaml[at] === '-' && ' \r\n'.includes(yaml[at + 1] ?? '\n');
}

/** Spaces at the start of a line. */
function columnOf(yaml: string, at: number): number {
  let end = at;
  while (yaml[end] === ' ') end++;
  return end - at;
}

/** The start of the next line. */
function lineEnd(yaml: string, at: number): number {
  const newline = yaml.indexOf('\n', at);
  return newline < 0 ? yaml.length : newline + 1;
}
