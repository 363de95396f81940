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

/** A problem of a field of a value, and the keys that lead there; of a field that is missing or unknown, those of the object it is about. */
export interface FieldProblem {
  readonly keys: readonly string[];
  readonly message: string;
  /** A field of that object which should not be there. */
  readonly unknown?: string;
}

/** The problems of a value. */
export function fieldProblems(schema: v.GenericSchema, value: unknown): FieldProblem[] {
  const result = v.safeParse(schema, value);
  if (result.success) return [];
  return result.issues.map((issue) => {
    const path = (issue.path ?? []).map(({ key }) => String(key));
    const isOfField = issue.type === 'strict_object' && issue.path?.at(-1)?.origin === 'key';
    if (!isOfField) return { keys: path, message: issue.message };
    const isUnknown = issue.expected === 'never';
    return { keys: path.slice(0, -1), message: issue.message, ...(isUnknown && { unknown: path.at(-1) ?? '' }) };
  });
}

/** `launch.cuda.threads: a size is at least 1`. */
export const fieldText = ({ keys, message }: FieldProblem): string => `${keys.join('.') || 'the contract'}: ${message}`;

/** The same of all problems of a value, as lines. */
export const problemsOf = (schema: v.GenericSchema, value: unknown): string[] =>
  fieldProblems(schema, value).map(fieldText);
