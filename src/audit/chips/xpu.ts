/** Intel chips. */
import type { Sources, XpuChip } from './chip.ts';

const KIB = 1024;

const COMMON = {
  threadsXve: { 128: 8, 256: 4 },
  workgroup: 1024,
  workgroupLargeGrf: 512,
  barriers: 32,
} as const;

/** SLM in KiB a work-group. */
const row = (
  name: string,
  served: boolean,
  ip: string | undefined,
  xveCore: number,
  subgroups: readonly number[],
  slm: number,
  uncertain: readonly (keyof XpuChip)[] = [],
): XpuChip => ({
  dialect: 'xpu',
  name,
  served,
  ...(ip !== undefined && { ip }),
  xveCore,
  subgroups,
  slmWorkgroup: slm * KIB,
  ...COMMON,
  uncertain,
});

//   chip      served  ip      XVEs a core, sub-groups, SLM, uncertain columns
export const XPU_CHIPS: readonly XpuChip[] = [
  row('acm-g10', true, '12.55.8', 16, [8, 16, 32], 64),
  row('pvc', true, '12.60', 8, [16, 32], 128),
  row('bmg', true, '20.1', 8, [16, 32], 128, ['ip']),
  row('lnl', false, '20.4', 8, [16, 32], 128, ['ip', 'slmWorkgroup']),
  row('mtl', false, undefined, 16, [8, 16, 32], 64),
];

export const XPU_SOURCES: Sources<XpuChip> = {
  ip: 'ocloc ids acm-g10; pvc, bmg, lnl: intel/compute-runtime product tables',
  xveCore: 'intel/compute-runtime, hw_info of each product',
  threadsXve: 'intel/compute-runtime: thread configurations {4, 8} of pvc, NumThreadsPerEu 8 of bmg',
  subgroups: 'ocloc 22.43 compiles 8 for acm-g10 and refuses it for pvc; intel/compute-runtime',
  workgroup: 'intel/compute-runtime: 64 hardware threads of SIMD16 from Xe2 on',
  workgroupLargeGrf: 'intel/compute-runtime, gfx_core_helper_xe2 and the unit tests of Xe-HPG',
  slmWorkgroup: 'intel/compute-runtime, hw_info_dg2 and hw_info_bmg maxProgrammableSlmSize',
  barriers: 'intel/compute-runtime, barrier counts of an interface descriptor',
};
