/** A kernel that a gate finds something of, ready to be judged on any inputs, and the case at which it was found. */
import type { CheckOptions } from '../device/device.ts';
import type { RunDevice } from '../device/run-device.ts';
import type { Dialect } from '../families/formula/functions.ts';
import type { Inputs } from '../families/inputs.ts';
import type { GateName } from '../spec/contract.ts';
import type { Kernel, PlantedControl } from '../spec/registration.ts';
import type { Judged } from '../gates/attempt.ts';
import { attempt } from '../gates/attempt.ts';
import type { Bench, CaseData, Gate } from '../gates/case.ts';
import { GATE_BY_NAME } from '../gates/job.ts';
import type { Way } from '../gates/mode.ts';
import { Stage } from '../gates/stage.ts';
import type { Subject } from '../gates/subject.ts';
import { prepareSubject } from '../gates/subject.ts';
import type { Workshop } from '../gates/workshop.ts';

/** Where kernels run: a workshop, and what its device is. */
export interface Shop extends Workshop {
  readonly on: RunDevice;
}

/** Which kernel, at which gate, with which fault planted. */
export interface Target {
  readonly kernel: Kernel;
  readonly dialect: Dialect;
  readonly gate: GateName;
  readonly control?: PlantedControl;
}

export interface Settings {
  readonly seed: string;
  /** How long a launch may run. */
  readonly limitMs: number;
  readonly check?: CheckOptions;
  /** The order of a launch; of gate 2 the orders in which it repeats a case, its own where this is not said. */
  readonly schedules?: readonly number[];
}

/** Gate 2's orders by their numbers, so that a difference names two that show it. */
const SCHEDULES = [0, 1, 2, 3, 4] as const;

interface Subjects {
  readonly own: Subject;
  readonly replaced?: Subject;
  /** The kernel without the control that is planted. */
  readonly sound?: Subject;
}

export class Suspect {
  readonly gate: Gate;
  private stage: { readonly key: Inputs['shape']; readonly stage: Stage } | undefined;

  private constructor(
    readonly shop: Shop,
    readonly target: Target,
    /** How it is judged. */
    readonly way: Way,
    readonly settings: Settings,
    private readonly subjects: Subjects,
  ) {
    this.gate = GATE_BY_NAME[target.gate];
  }

  /** Loads the target's images for some ways, and judges in the first of them; throws a SubjectError where there are none. */
  static async prepare(shop: Shop, target: Target, ways: readonly Way[], settings: Settings): Promise<Suspect> {
    const { kernel, dialect, gate, control } = target;
    const prepared = (of: Kernel, planted?: PlantedControl): Promise<Subject> =>
      prepareSubject(shop.device, shop.sources, of, dialect, ways, planted);
    const own = await prepared(kernel, control);
    const sound = control && (await prepared(kernel));
    const other = gate === 'shapes' ? shop.kernels.get(kernel.contract.replaces ?? '') : undefined;
    const replaced = other && (await prepared(other));
    const [way = { mode: 'plain' }] = ways;
    return new Suspect(shop, target, way, settings, { own, ...(replaced && { replaced }), ...(sound && { sound }) });
  }

  /** The same images in a way that they were loaded for, or with other settings. */
  with(way: Way, settings: Partial<Settings> = {}): Suspect {
    return new Suspect(this.shop, this.target, way, { ...this.settings, ...settings }, this.subjects);
  }

  get subject(): Subject {
    return this.subjects.own.inWay(this.way, this.settings.seed);
  }

  /** The kernel without the control that is planted; undefined where none is. */
  get sound(): Suspect | undefined {
    const { own: _planted, sound, replaced } = this.subjects;
    if (!sound) return undefined;
    const { control: _control, ...target } = this.target;
    return new Suspect(this.shop, target, this.way, this.settings, { own: sound, ...(replaced && { replaced }) });
  }

  /** Judges inputs; what the launch does to buffers stays within them. */
  judge(data: CaseData, judge: Gate['judge']): Judged {
    const { limitMs, check, schedules } = this.settings;
    return attempt(
      limitMs,
      () => {
        const { replaced } = this.subjects;
        const stage = this.stageOf(data.inputs);
        stage.setOrder(schedules?.[0] ?? 0);
        const bench: Bench = {
          device: this.shop.device,
          stage,
          limitMs,
          schedules: schedules ?? SCHEDULES,
          ...(check && { check }),
          ...(replaced && { replaced: replaced.inWay(this.way, this.settings.seed) }),
        };
        return judge(data, this.subject, bench);
      },
      this.target,
    );
  }

  /** Buffers that hold these inputs: those of the last ones where the shape is the same. */
  stageOf(inputs: Inputs): Stage {
    const { contract } = this.target.kernel;
    const last = this.stage;
    if (last && isSameShape(last.key, inputs.shape)) {
      last.stage.replace(inputs);
      return last.stage;
    }
    this.close();
    this.stage = { key: inputs.shape, stage: new Stage(this.shop.device, contract, inputs, this.settings.limitMs) };
    return this.stage.stage;
  }

  /** Frees the buffers; they come back with the next inputs. */
  close(): void {
    this.stage?.stage.close();
    this.stage = undefined;
  }

  release(): void {
    this.close();
    for (const subject of Object.values(this.subjects)) subject.release();
  }
}

const isSameShape = (a: Inputs['shape'], b: Inputs['shape']): boolean =>
  Object.entries(a).every(([dim, size]) => b[dim] === size);
