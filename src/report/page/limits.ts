/** Chips by kernels: whether each launch fits, and how near it is to the limit that it comes nearest to. */
import type { Dialect } from '../../families/formula/functions.ts';
import { registrationName } from '../../spec/registration.ts';
import type { Report } from '../schema.ts';
import type { Html } from './html.ts';
import { html } from './html.ts';
import { meter } from './matrix.ts';
import type { View } from './view.ts';
import { badge, tableOf, toneOf } from './view.ts';

type Launch = NonNullable<Report['limits']>['verdicts'][number];

export function limitsPart({ report }: View): Html {
  const { limits } = report;
  if (!limits || limits.verdicts.length === 0) return html``;
  const dialects = Map.groupBy(limits.verdicts, ({ dialect }) => dialect);
  return html`<section id="limits">
    <h2>Limits</h2>
    <p>
      From records of real compiles: the share that a launch uses of the limit that it comes nearest to, on each chip.
    </p>
    ${limits.problems.map((problem) => html`<p>${badge('fail', 'record')} ${problem}</p>`)}
    <div class="cards">${[...dialects].map(([dialect, own]) => dialectTable(dialect, own))}</div>
  </section>`;
}

function dialectTable(dialect: Dialect, verdicts: readonly Launch[]): Html {
  const chips = [...new Set(verdicts.map(({ chip }) => chip))];
  const launches = Map.groupBy(verdicts, ({ kernel, symbol, defines = '' }) =>
    JSON.stringify([kernel, symbol, defines]),
  );
  const names = Map.groupBy(launches.values(), ([first]) => first?.kernel);
  const linked = new Set<string>();
  const rows = [...launches.values()].map((own) => {
    const { kernel = '', symbol = '', defines = '' } = own[0] ?? {};
    const isAlone = names.get(kernel)?.length === 1;
    const name = isAlone ? kernel : [symbol.includes(kernel) ? '' : kernel, symbol, defines].filter(Boolean).join(' ');
    const isPromised = own.every(({ status }) => toneOf(status) !== 'bad');
    const cells = chips.map((chip) => {
      const address = `${registrationName(kernel, dialect)}:limits:${chip}`;
      const isFirst = !linked.has(address); // launches of one kernel share the address
      linked.add(address);
      return cell(
        own.filter((verdict) => verdict.chip === chip),
        isFirst ? address : undefined,
      );
    });
    return html`<tr data-a="${registrationName(kernel, dialect)}:limits" data-good="${isPromised ? 1 : 0}">
      <th scope="row">${name}</th>
      ${cells}
    </tr> `;
  });
  return html`<div class="card">
    <h3>${dialect}</h3>
    ${tableOf(['launch', ...chips], rows, 'limits')}
  </div>`;
}

const WORST_FIRST = ['does not fit', 'stale', 'pending', 'tight', 'fits'] as const;

/** The worst of a chip's verdicts; several sets of records may have one each. */
function cell(verdicts: readonly Launch[], id: string | undefined): Html {
  const [worst] = verdicts.toSorted((a, b) => WORST_FIRST.indexOf(a.status) - WORST_FIRST.indexOf(b.status));
  if (!worst) return html`<td class="faint">·</td>`;
  const { status, near, problems } = worst;
  const isMeasured = status === 'fits' || status === 'tight';
  const text = isMeasured ? (near ? `${percent(near.used)}` : status) : status;
  const title = problems[0]?.what ?? near?.what ?? status;
  return html`<td${id !== undefined && html` id="${id}"`} class="meter ${toneOf(status)}" title="${title}"${isMeasured && meter(near?.used)}>${text}</td>`;
}

const percent = (share: number): string => `${Math.round(100 * share)} %`;

/** A row for each chip and set of records. */
export const launchRows = (launches: readonly Launch[]): Html[] =>
  launches.map(({ symbol, defines, chip, status, near, problems, set, groups }) => {
    const problem = problems
      .map(({ limit, what, at }) => `${limit}${at === undefined ? '' : ` at ${at}`}: ${what}`)
      .join('; ');
    const nearest =
      near && `${percent(near.used)} of ${near.limit}${near.at === undefined ? '' : ` at ${near.at}`}: ${near.what}`;
    const held = groups === undefined ? '' : `; ${groups} groups a multiprocessor`;
    const launch = [symbol, defines, set && `(${set})`].filter(Boolean).join(' ');
    return html`<tr>
      <th scope="row">${chip}</th>
      <td><code>${launch}</code></td>
      <td>${badge(status)}</td>
      <td>${problem || (nearest ?? '')}${problem === '' && held}</td>
    </tr> `;
  });
