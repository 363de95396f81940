/** What a mode asks of the toolchain and of a launch, and which cases it is added to. */
import type { ImageKind } from '../device/images.ts';
import type { Contract } from '../spec/contract.ts';
import type { AddedMode, ModeName } from '../spec/modes.ts';
import { modeLabel } from '../spec/modes.ts';
import type { GateCase } from './case.ts';

interface Mode {
  readonly image: ImageKind;
  readonly flush: boolean;
}

export const MODE: Readonly<Record<ModeName, Mode>> = {
  plain: { image: 'fast', flush: false },
  fused: { image: 'fused', flush: false },
  flushed: { image: 'fast', flush: true },
  check: { image: 'check', flush: false },
};

/** A case, and the same data in other modes. Subnormals that a contract says are kept are not flushed. */
export function inModes({ denormals }: Contract, plain: GateCase, modes: readonly AddedMode[]): GateCase[] {
  const added = modes.filter((mode) => !(mode === 'flushed' && denormals === 'keep'));
  return [plain, ...added.map((mode) => ({ ...plain, mode, label: modeLabel(plain.label, mode) }))];
}

/** The modes that a run takes. */
export const ofModes = (cases: readonly GateCase[], modes: readonly ModeName[]): GateCase[] =>
  cases.filter(({ mode }) => modes.includes(mode));
