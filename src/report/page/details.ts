/** One registration in full: each gate with its worth, where its outputs are off, and its launches on every chip. */
import type { GateResult } from '../../gates/result.ts';
import { count } from '../../numerics/digits.ts';
import { chainLines } from '../chains.ts';
import { detectedLines } from '../detected.ts';
import { rerun } from '../lines.ts';
import type { Registration } from '../registration.ts';
import { elapsedOf } from '../registration.ts';
import type { Report } from '../schema.ts';
import { PLAIN } from '../style.ts';
import { counted, loadedText, seconds } from '../words.ts';
import type { Html } from './html.ts';
import { html } from './html.ts';
import { launchRows } from './limits.ts';
import { statusBadge } from './matrix.ts';
import type { View } from './view.ts';
import { badge, nameOf, sharePart, tableOf } from './view.ts';

export function detailsPart(view: View): Html {
  if (view.registrations.length === 0) return html``;
  return html`<section id="kernels">
    <h2>Each kernel</h2>
    ${view.registrations.map((registration) => one(registration, view))}
  </section>`;
}

function one(registration: Registration, view: View): Html {
  const { device, gates } = registration;
  const name = nameOf(registration);
  const id = view.idOf(name, device.id);
  const files = view.report.files[name];
  const where = files && `${files.source}${files.line === undefined ? '' : `:${files.line}`}, ${files.contract}`;
  const flags = [view.report.flags, device.id !== 'host' && `--device ${device.id}`].filter(Boolean).join(' ');
  return html`<details class="kernel" id="${id}" data-a="${name}">
    <summary>
      <b>${name}</b>${view.onDevice(device.id)} ${statusBadge(registration)}
      <small>${seconds(elapsedOf(registration))}</small>
    </summary>
    ${where !== undefined && html`<p class="faint">${where}</p>`}
    <p><code>${rerun(name, { seed: view.report.seed, flags })}</code></p>
    ${gates.map((gate) => gatePart(gate, registration, view))} ${loadedPart(registration)}
    ${launchesPart(registration, view.report)}
  </details> `;
}

function gatePart(gate: GateResult, registration: Registration, view: View): Html {
  const { status, cases, margin, errors = [], notes, reason, elapsedMs } = gate;
  const name = nameOf(registration);
  const own = { ...registration, gates: [gate] };
  const worth = [...detectedLines(own, PLAIN), ...chainLines(own), ...notes];
  const id = view.idOf(`${name}:${gate.gate}`, registration.device.id);
  const worst = margin && `worst ${sharePart(margin.share)} of bound at ${margin.where} of ${margin.label}`;
  return html`<div class="gate" id="${id}">
    <h4>
      ${gate.gate} ${badge(status)}
      <small>${[counted(cases, 'case'), worst, seconds(elapsedMs)].filter(Boolean).join(', ')}</small>
    </h4>
    ${reason !== undefined && html`<p>${reason}</p>`}
    ${
      worth.length > 0 &&
      html`<ul>
        ${worth.map((text) => html`<li>${text}</li>`)}
      </ul>`
    }
    ${errors.length > 1 && html`<div class="plot" data-plot="${id}"></div>`}
    ${errors.some(({ maps }) => maps) && html`<div class="maps" data-maps="${id}"></div>`}
    ${findingsTable(gate, view, registration)}
  </div> `;
}

/** Findings of which a table has the whole, and those that it shows unasked. */
const SHOWN = 100;
const OPEN = 6;

function findingsTable({ gate, findings }: GateResult, { idOf }: View, registration: Registration): Html | undefined {
  if (findings.length === 0) return undefined;
  const linked = new Set<string>();
  const rows = findings.slice(0, SHOWN).map(({ label, cause, what, worst, why }) => {
    const id = idOf(`${nameOf(registration)}:${gate}:${label}`, registration.device.id);
    const isFirst = !linked.has(id); // several outputs of a case have one address
    linked.add(id);
    return html`<tr>
      <th scope="row" ${isFirst && html` id="${id}"`}><code>${label}</code></th>
      <td>${cause.code}</td>
      <td>
        ${what}${worst !== undefined && html`<br /><code>${worst}</code>`}${why !== undefined && html`<br />${why}`}
      </td>
    </tr> `;
  });
  const more = findings.length - SHOWN;
  return html`<details${findings.length <= OPEN && html` open`}>
    <summary>${counted(findings.length, 'finding')}</summary>
    ${tableOf(['case', 'cause', 'what'], rows, 'findings')}
    ${more > 0 && html`<p>${count(more)} more findings are not shown.</p>`}
  </details>`;
}

/** What the driver tells of the kernels is the same at every gate. */
function loadedPart({ gates }: Registration): Html | undefined {
  const texts = new Set(gates.flatMap(({ loaded = [] }) => loaded.map(loadedText)));
  if (texts.size === 0) return undefined;
  return html`<div class="gate">
    <h4>as the driver loads it</h4>
    <ul>
      ${[...texts].map((text) => html`<li>${text}</li>`)}
    </ul>
  </div>`;
}

function launchesPart({ kernel, dialect }: Registration, { limits }: Report): Html | undefined {
  const own = (limits?.verdicts ?? []).filter((verdict) => verdict.kernel === kernel && verdict.dialect === dialect);
  if (own.length === 0) return undefined;
  return html`<div class="gate">
    <h4>limits</h4>
    ${tableOf(['chip', 'launch', '', 'nearest limit'], launchRows(own), 'launches')}
  </div>`;
}
