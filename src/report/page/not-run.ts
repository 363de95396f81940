/** What the results do not speak of, and why: nothing is green by absence. */
import { MODES } from '../../spec/modes.ts';
import { GATES } from '../../spec/contract.ts';
import { LIMITS_UNIT } from '../schema.ts';
import { counted } from '../words.ts';
import type { Html } from './html.ts';
import { html } from './html.ts';
import type { View } from './view.ts';
import { badge, nameOf, tableOf } from './view.ts';

export function notRunPart(view: View): Html {
  const rows = [...gateRows(view), ...controlRows(view)];
  const left = leftOut(view);
  return html`<section id="not-run">
    <h2>Not run</h2>
    ${
      left.length > 0 &&
      html`<ul>
        ${left.map((text) => html`<li>${text}</li>`)}
      </ul>`
    }
    ${rows.length > 0 ? tableOf(['what', 'why'], rows, 'findings') : html`<p>Every gate and every control that was asked for ran.</p>`}
  </section>`;
}

/** What the command or the machine left out. */
function leftOut({ report, registrations }: View): string[] {
  const { gates, modes, only, withControls, limits, devices, plan } = report;
  const { shard } = plan;
  const elsewhere = plan.units.filter((one) => shard && one.shard !== shard.index).length;
  const isLimitsElsewhere = !limits && plan.units.some(({ unit }) => unit === LIMITS_UNIT);
  const absent = GATES.filter((gate) => !gates.includes(gate));
  const hosted = devices.some(({ id }) => id !== 'host')
    ? []
    : ['No GPU: results are of the host device, which runs the sources, and not of any compiler for a GPU.'];
  return [
    ...(registrations.length > 0 ? hosted : []),
    ...(only.length > 0 ? [`Selected alone: ${only.join(', ')} (--only).`] : []),
    ...(absent.length > 0 ? [`Gates that were not asked for or have no case here: ${absent.join(', ')}.`] : []),
    ...(shard ? [`Shard ${shard.index} of ${shard.of}: ${counted(elsewhere, 'unit')} of the plan ran elsewhere.`] : []),
    ...(limits || isLimitsElsewhere ? [] : ['Gate 5, limits, was not asked for.']),
    ...(modes && modes.length < MODES.length
      ? [`Modes that were left out: ${MODES.filter((mode) => !modes.includes(mode)).join(', ')} (--mode).`]
      : []),
    ...(withControls ? [] : ['The controls were left out (--no-controls): nothing here shows that a gate can fail.']),
    ...pendingTexts(report.limits?.verdicts ?? []),
  ];
}

type Launches = NonNullable<View['report']['limits']>['verdicts'];

const pendingTexts = (verdicts: Launches): string[] => {
  const pending = verdicts.filter(({ status }) => status === 'pending');
  const bySet = Map.groupBy(
    pending,
    ({ dialect, chip, set }) => `${chip} (${dialect}${set === undefined ? '' : `, ${set}`})`,
  );
  return [...bySet].map(
    ([where, own]) => `${counted(own.length, 'launch')} on ${where}: pending, since no compile of it is recorded.`,
  );
};

const row = (address: string, on: string, status: string, why: string): Html =>
  html`<tr data-a="${address}">
    <th scope="row">${badge(status)} <code>${address}</code>${on}</th>
    <td>${why}</td>
  </tr> `;

function gateRows({ registrations, onDevice }: View): Html[] {
  return registrations.flatMap((registration) =>
    registration.gates.flatMap(({ gate, status, reason, notes }) => {
      const address = `${nameOf(registration)}:${gate}`;
      const on = onDevice(registration.device.id);
      const cases = notes.filter((note) => note.startsWith('not run at'));
      if (status === 'not run') return [row(address, on, status, [reason, ...cases].filter(Boolean).join('; '))];
      return cases.map((note) => row(address, on, 'not run', note));
    }),
  );
}

const controlRows = ({ registrations, onDevice }: View): Html[] =>
  registrations.flatMap((registration) =>
    registration.controls
      .filter(({ status }) => status === 'not run')
      .map(({ id, status, reason }) =>
        row(`${nameOf(registration)}!${id}`, onDevice(registration.device.id), status, reason),
      ),
  );
