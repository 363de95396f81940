/** A report as one page that needs nothing else: no network, no script but its own, which may run by its hash alone. */
import plotStyle from 'uplot/dist/uPlot.min.css' with { type: 'text' };
import plotScript from 'uplot/dist/uPlot.iife.min.js' with { type: 'text' };
import { LEVELS, WITHIN } from '../../gates/error-map.ts';
import type { Report } from '../schema.ts';
import { controlsPart } from './controls.ts';
import { detailsPart } from './details.ts';
import type { Html } from './html.ts';
import { escapeHtml, html, jsonScript } from './html.ts';
import { limitsPart } from './limits.ts';
import { matrixPart } from './matrix.ts';
import { notRunPart } from './not-run.ts';
import script from './script.js' with { type: 'text' };
import style from './style.css' with { type: 'text' };
import { failuresPart, headPart } from './summary.ts';
import type { View } from './view.ts';
import { nameOf, viewOf } from './view.ts';

export function pageText(report: Report): string {
  const view = viewOf(report);
  const parts = [failuresPart, matrixPart, errorsPart, limitsPart, controlsPart, notRunPart, detailsPart];
  const body = html`${headPart(view)} ${navigation()}
    <main>${parts.map((part) => part(view))}</main>
    ${jsonScript('data', dataOf(view))} `;
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${escapeHtml(policy())}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    html`<title>Kernel contract: ${report.exitCode === 0 ? 'as promised' : 'not as promised'}</title>`.text,
    `<style>${plotStyle}</style>`,
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    body.text,
    `<script>${plotScript}</script>`,
    `<script>${script}</script>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

/** Nothing is loaded from anywhere, and no script runs but the two that are here: a text that got past escaping would be dead. */
function policy(): string {
  const hashes = [plotScript, script].map(
    (text) => `'sha256-${new Bun.CryptoHasher('sha256').update(text).digest('base64')}'`,
  );
  return `default-src 'none'; style-src 'unsafe-inline'; script-src ${hashes.join(' ')}; base-uri 'none'; form-action 'none'`;
}

const PARTS = [
  ['failures', 'Failures'],
  ['gates', 'Gates'],
  ['errors', 'Errors'],
  ['limits', 'Limits'],
  ['controls', 'Controls'],
  ['not-run', 'Not run'],
  ['kernels', 'Kernels'],
] as const;

const navigation = (): Html =>
  html`<nav>
    <div class="links">${PARTS.map(([id, name]) => html`<a href="#${id}">${name}</a>`)}</div>
    <input
      type="search"
      id="filter"
      placeholder="an address, or a part of one: rms_rows@cuda"
      aria-label="Show addresses that hold"
      spellcheck="false"
      autocomplete="off"
    />
    <label><input type="checkbox" id="bad" /> only what is not as promised</label>
    <span id="shown" role="status"></span>
  </nav>`;

function errorsPart({ registrations }: View): Html {
  if (!registrations.some(({ gates }) => gates.some(({ errors = [] }) => errors.length > 0))) return html``;
  return html`<section id="errors">
    <h2>Errors over shapes</h2>
    <p>
      Each point is a case: its worst error as a share of its bound, by the number of elements of its shape. Points
      above the line are past the bound.
    </p>
    <div class="plot" id="overview"></div>
  </section>`;
}

/** What the script draws: of each gate, its cases, with their maps. */
function dataOf({ registrations, idOf }: View): unknown {
  const gates = registrations.flatMap((registration) =>
    registration.gates.flatMap(({ gate, errors }) => {
      const name = nameOf(registration);
      const id = idOf(`${name}:${gate}`, registration.device.id);
      return errors ? [{ id, name, dialect: registration.dialect, errors: errors.map(errorData) }] : [];
    }),
  );
  return { gates, levels: LEVELS, within: WITHIN };
}

type Errors = NonNullable<View['registrations'][number]['gates'][number]['errors']>;

/** A few digits, and as many more as keep it on its side of the bound. */
const shareData = (share: number): number =>
  Number(share.toPrecision(3)) === 1 && share !== 1 ? Number(share.toPrecision(17)) : Number(share.toPrecision(3));

/** null: an error that no number is. */
const errorData = ({ label, share, maps }: Errors[number]): unknown => [
  label,
  Number.isFinite(share) ? shareData(share) : null,
  ...(maps ? [maps] : []),
];
