/** Cubins assembled here: every fact of a kernel in both generations, and what must be refused by name. */
import { describe, expect, test } from 'bun:test';
import { readCuda } from '../../../src/audit/images/cuda.ts';
import type { CudaMeasured, ImageProblem, ImageReading } from '../../../src/audit/measured.ts';
import { assembledImages } from './assembled.ts';
import type { CubinParts, KernelParts } from './cuda-kit.ts';
import { buildCubin, instruction, long, short } from './cuda-kit.ts';
import { join, le } from './elf-kit.ts';
import { expectAnswers } from './mutate.ts';

const read = (parts: CubinParts): ImageReading => readCuda(buildCubin(parts), 'k.cubin');

function readOne(kernel: Partial<KernelParts>, image: Partial<CubinParts> = {}): CudaMeasured {
  const { kernels, problems } = read({ sm: 80, ...image, kernels: [{ name: 'k', ...kernel }] });
  expect(problems).toEqual([]);
  const [only] = kernels;
  if (only?.dialect !== 'cuda' || kernels.length !== 1) throw new Error('not one CUDA kernel');
  return only;
}

function refused(parts: Partial<CubinParts>, kernel: Partial<KernelParts> = {}): ImageProblem {
  const { kernels, problems } = read({ sm: 80, kernels: [{ name: 'k', ...kernel }], ...parts });
  const [only] = problems;
  if (only === undefined || kernels.length > 0) throw new Error('not refused');
  return only;
}

const PLAIN: CudaMeasured = {
  ...{ dialect: 'cuda', symbol: 'k', chip: 'sm_80', registers: 8, staticShared: 0, stack: 0 },
  ...{ registerCap: 255, barriers: 0, explicitCluster: false, spillStores: 0, spillLoads: 0 },
};

const STORE = 0x387;
const LOAD = 0x983;

describe('a kernel of a cubin', () => {
  test('with nothing declared has its registers and the defaults', () => {
    expect(readOne({})).toEqual(PLAIN);
  });

  test('has the registers of .nv.info, its stack over the call tree, and may be local', () => {
    const kernel = readOne({ registers: 46, stack: 96, frame: 64, binding: 0 });
    expect(kernel).toEqual({ ...PLAIN, registers: 46, stack: 96 });
  });

  test('is told from a device function by its symbol', () => {
    const { kernels } = read({
      sm: 80,
      kernels: [
        { name: '$k$f', binding: 0, other: 0 },
        { name: 'k', other: 0x90 },
      ],
    });
    expect(kernels.map((kernel) => kernel.symbol)).toEqual(['k']);
  });

  test.each([
    [long(0x05, 16, 8, 2), { maxThreads: [16, 8, 2] }],
    [long(0x10, 64, 2, 1), { requiredThreads: [64, 2, 1] }],
    [short(0x1b, 168), { registerCap: 168 }],
    [short(0x4c, 3, 2), { barriers: 3 }],
    [long(0x3d, 4, 2, 1), { cluster: [4, 2, 1] }],
    [short(0x3e, 0, 1), { explicitCluster: true }],
    [long(0x3f, 16), { maxClusterRank: 16 }],
    [long(0x37, 126), { release: '12.6' }],
  ])('declares %#', (attribute, facts) => {
    expect(readOne({ attributes: [attribute] })).toEqual({ ...PLAIN, ...(facts as Partial<CudaMeasured>) });
  });

  test('is read past attributes nobody knows, of any length', () => {
    const unknown = [short(0xee, 7, 1), short(0xef, 7, 2), long(0xf0, 1, 2, 3), long(0xf1), short(0xf2, 9)];
    const attributes = [...unknown, long(0x05, 256, 1, 1), ...unknown, short(0x1b, 64)];
    expect(readOne({ attributes })).toEqual({ ...PLAIN, maxThreads: [256, 1, 1], registerCap: 64 });
  });

  test('counts barriers by the code section where no attribute does', () => {
    expect(readOne({ codeFlags: 6 | (6 << 20) }).barriers).toBe(6);
    expect(readOne({ codeFlags: 6 | (6 << 20), attributes: [short(0x4c, 2, 2)] }).barriers).toBe(2);
  });

  test('has its static shared bytes without the 1,024 that sm_90 and later reserve', () => {
    expect(readOne({ shared: 512 }, { sm: 89 }).staticShared).toBe(512);
    expect(readOne({ shared: 1536 }, { sm: 89 }).staticShared).toBe(1536);
    expect(readOne({ shared: 1536 }, { sm: 90 }).staticShared).toBe(512);
    expect(readOne({ shared: 1024 }, { sm: 120 }).staticShared).toBe(0);
    expect(readOne({ shared: 1536 }, { sm: 90, generation: 'old' }).staticShared).toBe(512);
    expect(readOne({}, { sm: 121 }).staticShared).toBe(0);
  });
});

