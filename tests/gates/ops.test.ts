/** The functions that a kernel calls against those whose errors its bound counts. */
import { describe, expect, test } from 'bun:test';
import type { Contract } from '../../src/spec/contract.ts';
import { f32, rows } from '../../src/spec/contract.ts';
import { limitOf } from '../../src/families/libraries/library.ts';
import type { Ops } from '../../src/families/libraries/library.ts';
import { classes, verdict } from '../faults/harness.ts';

const source = (expression: string): string => `
extern "C" __global__ void k(const float* x, float* y, unsigned width) {
  for (unsigned i = threadIdx.x; i < width; i += 32) {
    const size_t at = size_t(blockIdx.x) * width + i;
    const float v = x[at];
    y[at] = ${expression};
  }
}
`;
const contract = (text: string, ops?: Ops): Contract =>
  ({
    name: 'k',
    nan: 'propagate',
    dims: { rows: { least: 1 }, width: { tile: 32, step: 1, least: 1 } },
    served: [{ rows: [1, 12], width: [64, 100] }],
    inputs: { x: f32('rows', 'width') },
    outputs: { y: f32('rows', 'width') },
    args: ['x', 'y', 'width'],
    formula: rows('width', text),
    accumulator: 'none',
    launch: {
      cuda: { symbol: 'k', threads: 32, grid: ({ rows: groups = 1 }) => [groups], depth: () => 0, ...(ops && { ops }) },
    },
    controls: [],
  }) satisfies Contract;

const ULPS = ['ulps-up', 'ulps-down', 'ulps-mixed'] as const;
const judged = (
  text: string,
  expression: string,
  ops?: Ops,
  modes: readonly ('plain' | (typeof ULPS)[number])[] = ULPS,
) => {
  const { controls: _, ...stated } = contract(text, ops);
  return verdict(stated, source(expression), 'shapes', { modes });
};

describe('a function that is called', () => {
  test('is counted where it is the standard one of a map, or as good', async () => {
    expect((await judged('y = exp(x)', 'expf(v)')).status).toBe('pass');
    expect((await judged('y = sqrt(abs(x))', '__fsqrt_rn(fabsf(v))')).status).toBe('pass');
    expect((await judged('y = rsqrt(abs(x) + 1)', '__frsqrt_rn(fabsf(v) + 1.0f)')).status).toBe('pass');
  });

  test('is counted where the launch states it, and moves the bound', async () => {
    expect((await judged('y = exp(x)', '__expf(v)', { exp: '__expf' })).status).toBe('pass');
    expect((await judged('y = exp(x)', 'exp2f(v * 1.44269504f)', { exp: 'exp2f' })).status).toBe('pass');
    expect(
      (await judged('y = rsqrt(abs(x) + 1)', '1.0f / sqrtf(fabsf(v) + 1.0f)', { rsqrt: ['sqrtf', '/'] })).status,
    ).toBe('pass');
  });

  test('is red by its name where nothing states it, and its error shows as well', async () => {
    const result = await judged('y = exp(x)', '__expf(v)');
    expect(result.status).toBe('fail');
    expect(classes(result)).toContain('ops');
    const ops = result.findings.find((finding) => finding.class === 'ops');
    expect(ops?.what).toContain('calls __expf, which computes exp, off by up to 2 ulps and floor(1.173 |x|) more');
    expect(ops?.why).toContain("The formula is 'y = exp(x)', and its maps are taken by expf.");
    expect(ops?.why).toContain("ops: { exp: '__expf' }");
  });

  test('is red where no map of the formula is computed by it', async () => {
    const result = await judged('y = x', 'v + 0.0f * tanhf(v)');
    expect(classes(result)).toContain('ops');
    expect(result.findings.find((finding) => finding.class === 'ops')?.what).toContain('calls tanhf');
  });

  test('is not seen in plain arithmetic, which is exact', async () => {
    expect((await judged('y = exp(x)', '__expf(v)', undefined, ['plain'])).status).toBe('pass');
  });
});

describe('a function that is stated', () => {
  test('must be called by some case', async () => {
    const result = await judged('y = exp(x)', 'expf(v)', { exp: ['expf', '__expf'] });
    expect(result.status).toBe('fail');
    expect(result.reason).toContain('ops states exp by __expf in the launch of k, which no case called');
  });

  test('adds its error to what computes the map', () => {
    const [one, two, both] = [{ exp: 'expf' }, { exp: '__expf' }, { exp: ['expf', '__expf'] }].map((ops) =>
      limitOf('exp', 'cuda', ops),
    );
    expect(both?.ulps).toBe((one?.ulps ?? 0) + (two?.ulps ?? 0));
    expect(both?.slope).toBe(1.173);
  });
});
