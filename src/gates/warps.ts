/** Which cases also run at the other widths of a kernel's dialects: the lanes of a warp that their served chips have. */
import { WIDTHS, runsAt, warpLabel } from '../spec/warps.ts';
import type { Kernel } from '../spec/registration.ts';
import type { DeviceKind } from '../device/device.ts';
import type { ModeName } from '../spec/modes.ts';
import type { GateCase } from './case.ts';

/** Modes whose cases run at every width: what the other ones change of single operations does not hang on the lanes. */
export const AT_EVERY_WIDTH: readonly ModeName[] = ['plain', 'check'];

/** Cases, each followed by the same data at the other widths that some dialect takes its shape at. */
export function atWidths({ contract, dialects }: Kernel, cases: readonly GateCase[]): GateCase[] {
  return cases.flatMap((first) => {
    if (!AT_EVERY_WIDTH.includes(first.mode)) return [first];
    const widths = WIDTHS.filter((warp) => dialects.some((dialect) => runsAt(contract, dialect, first.shape, warp)));
    return [first, ...widths.map((warp) => ({ ...first, warp, label: warpLabel(first.label, warp) }))];
  });
}

/** A GPU has the one width that it has. */
export const widthsOn = (kind: DeviceKind, cases: readonly GateCase[]): GateCase[] =>
  cases.filter(({ warp }) => kind === 'host' || warp === undefined);
