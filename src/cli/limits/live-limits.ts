/** Gate 5 on the GPUs of a run: what their drivers told of the kernels that were loaded, beside what the records say. */
import type { Verdict } from '../../audit/audit.ts';
import type { LiveKernel } from '../../audit/live.ts';
import { auditLive } from '../../audit/live.ts';
import type { RunDevice } from '../../device/run-device.ts';
import { deviceLabel } from '../../device/run-device.ts';
import { verdictLines } from '../../report/limits.ts';
import type { Registration } from '../../report/registration.ts';
import type { LimitsRun } from './gate.ts';

interface Live {
  readonly device: RunDevice;
  /** Undefined where its chip has no row. */
  readonly verdicts: readonly Verdict[] | undefined;
}

/** Gate 5 with the verdicts of the GPUs that ran; as it is where none did. */
export async function withLive(
  limits: LimitsRun,
  devices: readonly RunDevice[],
  registrations: readonly Registration[],
): Promise<LimitsRun> {
  const gpus = devices.filter(({ id }) => id !== 'host');
  if (gpus.length === 0) return limits;
  const recorded = await (await import('./audit-data.ts')).readRecorded();
  const live = gpus.map((device): Live => {
    const [dialect] = device.dialects;
    const { id, chip, limits: own = {} } = device;
    if (dialect === undefined || chip === undefined) return { device, verdicts: undefined };
    return {
      device,
      verdicts: auditLive({ id, dialect, chip, limits: own }, kernelsOn(device, registrations), recorded),
    };
  });
  const verdicts = live.flatMap((each) => each.verdicts ?? []);
  const problems = verdicts.filter((verdict) => verdict.problems.length > 0);
  const { tally } = limits;
  return {
    ...limits,
    tells: true,
    lines: (style) => [
      ...limits.lines(style),
      ...problems.flatMap((verdict) => verdictLines(verdict, style)),
      ...live.map((each) => liveLine(each)),
    ],
    tally: {
      ...tally,
      verdicts: tally.verdicts + verdicts.length,
      problems: tally.problems + problems.length,
    },
    results: async () => {
      const results = await limits.results();
      const rows = verdicts.map((verdict) => ({ ...verdict, shapes: [] }));
      return { ...results, verdicts: [...results.verdicts, ...rows] };
    },
  };
}

/** What a device was asked, in a line: nothing is green by absence. */
function liveLine({ device, verdicts }: Live): string {
  const name = deviceLabel(device);
  if (!verdicts)
    return `NOT RUN  limits  ${name}  ${device.chip} has no row in the tables of chips, so its launches are not audited`;
  if (verdicts.length === 0) return `NOT RUN  limits  ${name}  no kernel was loaded on it`;
  const fits = verdicts.filter(({ problems }) => problems.length === 0).length;
  return `LIMITS  ${name}  ${fits} of ${verdicts.length} loaded kernels fit ${device.chip}, as its driver tells of them`;
}

/** The kernels that were loaded on a device, each once. */
function kernelsOn({ id }: RunDevice, registrations: readonly Registration[]): LiveKernel[] {
  const own = registrations.filter(({ device }) => device.id === id);
  const all = own.flatMap(({ kernel, dialect, gates }) =>
    gates.flatMap(({ loaded = [] }) => loaded.map((each): LiveKernel => ({ kernel, dialect, ...each }))),
  );
  const named = all.map((live) => [JSON.stringify([live.kernel, live.symbol, live.defines]), live] as const);
  return [...new Map(named).values()];
}
