/** What an import of a contract throws, as its author needs it: the place, the words, and what was most likely meant. */
import { readFileSync, realpathSync } from 'node:fs';
import { relative } from 'node:path';
import * as api from './contract.ts';
import { nearest } from './nearest.ts';
import { MODULE } from './outside.ts';
import { shownPath } from './shown-path.ts';
import type { MissingPackage } from './packages.ts';
import type { Place } from './place.ts';
import { placeAt, told } from './place.ts';

/** One problem for each message: an error that was thrown, or a bundler's, each at its place in the contract or in what that imports. */
export function importProblems(error: unknown, root: string, path: string): string[] {
  const messages: unknown[] = error instanceof AggregateError ? error.errors : [error];
  return messages.map((message) => importProblem(message, realpathSync(root), path));
}

/** The same of a package that would have to be fetched. */
export const packageProblem = ({ file, name }: MissingPackage, root: string): string =>
  importProblem(new Error(`Cannot find package '${name}'`), realpathSync(root), relative(root, file));

function importProblem(error: unknown, root: string, path: string): string {
  const shown = (file: string): string => shownPath(relative(root, file));
  const message = (hasMessage(error) ? error.message : String(error)).replace(/ imported from \S+$|\.$/, '');
  const found = placeOf(error, root);
  if (found) return told(shown(found.file), message + hint(error, textOf(found.file)), textOf(found.file), found);
  const file = `${root}/${path}`;
  const text = textOf(file);
  const at = quotedAt(text, message);
  return told(shown(file), message + hint(error, text), text, at < 0 ? undefined : placeAt(text, at));
}

const hasMessage = (error: unknown): error is { message: string } =>
  typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string';

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Where the bundler says that it is, or the first frame of the stack that lies in the folder. */
function placeOf(error: unknown, root: string): (Place & { readonly file: string }) | undefined {
  if ((error instanceof BuildMessage || error instanceof ResolveMessage) && error.position) {
    const { file, line, column } = error.position;
    return { file, line, column };
  }
  if (!(error instanceof Error)) return undefined;
  const frames = [...(error.stack ?? '').matchAll(/(\/[^\s()]*):(\d+):(\d+)/g)];
  const frame = frames.find(([, file = '']) => file.startsWith(`${root}/`));
  return frame && { file: frame[1] ?? '', line: Number(frame[2]), column: Number(frame[3]) };
}

/** Where a word that a message quotes stands in the text. */
function quotedAt(text: string, message: string): number {
  const words = [...message.matchAll(/'([^']+)'/g)].map(([, word = '']) => word);
  const places = words.flatMap((word) => {
    const escaped = RegExp.escape(word);
    return [text.search(new RegExp(`(?<=['"])${escaped}(?=['"])`)), text.search(new RegExp(`\\b${escaped}\\b`))];
  });
  return places.find((at) => at >= 0) ?? -1;
}

const NAMES = Object.entries(api).flatMap(([name, value]) => (typeof value === 'function' ? [name] : []));

function hint(error: unknown, text: string): string {
  const message = hasMessage(error) ? error.message : '';
  const [, missing] = /^(\w+) is not defined$/.exec(message) ?? [];
  if (missing !== undefined) return undefinedHint(missing, text);
  const [, unknown] =
    /^Export named '(\w+)' not found in module '(?:tf-kernel-contract|\S*contract\.ts)'/.exec(message) ?? [];
  if (unknown !== undefined) return meant(unknown, NAMES) || `: it has ${NAMES.join(', ')}`;
  const [, wanted] = /^Cannot find package '([^']+)'/.exec(message) ?? [];
  if (wanted === '#contract' || (wanted !== undefined && nearest(wanted, [MODULE])))
    return `: contracts import '${MODULE}'`;
  return wanted === undefined ? '' : `: contracts import '${MODULE}', and files beside them by './NAME.ts'`;
}

/** A name that the module has and the contract does not import, or another that the contract has. */
function undefinedHint(name: string, text: string): string {
  if (NAMES.includes(name)) return `: import it from '${MODULE}'`;
  const others = [...new Set(text.match(/[A-Za-z_]\w*/g))].filter((word) => word !== name);
  return meant(name, [...NAMES, ...others]);
}

const meant = (word: string, known: readonly string[]): string => {
  const close = nearest(word, known);
  return close === undefined ? '' : `: did you mean ${close}?`;
};
