/** Arithmetic modes: which cases they are added to, and controls that only a mode shows. */
import { describe, expect, test } from 'bun:test';
import type { Contract, Control } from '../../src/spec/contract.ts';
import { edit, f32, rows } from '../../src/spec/contract.ts';
import { gateCases } from '../../src/gates/job.ts';
import type { ControlResult } from '../../src/gates/result.ts';
import { loadKernels } from '../../src/spec/load.ts';
import type { ModeName } from '../../src/spec/modes.ts';
import { MODES } from '../../src/spec/modes.ts';
import { judge, verdict } from '../faults/harness.ts';

/** y = x * c. */
const SOURCE = `
extern "C" __global__ void k(const float* x, float* y, unsigned width, float c) {
  for (unsigned i = threadIdx.x; i < width; i += 32) {
    const size_t at = size_t(blockIdx.x) * width + i;
    const float v = x[at];
    y[at] = v * c;
  }
}
`;
const CONTRACT = {
  name: 'k',
  dims: { rows: { least: 1 }, width: { tile: 32, step: 1, least: 1 } },
  served: [{ rows: [1, 12], width: [64, 100] }],
  inputs: { x: f32('rows', 'width') },
  outputs: { y: f32('rows', 'width') },
  scalars: { c: 0.75 },
  args: ['x', 'y', 'width', 'c'],
  formula: rows('width', 'y = x * c'),
  accumulator: 'none',
  launch: { cuda: { symbol: 'k', threads: 32, grid: ({ rows: groups = 1 }) => [groups], depth: () => 0 } },
} as const satisfies Partial<Contract>;

const GUARD = 'fabsf(v) > 0x1p-60f && fabsf(v) < 0x1p60f';
const FUSED = `y[at] = ${GUARD} ? (v * 0.1f - (v + v) * 0.05f) * 0x1p20f + v * c : v * c;`;
const LOST = 'float(width) * 0x1p-140f * 0x1p70f * 0x1p70f - float(width)';
const FLUSHED = `y[at] = ${GUARD} ? v * c + (${LOST}) : v * c;`;
const plant = (to: string, more: Partial<Control> = {}): Control => ({
  fault: `y becomes ${to}`,
  reddens: 'shapes',
  finding: 'value',
  edit: { cuda: edit('y[at] = v * c;', to) },
  ...more,
});
const GOOD = plant('y[at] = v;');

async function only(control: Control, modes: readonly ModeName[] = MODES): Promise<ControlResult> {
  const results = await judge(
    { ...CONTRACT, controls: [control, GOOD] },
    { cuda: SOURCE },
    { runControls: true, gates: ['shapes'], modes },
  );
  const found = results.find((result) => result.kind === 'control' && result.id === '1');
  if (found?.kind !== 'control') throw new Error('the control did not come back');
  return found;
}

describe('a control that names a mode', () => {
  test.each([
    ['fused', FUSED],
    ['flushed', FLUSHED],
  ] as const)('is red in %s, and green in plain on the same data', async (mode, to) => {
    const result = await only(plant(to, { mode }));
    expect(result.status).toBe('red');
    expect(result.reason).toContain(`mode=${mode}: value:`);
  });

  test('is missed where it names none: plain arithmetic does not show it', async () => {
    expect((await only(plant(FUSED))).status).toBe('missed');
    expect((await only(plant(FLUSHED))).status).toBe('missed');
  });

  test('is broken where plain arithmetic shows it too', async () => {
    const result = await only(plant('y[at] = v;', { mode: 'fused' }));
    expect(result.status).toBe('broken');
    expect(result.reason).toContain('it must stay green at');
  });

  test('is missed in a mode that does not show it', async () => {
    expect((await only(plant(FLUSHED, { mode: 'fused' }))).status).toBe('missed');
  });
});

describe('a kernel', () => {
  const red = (source: string, modes: readonly ModeName[], stated: Partial<Contract> = {}) =>
    verdict({ ...CONTRACT, ...stated }, SOURCE.replace('y[at] = v * c;', source), 'shapes', { modes });

  test('is red in the mode that breaks it, by an address of its own', async () => {
    const result = await red(FUSED, MODES);
    expect(result.status).toBe('fail');
    expect(result.findings.every(({ label }) => label.endsWith(',mode=fused'))).toBe(true);
    expect((await red(FUSED, ['plain', 'flushed'])).status).toBe('pass');
  });

  test('that promises to keep subnormals is not flushed', async () => {
    expect((await red(FLUSHED, MODES)).status).toBe('fail');
    expect((await red(FLUSHED, MODES, { denormals: 'keep' })).status).toBe('pass');
  });
});

test('gates 1 and 3 add modes at tails and corners, with the data of the plain case', () => {
  const controls = [plant(FUSED), GOOD];
  const contract = { nan: 'propagate', ...CONTRACT, controls };
  const sources = new Map([['k/k.cu', SOURCE]]);
  const [kernel] = loadKernels({ contracts: [{ path: 'k/k.contract.ts', exported: contract }], sources });
  if (!kernel) throw new Error('no kernel');
  for (const gate of ['nonfinite', 'shapes'] as const) {
    const cases = gateCases(kernel, gate, '1', MODES);
    for (const mode of ['fused', 'flushed'] as const) {
      const added = cases.filter((one) => one.mode === mode);
      expect(added.length).toBeGreaterThan(1);
      for (const { label, prepare } of added)
        expect(cases.find((plain) => `${plain.label},mode=${mode}` === label)?.prepare).toBe(prepare);
    }
    expect(gateCases(kernel, gate, '1', ['plain']).every(({ label }) => !label.includes('mode='))).toBe(true);
  }
  for (const gate of ['repeat', 'sums'] as const)
    expect(gateCases(kernel, gate, '1', MODES).map(({ mode }) => mode)).not.toContain('fused');
});
