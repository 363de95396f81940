/** What every part of the page works with: the report, its results, and the place of each on the page. */
import { registrationName } from '../../spec/registration.ts';
import { registrationsOf } from '../json.ts';
import type { Registration } from '../registration.ts';
import type { Report } from '../schema.ts';
import { share as shareText } from '../words.ts';
import type { Html } from './html.ts';
import { html } from './html.ts';

export interface View {
  readonly report: Report;
  readonly registrations: readonly Registration[];
  /** The id of an address on a device. On the report's first device it is the address itself, so that links are by address. */
  readonly idOf: (address: string, device?: string) => string;
  /** ` on cuda:0` where there are several devices. */
  readonly onDevice: (device?: string) => string;
}

export function viewOf(report: Report): View {
  const first = report.devices[0]?.id;
  return {
    report,
    registrations: registrationsOf(report),
    idOf: (address, device = first) => (device === first ? address : `${address}/${device}`),
    onDevice: (device) => (device === undefined || report.devices.length < 2 ? '' : ` on ${device}`),
  };
}

export const nameOf = ({ kernel, dialect }: Pick<Registration, 'kernel' | 'dialect'>): string =>
  registrationName(kernel, dialect);

/** A link to an address of the page. */
export const link = (id: string, text: Html | string): Html =>
  html`<a href="#${encodeURIComponent(id.toWellFormed())}">${text}</a>`;

/** A status as a word in its colour: what a cell says is never by colour alone. */
export const badge = (status: string, text: string = status): Html =>
  html`<span class="badge ${toneOf(status)}">${text}</span>`;

const TONES: Readonly<Record<string, string>> = {
  pass: 'good',
  red: 'good',
  fits: 'good',
  known: 'warn',
  tight: 'warn',
  'not run': 'warn',
  pending: 'faint',
  fail: 'bad',
  missed: 'bad',
  broken: 'bad',
  stale: 'bad',
  'does not fit': 'bad',
};

/** The colour of a status, as the style sheet names it. */
export const toneOf = (status: string): string => TONES[status] ?? 'faint';

export const sharePart = (share: number): string => (Number.isFinite(share) ? shareText(share) : 'no number');

/** A table that scrolls sideways in its own box where it is wider than the screen. */
export const tableOf = (head: readonly (Html | string)[], rows: readonly Html[], name = ''): Html =>
  html`<div class="scroll">
    <table class="${name}">
      <thead>
        <tr>
          ${head.map((cell) => html`<th scope="col">${cell}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
