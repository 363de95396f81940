/** Where an edit of a kernel with several sources may match: one place in all of them together. */
import { expect, test } from 'bun:test';
import type { Device } from '../../src/device/device.ts';
import { prepareSubject } from '../../src/gates/subject.ts';
import type { Contract } from '../../src/spec/contract.ts';
import { edit, f32, kernel, rows } from '../../src/spec/contract.ts';
import { loadKernels } from '../../src/spec/load.ts';

const TEXTS = new Map([
  ['k/narrow.cu', 'narrow(); both();'],
  ['k/wide.cu', 'wide(); both();'],
]);
const PLANTED = 'the compiler is reached';

/** Why a control with this edit is not prepared; its compiler answers `PLANTED`. */
async function refusal(from: string): Promise<string> {
  const control = (text: string): Contract['controls'][number] => ({
    fault: `without ${text}`,
    reddens: 'shapes',
    finding: 'value',
    edit: { cuda: edit(text, '') },
  });
  const launch = { symbol: 'k', threads: 32, grid: () => [1], depth: () => 0 };
  const contract = kernel({
    name: 'k',
    dims: { width: {} },
    served: [{ width: [32, 64, 128] }],
    inputs: { x: f32('width') },
    outputs: { y: f32('width') },
    args: ['x', 'y', 'width'],
    formula: rows('width', 'y = x'),
    nan: 'propagate',
    accumulator: 'none',
    launch: {
      cuda: [
        { ...launch, source: 'narrow.cu', when: ({ width }) => width === 32 },
        { ...launch, source: 'narrow.cu', when: ({ width }) => width === 64 },
        { ...launch, source: 'wide.cu' },
      ],
    },
    controls: [control(from), control(from)],
  });
  const [loaded] = loadKernels({ contracts: [{ path: 'k/k.contract.ts', exported: contract }], sources: TEXTS });
  if (!loaded) throw new Error('no kernel');
  const sources = { texts: TEXTS, images: { get: () => Promise.resolve({ error: PLANTED }) } };
  const prepared = prepareSubject({} as Device, sources, loaded, 'cuda', [{ mode: 'plain' }], loaded.controls[0]);
  return prepared.then(
    () => '',
    (error: Error) => error.message,
  );
}

test.each(['narrow()', 'wide()'])('%s is in one source, whatever number of launches have it', async (from) => {
  expect(await refusal(from)).toContain(PLANTED);
});

test('an edit that each of two sources has is refused', async () => {
  expect(await refusal('both()')).toBe('its cuda edit matches 2 places, not 1: both()');
});
