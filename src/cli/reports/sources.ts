/** What a report says of the kernels' files: one hash of all of them, and where a reader finds each registration. */
import { hashOf } from '../../device/toolchain/cache.ts';
import type { Report } from '../../report/schema.ts';
import type { Listing } from '../../spec/listing.ts';
import type { Kernel } from '../../spec/registration.ts';
import { shownPath } from '../../spec/shown-path.ts';
import { launchesOf, registrationName, sourceOf } from '../../spec/registration.ts';

/** Equal where every contract and every source is. A contract counts as what it says; its functions are in it by their text. */
export function sourcesHash({ contracts, sources }: Listing): string {
  const said = (_: string, value: unknown): unknown => (typeof value === 'function' ? String(value) : value);
  const texts = contracts.flatMap(({ path, exported }) => [path, JSON.stringify(exported, said) ?? '']);
  return hashOf(...texts, ...[...sources].flat());
}

/** By `kernel@dialect`: the contract, the source of the first launch, and the line on which that launch's symbol is defined. */
export function filesOf(kernels: readonly Kernel[], { sources }: Listing): Report['files'] {
  const entries = kernels.flatMap((kernel) =>
    kernel.dialects.flatMap((dialect) => {
      const [launch] = launchesOf(kernel.contract, dialect);
      if (!launch) return [];
      const source = sourceOf(kernel.folder, dialect, launch);
      const line = lineOf(sources.get(source) ?? '', launch.symbol);
      const files = { contract: shownPath(kernel.path), source: shownPath(source) };
      return [[registrationName(kernel.name, dialect), { ...files, ...(line > 0 && { line }) }] as const];
    }),
  );
  return Object.fromEntries(entries);
}

/** The first line that has the symbol as a word before a parenthesis, else as a word; 0 where none has: it may come from a macro. */
function lineOf(source: string, symbol: string): number {
  const lines = source.split('\n');
  const called = new RegExp(`\\b${RegExp.escape(symbol)}\\s*\\(`);
  const named = new RegExp(`\\b${RegExp.escape(symbol)}\\b`);
  const at = lines.findIndex((line) => called.test(line));
  return (at < 0 ? lines.findIndex((line) => named.test(line)) : at) + 1;
}
