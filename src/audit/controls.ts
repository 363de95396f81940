/**
 * The standing controls of gate 5: launches that a chip must refuse, each for its own reason. Each has a sound launch
 * beside it that differs in one thing and must fit, so that it is the planted thing that is found.
 */
import type { Dialect } from '../families/formula/functions.ts';
import { chipNamed } from './chips/all.ts';
import type { Chip } from './chips/chip.ts';
import type { LaunchAt } from './launch.ts';
import { leastMeasured } from './least.ts';
import type { CudaMeasured, HipMeasured, Measured, MetalMeasured, XpuMeasured } from './measured.ts';
import type { Limit, LimitProblem } from './problem.ts';
import { staleImage } from './records-stale.ts';
import { brokenLimits, limitProblems } from './rules/rules.ts';

type Facts = Partial<CudaMeasured> | Partial<HipMeasured> | Partial<XpuMeasured> | Partial<MetalMeasured>;

/** A launch, what was measured, and, where it differs, what an image holds. */
interface Trial {
  readonly launch: LaunchAt;
  readonly facts: Facts;
  readonly image?: Facts;
}

export interface LimitControl {
  readonly id: string;
  readonly fault: string;
  readonly dialect: Dialect;
  readonly chips: readonly string[];
  /** The limit that must be named, and no other. */
  readonly limit: Limit;
  readonly planted: Trial;
  readonly sound: Trial;
}

const SMS = ['sm_80', 'sm_86', 'sm_87', 'sm_89', 'sm_90', 'sm_100', 'sm_103', 'sm_110', 'sm_120', 'sm_121'];
const GFX = ['gfx1030', 'gfx1100', 'gfx1151', 'gfx1201', 'gfx90a', 'gfx942'];
const XPU = ['acm-g10', 'pvc', 'bmg'];
const APPLE = ['M1', 'M2', 'M3', 'M4', 'M5'];

const KIB = 1024;
const ONE: LaunchAt = { threads: [32, 1, 1], grid: [1, 1, 1], localBytes: 0, optIn: false };
const threads = (x: number): LaunchAt => ({ ...ONE, threads: [x, 1, 1] });
const bytes = (localBytes: number): LaunchAt => ({ ...ONE, localBytes });

export const LIMIT_CONTROLS: readonly LimitControl[] = [
  {
    id: 'cuda-bound',
    fault: 'a kernel is launched past its __launch_bounds__',
    dialect: 'cuda',
    chips: SMS,
    limit: 'launch bound',
    planted: { launch: threads(512), facts: { registers: 18, maxThreads: [256, 1, 1] } },
    sound: { launch: threads(256), facts: { registers: 18, maxThreads: [256, 1, 1] } },
  },
  {
    id: 'cuda-registers',
    fault: 'a kernel needs more registers than a block has',
    dialect: 'cuda',
    chips: SMS,
    limit: 'registers',
    planted: { launch: threads(1024), facts: { registers: 128 } },
    sound: { launch: threads(512), facts: { registers: 128 } },
  },
  {
    id: 'hip-bound',
    fault: 'a kernel is launched past its __launch_bounds__',
    dialect: 'hip',
    chips: GFX,
    limit: 'launch bound',
    planted: { launch: threads(512), facts: { vgprs: 32, maxFlatWorkgroup: 256 } },
    sound: { launch: threads(256), facts: { vgprs: 32, maxFlatWorkgroup: 256 } },
  },
  {
    id: 'hip-lds',
    fault: '40 KiB of static LDS is launched with 32 KiB more',
    dialect: 'hip',
    chips: GFX,
    limit: 'local bytes',
    planted: { launch: bytes(32 * KIB), facts: { staticLds: 40 * KIB } },
    sound: { launch: bytes(24 * KIB), facts: { staticLds: 40 * KIB } },
  },
  {
    id: 'xpu-slm',
    fault: 'a kernel takes 160 KiB of SLM',
    dialect: 'xpu',
    chips: XPU,
    limit: 'local bytes',
    planted: { launch: ONE, facts: { slm: 160 * KIB } },
    sound: { launch: ONE, facts: { slm: 64 * KIB } },
  },
  {
    id: 'xpu-sub-group',
    fault: 'a launch is for sub-groups of 32 alone, which the source does not require',
    dialect: 'xpu',
    chips: XPU,
    limit: 'sub-group',
    planted: { launch: { ...ONE, notAt: [16, 8] }, facts: { simd: 32 } },
    sound: { launch: { ...ONE, notAt: [16, 8] }, facts: { simd: 32, requiredSubgroup: 32 } },
  },
  {
    id: 'xpu-large-grf',
    fault: 'a 256-GRF SIMD16 kernel is launched at 1,024 work-items',
    dialect: 'xpu',
    chips: XPU,
    limit: 'grf',
    planted: { launch: threads(1024), facts: { grf: 256, simd: 16 } },
    sound: { launch: threads(512), facts: { grf: 256, simd: 16 } },
  },
  {
    id: 'xpu-mode',
    fault: "a record's GRF mode is not the zebin's",
    dialect: 'xpu',
    chips: XPU,
    limit: 'stale',
    planted: { launch: ONE, facts: { grf: 128 }, image: { grf: 256 } },
    sound: { launch: ONE, facts: { grf: 128 }, image: { grf: 128 } },
  },
  {
    id: 'metal-pipeline',
    fault: 'a pipeline that compiles for 512 threads is launched at 1,024',
    dialect: 'metal',
    chips: ['M1', 'M2'],
    limit: 'pipeline',
    planted: { launch: threads(1024), facts: { maxThreads: 512 } },
    sound: { launch: threads(512), facts: { maxThreads: 512 } },
  },
  {
    id: 'metal-memory',
    fault: 'a kernel takes 36 KiB of threadgroup memory',
    dialect: 'metal',
    chips: APPLE,
    limit: 'local bytes',
    planted: { launch: bytes(4 * KIB), facts: { staticThreadgroup: 32 * KIB, maxThreads: 1024 } },
    sound: { launch: ONE, facts: { staticThreadgroup: 32 * KIB, maxThreads: 1024 } },
  },
];

