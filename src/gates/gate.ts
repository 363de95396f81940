/** A registration at a gate: its findings and margins gathered over the cases, and the verdict at the end. */
import type { Dialect } from '../families/formula/functions.ts';
import type { GateName, KnownFinding } from '../spec/contract.ts';
import type { Kernel } from '../spec/registration.ts';
import { knownFindings } from '../spec/registration.ts';
import { runsAt } from '../spec/warps.ts';
import { nothingToProve } from '../spec/applies.ts';
import type { GateCase } from './case.ts';
import { CaseErrors } from './case-errors.ts';
import type { Finding, Note, Outcome } from './finding.ts';
import { worseMargin } from './finding.ts';
import { unusedOps } from './ops.ts';
import type { Way } from './mode.ts';
import { MODE, uniqueWays } from './mode.ts';
import type { CaseFinding, GateResult, LoadedKernel, Sees, Status } from './result.ts';

/** A finding at its case, without what only the gate itself needs. */
function atCase(finding: Finding, label: string, width: string): CaseFinding {
  const { class: kind, cause, what, worst, times, schedules } = finding;
  const why = [width, finding.why ?? ''].filter((text) => text !== '').join(' ');
  return {
    class: kind,
    cause,
    what,
    ...(worst !== undefined && { worst }),
    ...(times !== undefined && { times }),
    ...(why !== '' && { why }),
    ...(schedules !== undefined && { schedules }),
    label,
  };
}

/** Whether a finding is the known one, and no worse. */
function covers({ finding: known, within }: KnownFinding, finding: CaseFinding): boolean {
  return finding.class === known && (within === undefined || (finding.times ?? Infinity) <= within);
}

/** The least that a gate sees of a kernel. */
function seenBy({ rule, contract }: Kernel, gate: GateName): Sees {
  if (gate === 'repeat') return 'repeat';
  if (rule || (gate === 'shapes' && contract.replaces !== undefined)) return 'bits';
  return gate === 'nonfinite' ? 'class' : 'ranges';
}

/** What a trial is of, beside its cases. */
export interface TrialScope {
  /** The GPU's chip; none of the host device. */
  readonly chip?: string;
  /** Some of the gate's modes were left out. */
  readonly isPart?: boolean;
}

export class GateTrial {
  readonly control = undefined;
  readonly isLaunched = true;
  private readonly findings: CaseFinding[] = [];
  private readonly notes = new Map<string, Note>();
  private readonly chains: NonNullable<GateResult['chains']>[number][] = [];
  private readonly detected: NonNullable<GateResult['detected']>[number][] = [];
  /** Functions called by what ran in modes whose images note them. */
  private readonly functions = new Set<string>();
  private readonly errors = new CaseErrors();
  private noted = 0;
  private margin: GateResult['margin'];
  private reason: string | undefined;
  private cases = 0;
  private skipped = 0;
  private elapsedMs = 0;
  private loaded: readonly LoadedKernel[] = [];

  constructor(
    readonly kernel: Kernel,
    readonly dialect: Dialect,
    readonly gate: GateName,
    private readonly selects: (label: string) => boolean,
    private readonly scope: TrialScope = {},
  ) {}

  /** How the cases run that are its dialect's. */
  ways(cases: readonly GateCase[]): Way[] {
    return uniqueWays(cases.filter((gateCase) => this.isOwn(gateCase)));
  }

  wants(gateCase: GateCase, _sharing?: readonly GateCase[]): boolean {
    return this.isOwn(gateCase) && this.selects(gateCase.label);
  }

  private isOwn({ shape, warp }: GateCase): boolean {
    return runsAt(this.kernel.contract, this.dialect, shape, warp);
  }

  selectsAll(): boolean {
    return this.selects('*');
  }

  /** What the driver tells of the kernels that are judged. */
  holds(loaded: readonly LoadedKernel[]): void {
    this.loaded = loaded;
  }

  cannotRun(reason: string): void {
    this.reason = reason;
  }

