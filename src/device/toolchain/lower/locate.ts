/** Where a character of preprocessed text was written: the last line marker before it, and the lines since. */

import type { Place } from './error.ts';

interface Marker {
  /** Offset just behind the marker's newline, where line `line` starts. */
  readonly start: number;
  readonly file: string;
  readonly line: number;
}

const MARKER = /^#[ \t]*(?:line[ \t]+)?(\d+)[ \t]+"((?:[^"\\\n]|\\.)*)"[^\n]*\n/gm;

/** A function from an offset of `text` to file and line; text before the first marker is `<source>` from line 1. */
export function locatorOf(text: string): (offset: number) => Place {
  const markers = markersOf(text);
  return (offset) => {
    const marker = markers[lastBefore(markers, offset)] ?? { start: 0, file: '<source>', line: 1 };
    return { file: marker.file, line: marker.line + countNewlines(text, marker.start, offset) };
  };
}

/** The files that the text's line markers name, without the compiler's own `<built-in>` and the like. */
export function filesOf(text: string): string[] {
  const files = new Set(markersOf(text).map((marker) => marker.file));
  return [...files].filter((file) => !file.startsWith('<'));
}

/** The text with other names for the files that its line markers name. */
export const withFileNames = (text: string, named: (file: string) => string): string =>
  text.replace(MARKER, (marker, _line, file: string) =>
    marker.replace(`"${file}"`, () => JSON.stringify(named(unescaped(file)))),
  );

const unescaped = (file: string): string => file.replace(/\\(.)/g, '$1');

function markersOf(text: string): Marker[] {
  return [...text.matchAll(MARKER)].map((match) => ({
    start: match.index + match[0].length,
    file: unescaped(match[2] ?? ''),
    line: Number(match[1]),
  }));
}

/** Index of the last marker that starts at or before the offset, or -1. */
function lastBefore(markers: readonly Marker[], offset: number): number {
  let low = 0;
  let high = markers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((markers[middle]?.start ?? Infinity) <= offset) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function countNewlines(text: string, start: number, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', start); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
