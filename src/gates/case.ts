/** The cases of a gate, and what is known of one before any kernel runs: inputs, reference, ranges, each made once. */
import { decodeAll } from '../numerics/codec.ts';
import type { Ranges, Values } from '../families/answer.ts';
import { ranges, reference } from '../families/answer.ts';
import type { Planted } from '../families/fills/plants.ts';
import type { Arithmetic } from '../families/formula/range.ts';
import type { Inputs } from '../families/inputs.ts';
import { bytesFor } from '../families/inputs.ts';
import type { Problem } from '../families/problem.ts';
import type { Shape } from '../families/tensor.ts';
import { elementCount } from '../families/tensor.ts';
import type { Contract, GateName, Rule, RuleOutputs } from '../spec/contract.ts';
import type { ModeName } from '../spec/modes.ts';
import type { Kernel } from '../spec/registration.ts';
import type { CheckOptions, Device } from '../device/device.ts';
import type { Outcome } from './finding.ts';
import type { Stage } from './stage.ts';
import type { Subject } from './subject.ts';

export interface GateCase {
  readonly label: string;
  readonly shape: Shape;
  readonly mode: ModeName;
  /** The lanes of a warp, where they are not the launch's first. */
  readonly warp?: number;
  /** How the case is judged, where not as its gate's others are. */
  readonly judge?: Gate['judge'];
  /** Makes the case's data; cases that share this function share what it makes. */
  readonly prepare: () => CaseData;
}

export interface Bench {
  readonly device: Device;
  /** The case's buffers, shared by its subjects; a subject leaves them as it found them. */
  readonly stage: Stage;
  /** How long a launch may run. */
  readonly limitMs: number;
  /** How check images run. */
  readonly check?: CheckOptions;
  /** The orders in which a case repeats, the first of them what the others are held against; the gate's own where not said. */
  readonly schedules?: readonly number[];
  /** The kernel whose bits the subject must equal. */
  readonly replaced?: Subject;
}

/** A gate: its cases, and its judgement of a subject at one of them. */
export interface Gate {
  readonly name: GateName;
  readonly cases: (kernel: Kernel, seed: string) => GateCase[];
  readonly judge: (data: CaseData, subject: Subject, bench: Bench) => Outcome;
}

/** Milliseconds spent on float64 references since the start, for the report. */
export const referenceTime = { ms: 0 };

function timed<T>(make: () => T): T {
  const from = performance.now();
  try {
    return make();
  } finally {
    referenceTime.ms += performance.now() - from;
  }
}

/** What inputs that are corner rows hold along a dimension, in words. */
export interface Corners {
  readonly dim: string | undefined;
  readonly kindOf: (row: number) => string;
}

/** What is special about a case's inputs, for the judge and the reader of a finding. */
export interface Special {
  readonly planted?: Planted;
  readonly corners?: Corners;
}

export class CaseData {
  private readonly values = new Map<string, Values>();
  private readonly spreads = new Map<string, Ranges>();
  private ruled: RuleOutputs | undefined;

  constructor(
    readonly inputs: Inputs,
    private readonly special: Special = {},
  ) {}

  get planted(): Special['planted'] {
    return this.special.planted;
  }

  get corners(): Special['corners'] {
    return this.special.corners;
  }

  get shape(): Shape {
    return this.inputs.shape;
  }

  /** The float64 value of every output. */
  reference(problem: Problem): Values {
    return cached(this.values, problem.graph.text, () => timed(() => reference(problem, this.inputs)));
  }

  /** The range of every output under an arithmetic. */
  ranges(problem: Problem, arithmetic: Arithmetic & { readonly key: string }): Ranges {
    const key = `${problem.graph.text} ${arithmetic.key} ${arithmetic.exactIntegerSums ?? false}`;
    return cached(this.spreads, key, () => timed(() => ranges(problem, this.inputs, arithmetic)));
  }

  /** What a stated rule gives. */
  rule(contract: Contract, rule: Rule): RuleOutputs {
    this.ruled ??= timed(() => {
      const decoded = Object.entries(contract.inputs).map(([name, tensor]) => {
        const values = decodeAll(tensor.dtype, bytesFor(this.inputs, name), elementCount(tensor, this.shape));
        return [name, values] as const;
      });
      return rule.outputs(Object.fromEntries(decoded), this.shape);
    });
    return this.ruled;
  }
}

function cached<T>(map: Map<string, T>, key: string, make: () => T): T {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
