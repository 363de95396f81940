/** The kill matrix: every planted fault of a kernel, and what came of it in each dialect on each device, with the reason. */
import type { ControlResult } from '../../gates/result.ts';
import { controlAddress } from '../../spec/address.ts';
import type { Registration } from '../registration.ts';
import type { Html } from './html.ts';
import { html } from './html.ts';
import type { View } from './view.ts';
import { badge, nameOf, tableOf, toneOf } from './view.ts';

const OPEN = html` open`;

interface Column {
  readonly title: string;
  readonly registration: Registration;
}

export function controlsPart(view: View): Html {
  const planted = view.registrations.filter(({ controls }) => controls.length > 0);
  const { limits } = view.report;
  if (planted.length === 0 && !limits?.controls.length) return html``;
  const kernels = Map.groupBy(planted, ({ kernel }) => kernel);
  return html`<section id="controls">
    <h2>Controls</h2>
    <p>
      Each row is a fault that was planted on purpose; its gate must go red for the reason that the contract names. Open
      one for the reasons.
    </p>
    ${[...kernels].map(([kernel, own]) => kernelTable(kernel, own, view))}
    ${limits && limits.controls.length > 0 && limitsTable(limits.controls)}
  </section>`;
}

function kernelTable(kernel: string, own: readonly Registration[], view: View): Html {
  const several = view.report.devices.length > 1;
  const columns = own.map((registration): Column => {
    const { dialect, device } = registration;
    return { title: several ? `${dialect} ${device.id}` : dialect, registration };
  });
  const faults = Map.groupBy(
    own.flatMap(({ controls }) => controls),
    ({ id, fault }) => JSON.stringify([id, fault]),
  );
  const rows = [...faults.values()].flatMap(([first]) => (first ? [faultRow(first, columns, view)] : []));
  const failed = own.flatMap(({ controls }) => controls).filter(({ status }) => status !== 'red').length;
  const word = failed === 0 ? badge('red', 'all red') : badge('missed', `${failed} not red`);
  return html`<details class="kernel" data-a="${kernel}" ${failed > 0 && OPEN}>
    <summary><b>${kernel}</b> ${word}</summary>
    ${tableOf(['fault', 'gate', ...columns.map(({ title }) => title)], rows, 'kills')}
  </details> `;
}

function faultRow({ id, fault, gate, kernel }: ControlResult, columns: readonly Column[], view: View): Html {
  const found = columns.map(({ registration, title }) => ({
    title,
    registration,
    control: registration.controls.find((one) => one.id === id && one.fault === fault),
  }));
  const cells = found.map(({ control }) =>
    control
      ? html`<td class="${toneOf(control.status)}">
          ${control.status}${control.found && html` <small>${control.found.cause.code}</small>`}
        </td>`
      : html`<td class="faint">·</td>`,
  );
  const reasons = found.flatMap(({ control, title, registration: { dialect, device } }) => {
    if (!control) return [];
    const address = view.idOf(controlAddress(kernel, dialect, id), device.id);
    return [html`<p id="${address}"><b>${title}</b> <code>${control.reason}</code></p>`];
  });
  const addresses = found.map(({ registration }) => `${nameOf(registration)}!${id}`).join(' ');
  const isPromised = found.every(({ control }) => !control || control.status === 'red');
  return html`<tr data-a="${addresses}" data-good="${isPromised ? 1 : 0}">
    <th scope="row">
      <details>
        <summary>${fault}</summary>
        ${reasons}
      </details>
    </th>
    <td>${gate}</td>
    ${cells}
  </tr> `;
}

function limitsTable(controls: NonNullable<View['report']['limits']>['controls']): Html {
  const rows = controls.map(
    ({ id, fault, dialect, status, reason }) =>
      html`<tr data-a="limits!${id}" data-good="${status === 'red' ? 1 : 0}">
        <th scope="row" id="limits!${id}">
          <details>
            <summary>${fault}</summary>
            <p><code>${reason}</code></p>
          </details>
        </th>
        <td>${dialect}</td>
        <td class="${toneOf(status)}">${status}</td>
      </tr> `,
  );
  return html`<details class="kernel" data-a="limits">
    <summary>
      <b>limits</b>
      ${controls.every(({ status }) => status === 'red') ? badge('red', 'all red') : badge('missed', 'not all red')}
    </summary>
    ${tableOf(['fault', 'dialect', ''], rows, 'kills')}
  </details>`;
}
