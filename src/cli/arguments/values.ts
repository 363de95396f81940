/** Readers of flags' values: each takes what was given, and throws a FlagFault that says what to write instead. */
import { nearest } from '../../spec/nearest.ts';

/** A flag's values as they were given, undefined where it was not. */
export type Reader<T> = (given: readonly string[] | undefined) => T;

/** A value that cannot be meant; the flag's name is put before the message. */
export class FlagFault extends Error {}

export const isGiven: Reader<boolean> = (given) => given !== undefined;

/** A flag that is given once; `fallback` stands for one that is not. */
export const one =
  <T, const F>(read: (value: string) => T, fallback: F): Reader<T | F> =>
  (given) =>
    given?.[0] === undefined ? fallback : read(given[0]);

/** A flag that may be given again: all its values. */
export const each =
  <T>(read: (value: string) => T): Reader<T[]> =>
  (given) =>
    (given ?? []).map(read);

export const oneOf =
  <const W extends string>(words: readonly W[], noun: string) =>
  (value: string): W => {
    const found = words.find((word) => word === value);
    if (found !== undefined) return found;
    throw new FlagFault(`'${value}' is no ${noun}${suggestion(value, words)}; there are ${words.join(', ')}`);
  };

/** Words by commas or by giving the flag again, in their own order; all of them where it is not given. */
export const listOf = <const W extends string>(words: readonly W[], noun: string): Reader<W[]> => {
  const read = oneOf(words, noun);
  return (given) => {
    if (!given) return [...words];
    const wanted = given.flatMap((value) => value.split(',')).map(read);
    return words.filter((word) => wanted.includes(word));
  };
};

const NUMBER = /^\d+(\.\d+)?$/;

export const number =
  (least: number, what: string) =>
  (value: string): number => {
    if (NUMBER.test(value) && Number(value) >= least) return Number(value);
    throw new FlagFault(`'${value}' is not ${what}`);
  };

export const whole =
  (least: number, what = `a whole number of ${least} or more`) =>
  (value: string): number => {
    if (/^\d{1,9}$/.test(value) && Number(value) >= least) return Number(value);
    throw new FlagFault(`'${value}' is not ${what}`);
  };

/** Text that is not empty. */
export const some =
  (what: string) =>
  (value: string): string => {
    if (value !== '') return value;
    throw new FlagFault(`an empty value selects nothing; give ${what}`);
  };

/** Other names that dialects and their devices go by. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  nvidia: 'cuda',
  rocm: 'hip',
  amd: 'hip',
  apple: 'metal',
  opencl: 'xpu',
  ocl: 'xpu',
  sycl: 'xpu',
  intel: 'xpu',
};

/** ` (did you mean sums?)`, or nothing where no known word is near. */
export function suggestion(value: string, known: readonly string[]): string {
  const word = value.toLowerCase();
  const other = Object.hasOwn(OTHER_NAMES, word) ? OTHER_NAMES[word] : undefined;
  const close = other !== undefined && known.includes(other) ? other : nearest(value, known);
  return close === undefined ? '' : ` (did you mean ${close}?)`;
}