describe('spills', () => {
  const listed = (count: number): Uint8Array =>
    long(0x55, ...Array.from({ length: count }, (_, i) => [1, 16 * i]).flat());

  test('are the bytes of the annotated stores and loads, by their size codes', () => {
    const sizes = [0, 1, 2, 3, 4, 5, 6].map((size) => instruction(STORE, size));
    const code = join(...sizes, instruction(LOAD, 4), instruction(LOAD, 6), instruction(LOAD, 6));
    const { spillStores, spillLoads } = readOne({ code, attributes: [listed(9)] });
    expect([spillStores, spillLoads]).toEqual([1 + 1 + 2 + 2 + 4 + 8 + 16, 4 + 16]);
  });

  test('leave out local accesses that no annotation of type 1 names', () => {
    const code = join(instruction(STORE, 4), instruction(STORE, 4), instruction(LOAD, 4));
    expect(readOne({ code, attributes: [long(0x55, 2, 0, 1, 16)] }).spillStores).toBe(4);
    expect(readOne({ code }).spillStores).toBe(0);
  });

  test('leave out those of the functions it calls, which ptxas counts for no kernel', () => {
    const code = join(...Array.from({ length: 6 }, () => instruction(STORE, 4)));
    const callees = [
      { at: 64, size: 32 },
      { at: 16, size: 16 },
    ];
    expect(readOne({ code, attributes: [listed(6)], callees }).spillStores).toBe(4 * 3);
  });

  test('are every local access where the list is cut to 16 bits', () => {
    const store = instruction(STORE, 4);
    const code = new Uint8Array(Buffer.concat(Array.from({ length: 9000 }, () => store)));
    expect(readOne({ code, attributes: [listed(9000 - 8192)] }).spillStores).toBe(4 * 9000);
    expect(readOne({ code, attributes: [listed(1000)] }).spillStores).toBe(4 * 1000);
  });

  test('outside the code are a truncated image', () => {
    expect(refused({}, { attributes: [long(0x55, 1, 16)] }).class).toBe('truncated');
  });
});

describe('what the image names', () => {
  test('the SM of both generations', () => {
    expect(readOne({}, { sm: 120 }).chip).toBe('sm_120');
    expect(readOne({}, { sm: 200 }).chip).toBe('sm_200');
    expect(readOne({}, { sm: 90, generation: 'old' }).chip).toBe('sm_90');
  });

  test('the release: of the ptxas note, else of the API version, else of an old header', () => {
    const attributes = [long(0x37, 131)];
    const old = { generation: 'old', version: 0x76 } as const;
    const note = { release: '13.0', options: '-v -arch sm_80 -m 64 ' };
    expect(readOne({ attributes }, { note, ...old }).release).toBe('13.0');
    expect(readOne({ attributes }, old).release).toBe('13.1');
    expect(readOne({}, old).release).toBe('11.8');
    expect(readOne({}, { generation: 'new', version: 1 }).release).toBeUndefined();
  });

  test('the suffix: of the options, else of .nv.compat', () => {
    const compat = join(short(0x02, 1, 2), short(0x09, 1, 2));
    const note = (options: string) => ({ note: { release: '13.0', options } });
    expect(readOne({}, { sm: 90, compat }).chip).toBe('sm_90a');
    expect(readOne({}, { sm: 90, compat: short(0x09, 0, 2) }).chip).toBe('sm_90');
    expect(readOne({}, { sm: 100, ...note('-arch sm_100f -m 64') }).chip).toBe('sm_100f');
    expect(readOne({}, { sm: 100, ...note('-arch sm_100 -maxrregcount 32') }).chip).toBe('sm_100');
  });
});

describe('a cubin is refused', () => {
  test.each([
    ['of a newer generation', { abiVersion: 9 }, 'newer-than-known'],
    ['of an older one', { generation: 'old', abiVersion: 6 }, 'malformed'],
    ['before the device link', { type: 1 }, 'relocatable-only'],
    ['without kernels', { kernels: [] }, 'no-kernels'],
  ] as const)('%s', (_, parts, problem) => {
    expect(refused(parts).class).toBe(problem);
  });

  test.each([
    ['that has no register count', { registers: null }, 'malformed'],
    ['with fewer shared bytes than its SM reserves', { shared: 1000 }, 'malformed'],
    ['with an attribute format nobody knows', { attributes: [short(0x05, 0, 5)] }, 'newer-than-known'],
    ['with a bound of two dimensions', { attributes: [long(0x05, 1, 2)] }, 'malformed'],
    ['with an unknown attribute past its section', { attributes: [le(1, 4, 1, 0xee, 2, 4)] }, 'truncated'],
    ['with an attribute past its section', { attributes: [le(1, 4, 1, 0x05, 2, 400)] }, 'truncated'],
  ] as const)('for a kernel %s', (_, kernel, problem) => {
    const { class: problemClass, where } = refused({ sm: 90 }, kernel);
    expect([problemClass, where]).toEqual([problem, 'k.cubin']);
  });

  test('when two symbols claim one code section', () => {
    const bytes = buildCubin({ sm: 80, kernels: [{ name: 'a' }, { name: 'b' }] });
    const view = new DataView(bytes.buffer);
    const sectionsAt = Number(view.getBigUint64(40, true));
    const symbols = Number(view.getBigUint64(sectionsAt + 2 * 64 + 24, true));
    view.setUint16(symbols + 2 * 24 + 6, view.getUint16(symbols + 24 + 6, true), true);
    const [problem] = readCuda(bytes, 'k').problems;
    expect(problem?.what).toBe('kernel b has no .nv.info of its own');
  });
});

test('a damaged cubin is answered', () => {
  const cubins = assembledImages().filter((image) => image.reader === 'cubin');
  for (const { bytes } of cubins) expectAnswers(bytes, 3000, (damaged) => readCuda(damaged, 'k'));
  expect(cubins.length).toBe(1);
});