/** red: every chip refused for the named reason alone. missed: one let it pass. broken: anything else. */
export interface LimitControlResult {
  readonly id: string;
  readonly fault: string;
  readonly dialect: Dialect;
  readonly status: 'red' | 'missed' | 'broken';
  /** Where it went red, or why it did not. A function, since that of a red one is seldom told. */
  readonly reason: () => string;
}

/** A result in words. */
export type ToldControl = Omit<LimitControlResult, 'reason'> & { readonly reason: string };
export const toldControl = (result: LimitControlResult): ToldControl => ({ ...result, reason: result.reason() });

export const judgeControls = (controls: readonly LimitControl[] = LIMIT_CONTROLS): LimitControlResult[] =>
  controls.map(judgeControl);

function judgeControl(control: LimitControl): LimitControlResult {
  const { id, fault, dialect } = control;
  return { id, fault, dialect, ...verdictOf(control) };
}

type ControlVerdict = Pick<LimitControlResult, 'status' | 'reason'>;

function verdictOf({ chips, dialect, limit, planted, sound }: LimitControl): ControlVerdict {
  const [first] = chips;
  if (first === undefined) return { status: 'broken', reason: () => 'it names no chip' };
  for (const name of chips) {
    const chip = chipNamed(dialect, name);
    if (!chip) return { status: 'broken', reason: () => `${name} is no ${dialect} chip` };
    if (limitsOf(sound, chip).length > 0) {
      return { status: 'broken', reason: () => `without its fault it must fit ${name}, but: ${sumOf(sound, chip)}` };
    }
    const limits = limitsOf(planted, chip);
    const other = limits.find((found) => found !== limit);
    if (other !== undefined) {
      const reason = (): string => `it must be found as '${limit}' on ${name}, but: ${sumOf(planted, chip, other)}`;
      return { status: 'broken', reason };
    }
    if (limits.length === 0) return { status: 'missed', reason: () => `it fits ${name}` };
  }
  return { status: 'red', reason: () => `${first}: ${sumOf(planted, chipNamed(dialect, first) as Chip)}` };
}

const PATH = 'the record';

const measuredOf = ({ facts }: Trial, chip: Chip): Measured =>
  ({ ...leastMeasured('control', chip), ...facts }) as Measured;

/** The limits that a trial breaks: a control is judged by the same rules as a launch, and its record by the same comparison. */
function limitsOf(trial: Trial, chip: Chip): Limit[] {
  const broken = brokenLimits([trial.launch], measuredOf(trial, chip), chip);
  return trial.image && staleOf(trial, chip) ? [...broken, 'stale'] : broken;
}

/** The sum that shows a broken limit; of the first one where none is named. */
function sumOf(trial: Trial, chip: Chip, limit?: Limit): string {
  const stale = staleOf(trial, chip);
  const problems = [...limitProblems([trial.launch], measuredOf(trial, chip), chip), ...(stale ? [stale] : [])];
  return (problems.find((problem) => limit === undefined || problem.limit === limit) as LimitProblem).what;
}

function staleOf(trial: Trial, chip: Chip): LimitProblem | undefined {
  if (!trial.image) return undefined;
  const facts = measuredOf(trial, chip);
  const record = { kernel: 'control', chip: chip.name, symbol: 'control', source: '', facts, path: PATH };
  return staleImage(record, { ...facts, ...trial.image } as Measured);
}
