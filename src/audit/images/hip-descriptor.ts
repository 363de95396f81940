/** The kernel descriptor of an AMDGPU code object: the 64 bytes that the hardware is set up from. */
import { readerOf, slice, u16, u32 } from './bytes.ts';
import type { KernelMetadata } from './hip-metadata.ts';

export const DESCRIPTOR_BYTES = 64;

export interface Descriptor {
  readonly staticLds: number;
  readonly scratch: number;
  /** Steps of VGPRs less one; a step's size depends on chip and wave. */
  readonly granulatedVgprs: number;
  /** Without meaning from gfx10 on. */
  readonly granulatedSgprs: number;
  readonly wave32: boolean;
  /** Of meaning on gfx10 to gfx12 only. */
  readonly wgpMode: boolean;
}

export function readDescriptor(bytes: Uint8Array): Descriptor {
  const reader = readerOf(bytes);
  slice(reader, 0, DESCRIPTOR_BYTES);
  const rsrc1 = u32(reader, 48);
  return {
    staticLds: u32(reader, 0),
    scratch: u32(reader, 4),
    granulatedVgprs: rsrc1 & 63,
    granulatedSgprs: (rsrc1 >>> 6) & 15,
    wave32: ((u16(reader, 56) >>> 10) & 1) === 1,
    wgpMode: ((rsrc1 >>> 29) & 1) === 1,
  };
}

/** Where note and descriptor disagree, in words; undefined where they agree. The hardware follows the descriptor. */
export function disagreement(chip: string, kernel: KernelMetadata, descriptor: Descriptor): string | undefined {
  const wave = descriptor.wave32 ? 32 : 64;
  if (kernel.wave !== wave) return `wave ${kernel.wave} in the note, ${wave} in the descriptor`;
  if (kernel.staticLds !== descriptor.staticLds) {
    return `${kernel.staticLds} LDS bytes in the note, ${descriptor.staticLds} in the descriptor`;
  }
  if (kernel.scratch !== descriptor.scratch) {
    return `${kernel.scratch} scratch bytes in the note, ${descriptor.scratch} in the descriptor`;
  }
  if (kernel.wgpMode !== undefined && isRdna(chip) && kernel.wgpMode !== descriptor.wgpMode) {
    return `WGP mode ${kernel.wgpMode} in the note, ${descriptor.wgpMode} in the descriptor`;
  }
  return vgprDisagreement(chip, kernel, descriptor);
}

/**
 * VGPRs of a wave: the note's, or the descriptor's where it allocates more. A kernel held to few waves
 * (`amdgpu_waves_per_eu`) uses 2 and is given 88, so that no more waves fit.
 */
export function allocatedVgprs(chip: string, kernel: KernelMetadata, descriptor: Descriptor): number {
  const { used, allocated } = vgprSteps(chip, kernel, descriptor) ?? NO_STEPS;
  return allocated > used ? allocated : kernel.vgprs;
}

/** Whether the chip has work-group processors: gfx10 to gfx12, without gfx125x. */
export function isRdna(chip: string): boolean {
  return /^gfx1[0-2]/.test(chip) && !chip.startsWith('gfx125');
}

// --- details ---

function vgprDisagreement(chip: string, kernel: KernelMetadata, descriptor: Descriptor): string | undefined {
  const { used, allocated } = vgprSteps(chip, kernel, descriptor) ?? NO_STEPS;
  return allocated < used ? `${kernel.vgprs} VGPRs in the note, ${allocated} in the descriptor` : undefined;
}

const NO_STEPS = { used: 0, allocated: 0 };

/** VGPRs in whole steps, by the note and by the descriptor. */
function vgprSteps(chip: string, kernel: KernelMetadata, descriptor: Descriptor): typeof NO_STEPS | undefined {
  const step = encodedStep(chip, kernel.wave);
  if (step === undefined) return undefined;
  return {
    used: Math.ceil(Math.max(kernel.vgprs, 1) / step) * step,
    allocated: (descriptor.granulatedVgprs + 1) * step,
  };
}

/** VGPRs a step of the descriptor's field; undefined for a chip whose encoding is not known. */
function encodedStep(chip: string, wave: number): number | undefined {
  if (isRdna(chip)) return wave === 32 ? 8 : 4;
  if (/^gfx(90a|94|95|9-4)/.test(chip)) return 8;
  return chip.startsWith('gfx9') ? 4 : undefined;
}