  take(gateCase: GateCase, outcome: Outcome | { readonly notRun: string }, elapsedMs: number): void {
    this.elapsedMs += elapsedMs;
    if ('notRun' in outcome) {
      this.skipped++;
      this.note({ about: gateCase.label, rank: 0, text: `not run at ${gateCase.label}: ${outcome.notRun}` });
      return;
    }
    this.cases++;
    const width = this.widthText(gateCase);
    this.findings.push(...outcome.findings.map((finding) => atCase(finding, gateCase.label, width)));
    for (const note of outcome.notes ?? []) this.note(note);
    if (outcome.detected) this.detected.push({ ...outcome.detected, label: gateCase.label });
    for (const chain of outcome.chains ?? []) this.chains.push({ ...chain, label: gateCase.label });
    if (MODE[gateCase.mode].image === 'ulps') this.noted++;
    for (const name of outcome.functions ?? []) this.functions.add(name);
    this.errors.take(gateCase, outcome);
    const worse = worseMargin(this.margin, outcome.margin);
    if (worse && worse !== this.margin) this.margin = { ...worse, label: gateCase.label };
  }

  /** What a width has to do with a finding: the same data ran at the first one before. */
  private widthText({ label, warp }: GateCase): string {
    if (warp === undefined) return '';
    const first = label.replace(`,warp=${warp}`, '');
    const isThere = this.findings.some((finding) => finding.label === first);
    return `At ${warp} lanes a warp${isThere ? '.' : '; at the first width the same inputs pass.'}`;
  }

  private note(note: Note): void {
    const known = this.notes.get(note.about);
    if (!known || note.rank < known.rank) this.notes.set(note.about, note);
  }

  /** The first finding that the kernel is not known for. */
  unknown(): CaseFinding | undefined {
    return this.findings.find((finding) => !this.isKnown(finding));
  }

  private known(): readonly KnownFinding[] {
    return knownFindings(this.kernel.contract, this.dialect, this.gate, this.scope.chip);
  }

  private isKnown(finding: CaseFinding): boolean {
    return this.known().some((entry) => covers(entry, finding));
  }

  result(): GateResult {
    const { status, reason } = this.verdict();
    const errors = this.errors.list();
    return {
      kind: 'gate',
      kernel: this.kernel.name,
      dialect: this.dialect,
      gate: this.gate,
      status,
      cases: this.cases,
      findings: this.findings,
      ...(this.margin && { margin: this.margin }),
      sees: seenBy(this.kernel, this.gate),
      notes: [...this.notes.values()].map(({ text }) => text),
      ...(errors.length > 0 && { errors }),
      ...(this.detected.length > 0 && { detected: this.detected }),
      ...(this.chains.length > 0 && { chains: this.chains }),
      ...(this.loaded.length > 0 && { loaded: this.loaded }),
      ...(reason !== undefined && { reason }),
      elapsedMs: this.elapsedMs,
    };
  }

  private has(kind: KnownFinding['finding']): boolean {
    return this.findings.some((finding) => finding.class === kind);
  }

  /** Whether all of the gate's cases were run: only then is a known finding gone that none of them shows. */
  private isWhole(): boolean {
    return this.selectsAll() && this.scope.isPart !== true;
  }

  private verdict(): { status: Status; reason?: string } {
    if (this.reason !== undefined) return { status: 'fail', reason: this.reason };
    const nothing = nothingToProve(this.kernel.contract, this.gate);
    if (nothing !== undefined) return { status: 'pass', reason: nothing };
    if (this.cases === 0)
      return { status: 'not run', reason: this.skipped > 0 ? 'no case fits' : 'no case is selected' };
    if (this.skipped > 0 && this.findings.length === 0)
      return { status: 'not run', reason: `cases that do not fit: ${this.skipped} of ${this.skipped + this.cases}` };
    const known = this.known().filter(({ finding }) => this.isWhole() || this.has(finding));
    if (this.unknown()) return { status: 'fail' };
    const unused =
      this.noted > 0 && this.selectsAll() ? unusedOps(this.kernel.contract, this.dialect, this.functions) : undefined;
    if (unused !== undefined) return { status: 'fail', reason: unused };
    const gone = known.find(({ finding }) => !this.has(finding));
    if (gone)
      return {
        status: 'fail',
        reason: `the known finding passes now: remove the entry '${gone.what}' from the contract`,
      };
    if (known.length === 0) return { status: 'pass' };
    return { status: 'known', reason: known.map(({ what, link }) => `${what} (${link})`).join('; ') };
  }
}
