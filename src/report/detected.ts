/** Limits of detection beside the margin: what the gates that judge by ranges would still have caught. */
import type { GateResult } from '../gates/result.ts';
import { count } from '../numerics/digits.ts';
import type { Registration } from './registration.ts';
import type { Style } from './style.ts';
import { sumName } from './words.ts';

type Case = NonNullable<GateResult['detected']>[number];
type Output = Case['outputs'][number];
type Sum = Case['sums'][number];

/** From this share of outputs on, a gate that would pass an error of half the output is told. */
const BLIND = 0.5;

/**
 * `shapes would catch 1.5 ulps of y at the median output, 3 at the worst; the loss of 31 of 8,192 terms of mean(x * x)`, of the
 * case at which the median is the worst and of its sum that is hardest to see; and in words of warning what it is blind to.
 */
export function detectedLines({ gates }: Registration, style: Style): string[] {
  return gates.flatMap(({ gate, detected = [] }) => {
    const [worst] = detected.toSorted((a, b) => medianOf(b) - medianOf(a));
    if (!worst) return [];
    const [hardest] = worst.sums.toSorted((a, b) => shareLost(b) - shareLost(a));
    const caught = [...worst.outputs.map(outputText), ...(hardest ? [sumText(hardest)] : [])].join('; ');
    return [
      style.faint(`${gate} would catch ${caught}`),
      ...detected.flatMap(blindness).map((text) => style.warn(`${gate} ${text}`)),
    ];
  });
}

const medianOf = ({ outputs }: Case): number => Math.max(0, ...outputs.map(({ median }) => median.ulps));
const short = (value: number): string => String(Number(value.toPrecision(2)));
const ulpsText = (value: number): string => `${short(value)} ulp${value === 1 ? '' : 's'}`;

const outputText = ({ output, median, worst }: Output): string =>
  `${ulpsText(median.ulps)} of ${output} at the median output, ${short(worst.ulps)} at the worst`;

const shareLost = ({ lost, terms }: Sum): number => (lost ?? Infinity) / terms;

function sumText({ sum, terms, lost }: Sum): string {
  if (lost === undefined) return `no loss of terms of ${sumName(sum)}`;
  return `the loss of ${short(lost)} of ${count(terms)} terms of ${sumName(sum)}`;
}

function blindness({ label, outputs, sums }: Case): string[] {
  return [
    ...outputs
      .filter(({ blind, outputs: all }) => blind >= BLIND * all)
      .map(({ output, blind, outputs: all }) => {
        const percent = Math.floor((100 * blind) / all);
        return `would pass an error of half the output at ${percent} % of ${output} (${label})`;
      }),
    ...sums
      .filter(({ lost, terms }) => !((lost ?? Infinity) < terms))
      .map(({ sum }) => `would pass without any term of ${sumName(sum)} (${label})`),
  ];
}
