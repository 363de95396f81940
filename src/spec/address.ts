/** One address for a case, the same in filters, output and reports: `rms_rows@cuda:shapes:rows=17,width=2056`. */
import type { Dialect } from '../families/formula/functions.ts';
import type { GateName } from './contract.ts';

export interface Address {
  readonly kernel: string;
  readonly dialect: Dialect;
  readonly gate: GateName;
  /** The shape, and what else tells the case from its neighbours. */
  readonly label: string;
}

export const addressText = ({ kernel, dialect, gate, label }: Address): string =>
  `${kernel}@${dialect}:${gate}:${label}`;
export const controlAddress = (kernel: string, dialect: Dialect, id: string): string => `${kernel}@${dialect}!${id}`;

/**
 * What `--only` selects: a part of an address, or a pattern in which `*` stands for anything. An address is selected when the
 * filter matches some part of it, or all of it for a pattern. A number at a part's end is a whole number: `rows=1` is not
 * `rows=16`.
 */
export function matcher(filters: readonly string[]): (address: string) => boolean {
  if (filters.length === 0) return () => true;
  const tests = filters.map((filter) => {
    const text = filter.split('*').map(escape).join('.*');
    const pattern = new RegExp(filter.includes('*') ? `^${text}$` : /\d$/.test(filter) ? `${text}(?!\\d)` : text);
    return (address: string) => pattern.test(address);
  });
  return (address) => tests.some((test) => test(address));
}

const escape = (text: string): string => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
