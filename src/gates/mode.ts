/** What a mode asks of the toolchain and of a launch, and which cases it is added to. */
import type { DeviceKind } from '../device/device.ts';
import type { ImageKind } from '../device/images.ts';
import type { Contract, Control, Need } from '../spec/contract.ts';
import type { AddedMode, ModeName } from '../spec/modes.ts';
import { modeOf } from '../spec/registration.ts';
import { modeLabel } from '../spec/modes.ts';
import type { GateCase } from './case.ts';

interface Mode {
  readonly image: ImageKind;
  readonly flush: boolean;
  /** How far off a launch's functions are, from the run's seed; 0: not at all. */
  readonly ulps: (seed: string) => number;
}

const exact = (): number => 0;
/** Of a launch's `ulps`: every result at its upper limit, at its lower one, and the first of those that draw. */
const [UP, DOWN, DRAWN] = [1, 2, 3] as const;

export const MODE: Readonly<Record<ModeName, Mode>> = {
  plain: { image: 'fast', flush: false, ulps: exact },
  fused: { image: 'fused', flush: false, ulps: exact },
  flushed: { image: 'fast', flush: true, ulps: exact },
  'ulps-up': { image: 'ulps', flush: false, ulps: () => UP },
  'ulps-down': { image: 'ulps', flush: false, ulps: () => DOWN },
  'ulps-mixed': { image: 'ulps', flush: false, ulps: (seed) => DRAWN + (Number(seed) % 2 ** 31) },
  check: { image: 'check', flush: false, ulps: exact },
};

/** How a case runs: its mode, and the lanes of a warp where they are not the launch's first. */
export interface Way {
  readonly mode: ModeName;
  readonly warp?: number;
}

/** A case's way alone. */
export const wayOf = ({ mode, warp }: Pick<Way, 'mode'> & { readonly warp?: number | undefined }): Way => ({
  mode,
  ...(warp !== undefined && { warp }),
});

export const isSameWay = (a: Way, b: Way): boolean => a.mode === b.mode && a.warp === b.warp;

/** Ways, each once. */
export const uniqueWays = (ways: readonly Way[]): Way[] => [
  ...new Map(ways.map((way) => [`${way.mode} ${way.warp}`, wayOf(way)])).values(),
];

/** The modes of arithmetic, which gate 3 adds. */
export const ARITHMETIC: readonly AddedMode[] = ['fused', 'flushed', 'ulps-up', 'ulps-down', 'ulps-mixed'];

/** A case, and the same data in other modes. Subnormals that a contract says are kept are not flushed. */
export function inModes({ denormals }: Contract, plain: GateCase, modes: readonly AddedMode[]): GateCase[] {
  const added = modes.filter((mode) => !(mode === 'flushed' && denormals === 'keep'));
  return [plain, ...added.map((mode) => ({ ...plain, mode, label: modeLabel(plain.label, mode) }))];
}

/** The modes of a device: a GPU has the arithmetic that its own compiler makes, all others are images of the host device. */
export const modesOn = (kind: DeviceKind, modes: readonly ModeName[]): ModeName[] =>
  modes.filter((mode) => kind === 'host' || mode === 'plain');

/** Why a device cannot be asked for a control's finding; undefined where it can. */
export function whyNotOn(kind: DeviceKind, control: Control): string | undefined {
  const mode = modeOf(control);
  if (kind === 'host') return undefined;
  if (mode !== 'plain') return `mode ${mode} is an image of the host device`;
  if (control.warp !== undefined) return `warps of ${control.warp} lanes are asked of the host device's images`;
  return control.needs === undefined ? undefined : NEEDED[control.needs];
}

/** What only the host device has, by the word that a control needs it by. */
const NEEDED: Readonly<Record<Need, string>> = {
  schedules: "only the host device's orders show it with certainty",
};

/** The modes that a run takes. */
export const ofModes = (cases: readonly GateCase[], modes: readonly ModeName[]): GateCase[] =>
  cases.filter(({ mode }) => modes.includes(mode));
