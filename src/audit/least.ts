/** The kernel that asks least of a chip: what a launch breaks with it, it breaks however its kernel compiles. */
import type { Chip } from './chips/chip.ts';
import type { Measured } from './measured.ts';

export function leastMeasured(symbol: string, chip: Chip): Measured {
  const named = { symbol, chip: chip.name };
  switch (chip.dialect) {
    case 'cuda':
      return { ...named, ...CUDA };
    case 'hip':
      return { ...named, ...HIP, wave: 64, maxFlatWorkgroup: chip.threadsWorkgroup };
    case 'xpu':
      return { ...named, ...XPU, simd: Math.max(...chip.subgroups) };
    case 'metal':
      return { ...named, dialect: 'metal', staticThreadgroup: 0 };
  }
}

const CUDA = {
  dialect: 'cuda',
  registers: 1,
  staticShared: 0,
  stack: 0,
  registerCap: 255,
  barriers: 0,
  explicitCluster: false,
  spillStores: 0,
  spillLoads: 0,
} as const;

const HIP = {
  dialect: 'hip',
  features: [],
  vgprs: 1,
  agprs: 0,
  sgprs: 0,
  staticLds: 0,
  scratch: 0,
  vgprSpills: 0,
  sgprSpills: 0,
  dynamicStack: false,
} as const;

const XPU = { dialect: 'xpu', grf: 128, slm: 0, barriers: 0, scratch: 0, spills: 0 } as const;
