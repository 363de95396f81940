/**
 * What a subject did to its device. One that hung, or that broke the device again and again, is not launched any more, nor are the
 * controls of such a kernel: each launch would cost a time limit or another opening of the device, and say the same.
 */
import type { DeviceFailure } from '../device/device.ts';
import type { Dialect } from '../families/formula/functions.ts';
import { controlAddress } from '../spec/address.ts';
import { registrationName } from '../spec/registration.ts';
import type { Judged } from './attempt.ts';
import { findingOf } from './finding.ts';

/** Where a job is: whose image is loaded or launched, and at which case. Plain data, told before the driver is called. */
export interface Place {
  /** A registration, or a control's address. */
  readonly subject: string;
  /** The case; absent while its images are loaded. */
  readonly label?: string;
}

/** What ended the process that was at a place. */
export interface Ending {
  readonly at: Place;
  readonly what: string;
}

/** How often a subject may break its device. */
const BREAKS_MOST = 3;

/** Whose strikes they are, as its address. */
export const subjectName = (kernel: string, dialect: Dialect, control?: { readonly id: string }): string =>
  control ? controlAddress(kernel, dialect, control.id) : registrationName(kernel, dialect);

export class Strikes {
  private readonly breaks = new Map<string, number>();
  /** Why a subject is not launched any more. */
  private readonly out = new Map<string, string>();

  constructor(private readonly endings: readonly Ending[] = []) {
    for (const { at, what } of endings) this.out.set(at.subject, what);
  }

  /** What ended the process while the subject's images were loaded. */
  atLoad(subject: string): string | undefined {
    return this.endings.find(({ at }) => at.subject === subject && at.label === undefined)?.what;
  }

  /** What a case comes to without a launch; undefined where it is to be launched. */
  at(subject: string, label: string): Judged | undefined {
    const ending = this.endings.find(({ at }) => at.subject === subject && at.label === label);
    if (ending) return { findings: [findingOf({ code: 'process-ended' }, ending.what)] };
    const why = this.out.get(subject);
    return why === undefined ? undefined : { notRun: `not launched any more: ${why}` };
  }

  /** Why a subject is not launched any more. */
  whyOut(subject: string): string | undefined {
    return this.out.get(subject);
  }

  /** The device was opened anew while a case of the subject ran. */
  broke(subject: string, judged: Judged): void {
    const { what = 'it breaks its device', failure } = brokenBy(judged);
    const count = (this.breaks.get(subject) ?? 0) + 1;
    this.breaks.set(subject, count);
    if (failure === 'timeout' || count >= BREAKS_MOST) this.out.set(subject, what);
  }
}

function brokenBy(judged: Judged): { readonly what?: string; readonly failure?: DeviceFailure } {
  if ('notRun' in judged) return {};
  const [finding] = judged.findings;
  return { ...(finding && { what: finding.what }), ...(judged.failure && { failure: judged.failure }) };
}
