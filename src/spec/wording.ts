/** What a schema says of a value that it refuses, in the words of someone who writes a contract. */
import * as v from 'valibot';
import { nearest } from './nearest.ts';

/** An object with these fields and no others. */
export const fields = <const E extends v.ObjectEntries>(entries: E) =>
  v.strictObject(entries, (issue) => {
    if (issue.expected === 'never') return unknownField(String(issue.input), Object.keys(entries));
    if (issue.expected?.startsWith('"')) return `\`${issue.expected.slice(1, -1)}\` is missing`;
    return issue.message;
  });

/** One of a list of words. */
export const oneOf = <const N extends string>(names: readonly N[]) =>
  v.picklist(names, ({ received }) => `${received} is none of ${names.join(', ')}${meant(unquoted(received), names)}`);

function unknownField(name: string, known: readonly string[]): string {
  const close = nearest(name, known);
  if (close === undefined) return `\`${name}\` is no field here; there are ${known.join(', ')}`;
  return `\`${name}\` is no field here; did you mean \`${close}\`?`;
}

function meant(word: string, known: readonly string[]): string {
  const close = nearest(word, known);
  return close === undefined ? '' : `; did you mean ${close}?`;
}

const unquoted = (received: string): string => received.replaceAll('"', '');

/** The problems of a value, as `path: message` lines. A field that is missing or unknown is told of the object it is about. */
export function problemsOf(schema: v.GenericSchema, value: unknown): string[] {
  const result = v.safeParse(schema, value);
  if (result.success) return [];
  return result.issues.map((issue) => `${placeOf(issue)}: ${issue.message}`);
}

function placeOf(issue: v.BaseIssue<unknown>): string {
  const path = issue.path ?? [];
  const isOfField = issue.type === 'strict_object' && path.at(-1)?.origin === 'key';
  const place = (isOfField ? path.slice(0, -1) : path).map(({ key }) => String(key)).join('.');
  return place || 'the contract';
}
