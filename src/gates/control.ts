/**
 * A planted fault at the gate that it must redden. It counts as red only if that gate fails for the reason the control names;
 * a control that does not compile, faults, or fails for another reason is broken, and one that stays green is missed.
 */
import type { Dialect } from '../families/formula/functions.ts';
import type { GateName } from '../spec/contract.ts';
import type { Kernel, PlantedControl } from '../spec/registration.ts';
import { modeOf } from '../spec/registration.ts';
import { runsAt } from '../spec/warps.ts';
import { ClaimError, claimed } from './attempt.ts';
import type { GateCase } from './case.ts';
import type { Finding, Outcome } from './finding.ts';
import type { Way } from './mode.ts';
import { uniqueWays } from './mode.ts';
import type { ControlResult } from './result.ts';

export class ControlTrial {
  readonly gate: GateName;
  private red: string | undefined;
  private broken: string | undefined;
  private found: ControlResult['found'];
  private greens = 0;
  private hidden = 0;
  private cases = 0;
  private skipped: string | undefined;
  private elapsedMs = 0;

  constructor(
    readonly kernel: Kernel,
    readonly dialect: Dialect,
    readonly control: PlantedControl,
    /** Why the device cannot be asked for it. */
    private readonly notRun?: string,
  ) {
    this.gate = control.reddens;
  }

  /** Whether its images are wanted at all. */
  get isLaunched(): boolean {
    return this.notRun === undefined;
  }

  /** Its own way, and that in which what only a mode or a width shows must stay green. */
  ways(cases: readonly GateCase[]): Way[] {
    return uniqueWays(cases.filter((gateCase) => this.isOwn(gateCase) || this.isBeside(gateCase)));
  }

  private isOwn({ mode, warp, shape }: GateCase): boolean {
    const { control, kernel, dialect } = this;
    return mode === modeOf(control) && warp === control.warp && runsAt(kernel.contract, dialect, shape, warp);
  }

  /** Of a mode plain arithmetic, of a width the same mode at the first one. */
  private isBeside({ mode, warp }: GateCase): boolean {
    const own = modeOf(this.control);
    if (warp !== undefined) return false;
    return this.control.warp === undefined ? mode === 'plain' && own !== 'plain' && own !== 'check' : mode === own;
  }

  /** Cases run until the control is red; those at which it must stay green run always. */
  wants(gateCase: GateCase, sharing: readonly GateCase[]): boolean {
    if (this.broken !== undefined || !this.isLaunched) return false;
    if (!this.isOwn(gateCase) && !(this.isBeside(gateCase) && sharing.some((other) => this.isOwn(other)))) return false;
    return this.red === undefined || this.staysGreen(gateCase);
  }

  private staysGreen(gateCase: GateCase): boolean {
    if (!this.isOwn(gateCase)) return true;
    try {
      return claimed('green', () => this.control.green?.(gateCase.shape) === true);
    } catch (error) {
      if (!(error instanceof ClaimError)) throw error;
      this.broken = error.message;
      return false;
    }
  }

  cannotRun(reason: string): void {
    this.broken = reason;
  }

  take(gateCase: GateCase, outcome: Outcome | { readonly notRun: string }, elapsedMs: number): void {
    this.elapsedMs += elapsedMs;
    if ('notRun' in outcome) {
      this.skipped = outcome.notRun;
      return;
    }
    this.cases++;
    const mustStayGreen = this.staysGreen(gateCase);
    const [first] = outcome.findings;
    if (mustStayGreen) {
      this.greens++;
      if (first) this.breaks(gateCase, first, `it must stay green at ${gateCase.label}, but: ${text(first)}`);
      return;
    }
    const named = outcome.findings.find((finding) => finding.class === this.control.finding);
    if (named) this.reddens(gateCase, named);
    else if (first)
      this.breaks(
        gateCase,
        first,
        `it must be found as '${this.control.finding}', but at ${gateCase.label}: ${text(first)}`,
      );
  }

  private reddens(gateCase: GateCase, finding: Finding): void {
    if (this.red !== undefined) return;
    this.red = `${gateCase.label}: ${text(finding)}`;
    this.found = foundAt(gateCase, finding);
  }

  private breaks(gateCase: GateCase, finding: Finding, reason: string): void {
    this.broken = reason;
    this.found = foundAt(gateCase, finding);
  }

  /** The kernel without the fault shows this control's finding at a case, so nothing can be told from it there. */
  hide(): void {
    this.hidden++;
  }

  result(): ControlResult {
    const { status, reason } = this.verdict();
    const { kernel, dialect, gate, found, elapsedMs } = this;
    return {
      kind: 'control',
      kernel: kernel.name,
      dialect,
      id: this.control.id,
      fault: this.control.fault,
      gate,
      status,
      reason,
      ...(found && { found }),
      elapsedMs,
    };
  }

  private verdict(): Pick<ControlResult, 'status' | 'reason'> {
    if (this.notRun !== undefined) return { status: 'not run', reason: this.notRun };
    if (this.broken !== undefined) return { status: 'broken', reason: this.broken };
    if (this.cases === 0 && this.skipped !== undefined)
      return { status: 'broken', reason: `no case could be run: ${this.skipped}` };
    if ((this.control.green ?? this.control.mode ?? this.control.warp) && this.greens === 0)
      return { status: 'broken', reason: 'no case shows that it stays green where it must' };
    if (this.red !== undefined) return { status: 'red', reason: this.red };
    const hidden = this.hidden > 0 ? `, but for ${this.hidden} at which the kernel itself is found so` : '';
    return { status: 'missed', reason: `${this.gate} stayed green on every case${hidden}` };
  }
}

const foundAt = ({ label }: GateCase, { class: kind, cause }: Finding): ControlResult['found'] => ({
  label,
  class: kind,
  cause,
});

function text({ class: kind, what, worst }: Finding): string {
  const told = what.startsWith(`${kind}: `) ? what : `${kind}: ${what}`;
  return `${told}${worst === undefined ? '' : `; ${worst}`}`;
}
