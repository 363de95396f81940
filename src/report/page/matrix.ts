/** Kernels by gates, a table for each dialect on each device. */
import type { GateResult } from '../../gates/result.ts';
import { sided } from '../../numerics/digits.ts';
import { GATES } from '../../spec/contract.ts';
import type { Registration } from '../registration.ts';
import { marginOf, statusOf } from '../registration.ts';
import type { Html } from './html.ts';
import { html } from './html.ts';
import type { View } from './view.ts';
import { badge, link, nameOf, sharePart, tableOf, toneOf } from './view.ts';

export function matrixPart(view: View): Html {
  const { registrations, report } = view;
  if (registrations.length === 0) return html``;
  const tables = report.devices.flatMap(({ id, name }) => {
    const on = registrations.filter(({ device }) => device.id === id);
    return [...Map.groupBy(on, ({ dialect }) => dialect)].map(
      ([dialect, own]) =>
        html`<div class="card">
          <h3>${dialect} <small>on ${id === name ? id : `${id}, ${name}`}</small></h3>
          ${matrix(own, view)}
        </div>`,
    );
  });
  return html`<section id="gates">
    <h2>Kernels and gates</h2>
    <p>A number is the worst error as a share of its bound; the bar is how near the kernel comes to it.</p>
    <div class="cards">${tables}</div>
  </section>`;
}

const matrix = (own: readonly Registration[], view: View): Html =>
  tableOf(
    ['kernel', ...GATES, 'of bound', 'controls'],
    own.map((registration) => row(registration, view)),
    'matrix',
  );

function row(registration: Registration, view: View): Html {
  const { kernel, gates, controls, device } = registration;
  const name = nameOf(registration);
  const worst = worstOf(registration);
  const cells = GATES.map((gate) =>
    gateCell(
      gates.find((one) => one.gate === gate),
      view,
      device.id,
    ),
  );
  const red = controls.filter(({ status }) => status === 'red').length;
  const isPromised = ['pass', 'known'].includes(statusOf(registration) ?? 'pass') && red === controls.length;
  return html`<tr data-a="${name}" data-good="${isPromised ? 1 : 0}">
    <th scope="row">${link(view.idOf(name, device.id), kernel)}</th>
    ${cells}
    <td class="meter ${worst !== undefined && !(worst <= 1) && 'bad'}" ${meter(worst)}>
      ${worst !== undefined && shareCell(worst)}
    </td>
    ${controlsCell(red, controls.length)}
  </tr> `;
}

/** The worst error of any case, of those that failed too. */
function worstOf(registration: Registration): number | undefined {
  const errors = registration.gates.flatMap((gate) => gate.errors ?? []).map(({ share }) => share);
  const margin = marginOf(registration);
  const all = margin ? [...errors, margin.share] : errors;
  return all.length > 0 ? Math.max(...all) : undefined;
}

const shareCell = (share: number): string =>
  share > 1 && Number.isFinite(share) ? `${sided(share)}x` : sharePart(share);

const controlsCell = (red: number, all: number): Html =>
  all === 0 ? html`<td class="faint">·</td>` : html`<td class="${red === all ? 'good' : 'bad'}">${red}/${all}</td>`;

/** How much of a cell a share fills: all of it past 1, and where it is no number. */
export const meter = (share: number | undefined): Html | undefined =>
  share === undefined ? undefined : html` style="--share:${Math.round(100 * (share <= 1 ? share : 1))}%"`;

function gateCell(gate: GateResult | undefined, { idOf }: View, device: string): Html {
  if (!gate) return html`<td class="faint">·</td>`;
  const text =
    gate.status === 'fail' ? `fail${gate.findings.length > 0 ? ` ${gate.findings.length}` : ''}` : gate.status;
  return html`<td class="${toneOf(gate.status)}">${link(idOf(`${nameOf(gate)}:${gate.gate}`, device), text)}</td>`;
}

export const statusBadge = (registration: Registration): Html | undefined => {
  const status = statusOf(registration);
  return status === undefined ? undefined : badge(status);
};
