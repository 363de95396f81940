/** The question that a minimiser asks over and over: do these inputs still fail, of the same cause? Bounded in time. */
import type { Inputs } from '../families/inputs.ts';
import { elementCodes, restingCode } from '../families/codes.ts';
import type { Gate } from '../gates/case.ts';
import { tooLarge } from '../gates/attempt.ts';
import type { Finding } from '../gates/finding.ts';
import { givenData, judgeGiven } from '../gates/given.ts';
import type { Cause } from '../spec/cause.ts';
import { isSameCause } from '../spec/cause.ts';
import type { Launch } from '../spec/contract.ts';
import type { Suspect } from './suspect.ts';

/** What a search is at, for whoever watches. */
export interface SearchState {
  readonly phase: 'shape' | 'values' | 'proof';
  readonly trials: number;
  readonly inputs: Inputs;
  /** Inputs that are not zero. */
  readonly nonzero: number;
}

export interface SearchOptions {
  /** When to stop, on the clock of performance.now. */
  readonly until: number;
  /** Called between trials, a few times a second; may throw to end the search. */
  readonly watch?: (state: SearchState) => void;
  /** Milliseconds between two calls. */
  readonly breath?: number;
}

/** Milliseconds between two calls of `watch`. */
const BREATH = 40;

export class Search {
  trials = 0;
  phase: SearchState['phase'] = 'shape';
  /** Whether time ran out before the search was through. */
  isSpent = false;
  private breath = performance.now();
  private readonly judge: Gate['judge'];
  private readonly launch: Launch;
  private readonly sound: Suspect | undefined;

  constructor(
    readonly suspect: Suspect,
    readonly cause: Cause,
    private best: Inputs,
    private readonly options: SearchOptions,
  ) {
    this.judge = judgeGiven(suspect.target.gate, suspect.way.mode, cause);
    this.launch = suspect.subject.route(best.shape).launch;
    this.sound = suspect.sound;
  }

  close(): void {
    this.suspect.close();
    this.sound?.close();
  }

  /** The finding that inputs show, where it is the wanted one, on the same launch; false once time has run out. */
  async fails(inputs: Inputs): Promise<Finding | undefined> {
    await this.breathe();
    if (this.isSpent) return undefined;
    const finding = this.findingOf(inputs);
    if (finding) this.best = inputs;
    return finding;
  }

  /** As `fails`, at once and outside of the time. */
  findingOf(inputs: Inputs): Finding | undefined {
    const { contract } = this.suspect.target.kernel;
    if (!this.takes(inputs.shape) || tooLarge(contract, inputs.shape) !== undefined) return undefined;
    this.trials++;
    const finding = this.wanted(this.suspect, inputs);
    // What the kernel shows without the fault as well is no sign of the fault.
    return finding && this.sound && this.wanted(this.sound, inputs) ? undefined : finding;
  }

  private wanted(suspect: Suspect, inputs: Inputs): Finding | undefined {
    const judged = suspect.judge(givenData(inputs), this.judge);
    if ('notRun' in judged) return undefined;
    return judged.findings.find((finding) => isSameCause(finding.cause, this.cause));
  }

  private takes(shape: Inputs['shape']): boolean {
    try {
      return this.suspect.subject.route(shape).launch === this.launch;
    } catch {
      return false; // no launch takes it
    }
  }

  private async breathe(): Promise<void> {
    const now = performance.now();
    if (now >= this.options.until) this.isSpent = true;
    if (now < this.breath + (this.options.breath ?? BREATH)) return;
    const { phase, trials, best } = this;
    this.options.watch?.({ phase, trials, inputs: best, nonzero: nonzeroCount(this.suspect, best) });
    await new Promise((resolve) => setImmediate(resolve));
    this.breath = performance.now();
  }
}

export function nonzeroCount({ target: { kernel } }: Suspect, inputs: Inputs): number {
  return Object.entries(kernel.contract.inputs).reduce((sum, [name, tensor]) => {
    const codes = elementCodes(tensor, inputs.shape, inputs.bytes[name] ?? new Uint8Array(0));
    const rest = restingCode(tensor);
    return codes.reduce((count, code) => count + (code === rest ? 0 : 1), sum);
  }, 0);
}
