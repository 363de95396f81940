/** The depth auditor's part of a pass: the real longest chain of each route beside the declared one. */
import type { GateResult } from '../gates/result.ts';
import type { Registration } from './registration.ts';
import { warpOfLabel } from '../spec/warps.ts';
import { sumName } from './words.ts';

type Chain = NonNullable<GateResult['chains']>[number];

/**
 * `longest chains: tf_a 27 of 28 declared, at least 43 of 44 at rows=48,width=8192; tf_b not known of sum(x): why`; nothing where
 * no sum was asked.
 */
export function chainLines({ gates }: Registration): string[] {
  const chains = gates.flatMap(({ chains: found = [] }) => found);
  if (chains.length === 0) return [];
  const routes = [...Map.groupBy(chains, ({ symbol }) => symbol)].map(
    ([symbol, own]) => `${symbol} ${widthsText(own)}`,
  );
  const isOne = new Set(chains.map(({ symbol, sum }) => `${symbol} ${sum}`)).size === 1;
  return [`longest chain${isOne ? '' : 's'}: ${routes.join('; ')}`];
}

/** The chains of each width; one text where they are alike. */
function widthsText(chains: readonly Chain[]): string {
  const [first, ...others] = [...Map.groupBy(chains, ({ label }) => warpOfLabel(label))].map(([warp, own]) => {
    const text = routeText(own);
    return { text, told: warp === undefined ? text : `at ${warp} lanes ${text}` };
  });
  if (!first) return '';
  return [first.told, ...others.filter(({ text }) => text !== first.text).map(({ told }) => told)].join(', ');
}

function routeText(chains: readonly Chain[]): string {
  const known = chains.filter(({ longest }) => longest !== undefined);
  const longest = Math.max(...known.map((chain) => chain.longest ?? 0));
  const declared = chains[0]?.declared ?? 0;
  const [hardest] = chains.flatMap(({ longer }) => longer ?? []).toSorted((a, b) => b.least - a.least);
  const unknown = chains.filter((chain) => chain.longest === undefined);
  return [
    ...(known.length > 0 ? [`${longest} of ${declared} declared`] : []),
    ...(hardest ? [`at least ${hardest.least} of ${hardest.declared} at ${hardest.at}`] : []),
    ...unknown.map(({ sum, why }) => `not known of ${sumName(sum)}: ${why ?? ''}`),
  ].join(', ');
}
