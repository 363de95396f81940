/** The head of the page, and all that is not as promised. */
import type { Report } from '../schema.ts';
import type { Suite, Test } from '../told.ts';
import { placedTests } from '../told.ts';
import { counted, partialText, seconds } from '../words.ts';
import type { Html } from './html.ts';
import { html } from './html.ts';
import type { View } from './view.ts';
import { badge, link } from './view.ts';

export function headPart({ report }: View): Html {
  const { program, started, seed, elapsedMs, workers } = report;
  const devices = report.devices.map(({ id, name, chip }) =>
    [id, id === name ? '' : name, chip].filter(Boolean).join(' '),
  );
  const facts = [
    ['run', `${started.slice(0, 16).replace('T', ' ')} UTC, ${seconds(elapsedMs)}, ${counted(workers, 'worker')}`],
    ['device', devices.join(', ')],
    ['seed', seed],
    ...(report.partial ? [['partial', partialText(report.partial)]] : []),
    ...(report.plan.shard ? [['shard', `${report.plan.shard.index} of ${report.plan.shard.of}`]] : []),
    ['program', `${program.version} (${program.commit}, ${program.platform})`],
    ['sources', program.sources.slice(0, 16)],
  ];
  return html`<header id="run">
    <h1>Kernel contract ${report.exitCode === 0 ? badge('pass', 'as promised') : badge('fail', 'not as promised')}</h1>
    <ul class="summary">
      ${summaryParts(report).map((part) => html`<li>${part}</li>`)}
    </ul>
    <dl class="facts">
      ${facts.map(
        ([name, value]) =>
          html`<div>
            <dt>${name}</dt>
            <dd>${value}</dd>
          </div>`,
      )}
    </dl>
  </header>`;
}

/** SUMMARY by its parts, as the line has them. */
const summaryParts = ({ summary }: Report): string[] => summary.replace(/^SUMMARY /, '').split('; ');

/** Failures of which a page has the whole text; a table has the others. */
const IN_FULL = 200;

export function failuresPart(view: View): Html {
  const { report } = view;
  const failed = placedTests(report, isFailed);
  if (failed.length === 0)
    return html`<section id="failures">
      <h2>Failures</h2>
      <p>${report.exitCode === 0 ? 'None.' : 'No gate and no control failed; what did not run is below.'}</p>
    </section>`;
  return html`<section id="failures">
    <h2>Failures <span class="count">${failed.length}</span></h2>
    ${failed.slice(0, IN_FULL).map(({ suite, test }) => failure(suite, test, view))}
    ${failed.length > IN_FULL && html`<p>${failed.length - IN_FULL} more are in the tables below.</p>`}
  </section>`;
}

const isFailed = ({ outcome }: Test): boolean => outcome === 'fail' || outcome === 'broken';

function failure({ device }: Suite, { address, kind, title, text }: Test, { idOf, onDevice }: View): Html {
  return html`<details class="failure" data-a="${address}">
    <summary>${badge('fail', kind)} <code>${address}</code>${onDevice(device)} ${title}</summary>
    <pre>${text}</pre>
    <p>${link(idOf(address, device), 'Its place below')}</p>
  </details> `;
}
