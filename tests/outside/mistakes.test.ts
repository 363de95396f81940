/** What an author is told of the likeliest mistakes: the file, the line, the place in it and what to write instead. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFolder } from '../../src/spec/folder.ts';
import { loadKernels } from '../../src/spec/load.ts';
import type { Outside } from './kit.ts';
import { openOutside, SOURCE } from './kit.ts';

const MODULE = join(import.meta.dir, '../../src/spec/contract.ts');

/** A contract of which each mistake changes one place. */
const text = (module: string): string => `import { edit, f32, kernel, rows } from '${module}';

const THREADS = 64;

export default kernel({
  name: 'shares',
  dims: { rows: {}, width: { tile: 64, step: 1 } },
  served: [
    { rows: 1, width: 64 },
    { rows: 3, width: 200 },
  ],
  inputs: { x: f32('rows', 'width') },
  outputs: { y: f32('rows', 'width') },
  args: ['x', 'y', 'width'],
  formula: rows('width', 'e = exp(x - max(x)); y = e / sum(e)'),
  nan: 'propagate',
  accumulator: 'f32',
  launch: {
    cuda: { symbol: 'tf_copy', threads: THREADS, grid: ({ rows }) => [rows], depth: () => 9 },
  },
  controls: [
    { fault: 'one', reddens: 'shapes', finding: 'value', edit: { cuda: edit('= x[i]', '= 0') } },
    { fault: 'two', reddens: 'shapes', finding: 'value', edit: { cuda: edit('= x[i]', '= 1') } },
  ],
});
`;

const scratch = mkdtempSync(join(tmpdir(), 'tf-mistakes-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** What is said where a part of the contract is changed. */
async function told(from: string, to: string): Promise<string> {
  const root = mkdtempSync(join(scratch, 'kernels-'));
  const whole = text(MODULE);
  expect(whole).toContain(from);
  mkdirSync(join(root, 'shares'));
  writeFileSync(join(root, 'shares/shares.cu'), SOURCE);
  writeFileSync(join(root, 'shares/shares.contract.ts'), whole.replace(from, to));
  return readFolder(root)
    .then(loadKernels)
    .then(
      () => '',
      (error: Error) => error.message.replaceAll('kernels/shares/shares.contract.ts', 'FILE'),
    );
}

test.each<[mistake: string, from: string, to: string, said: string]>([
  [
    'a bracket that is not closed',
    "args: ['x', 'y', 'width'],",
    "args: ['x', 'y', 'width',",
    `FILE:15:10: Expected "]" but found ":"
  formula: rows('width', 'e = exp(x - max(x)); y = e / sum(e)'),
         ^`,
  ],
  [
    'a name that nothing has',
    'threads: THREADS',
    'threads: THREAD',
    `FILE:19:41: THREAD is not defined: did you mean THREADS?
  cuda: { symbol: 'tf_copy', threads: THREAD, grid: ({ rows }) => [rows], depth: () => 9 },
                                      ^`,
  ],
  [
    'a function that is not imported',
    'import { edit, f32,',
    'import { f32,',
    `FILE:22:72: edit is not defined: import it from 'tf-kernel-contract'
  { fault: 'one', reddens: 'shapes', finding: 'value', edit: { cuda: edit('= x[i]', '= 0') } },
                                                                     ^`,
  ],
  [
    'a throw',
    'const THREADS = 64;',
    "if (true) throw new Error('no such chip');\nconst THREADS = 64;",
    `FILE:3:21: no such chip
  if (true) throw new Error('no such chip');
                      ^`,
  ],
  [
    'no default export',
    'export default kernel',
    'export const contract = kernel',
    `FILE:5:25: the file has no default export: write \`export default kernel({ ... })\`
  export const contract = kernel({
                          ^`,
  ],
  [
    'a field that is misspelt',
    'served: [',
    'serves: [',
    `FILE: the contract: \`served\` is missing
FILE:8:3: the contract: \`serves\` is no field here; did you mean \`served\`?
  serves: [
  ^`,
  ],
  [
    'a size of 0',
    'threads: THREADS',
    'threads: 0',
    `FILE:19:32: launch.cuda.threads: a size is at least 1
  cuda: { symbol: 'tf_copy', threads: 0, grid: ({ rows }) => [rows], depth: () => 9 },
                             ^`,
  ],
  [
    'a gate of another name',
    "fault: 'two', reddens: 'shapes'",
    "fault: 'two', reddens: 'shape'",
    `FILE:23:21: controls.1.reddens: "shape" is none of nonfinite, repeat, shapes, sums; did you mean shapes?
  { fault: 'two', reddens: 'shape', finding: 'value', edit: { cuda: edit('= x[i]', '= 1') } },
                  ^`,
  ],
  [
    'a dimension that is misspelt in a tensor',
    "x: f32('rows', 'width')",
    "x: f32('rows', 'widht')",
    `FILE:12:28: x runs over 'widht', which is no dimension: rows, width
  inputs: { x: f32('rows', 'widht') },
                           ^`,
  ],
  [
    'a dimension that is misspelt in a served shape',
    'rows: 1, width: 64',
    'rows: 1, widht: 64',
    `FILE:8:3: shares: a served shape names rows, widht, but the dimensions are rows, width
  served: [
  ^`,
  ],
  [
    'an argument that is nothing',
    "args: ['x', 'y', 'width']",
    "args: ['x', 'y', 'columns']",
    `FILE:14:20: args names 'columns', which is no input, output, dimension or scalar
  args: ['x', 'y', 'columns'],
                   ^`,
  ],
  [
    'a name in the formula that is nothing',
    'y = e / sum(e)',
    'y = e / sum(ee)',
    `FILE:15:60: 'ee' is not known here. Known: x, rows, width, e
  formula: rows('width', 'e = exp(x - max(x)); y = e / sum(ee)'),
                                                           ^`,
  ],
  [
    'a formula that ends too soon',
    'y = e / sum(e)',
    'y = e / sum(e',
    `FILE:15:61: the formula ends where ')' should be
  formula: rows('width', 'e = exp(x - max(x)); y = e / sum(e'),
                                                            ^`,
  ],
  [
    'a formula that never gives an output',
    'y = e / sum(e)',
    'z = e / sum(e)',
    `FILE:13:14: the formula never assigns the output 'y': e = exp(x - max(x)); z = e / sum(e)
  outputs: { y: f32('rows', 'width') },
             ^`,
  ],
  [
    'sums that are said to be none',
    "accumulator: 'f32'",
    "accumulator: 'none'",
    `FILE:17:3: shares: the formula sums, so accumulator must be 'f32'
  accumulator: 'none',
  ^`,
  ],
  [
    'an edit that changes nothing',
    "edit('= x[i]', '= 1')",
    "edit('= x[i]', '= x[i]')",
    `FILE:23:66: controls.1.edit.cuda: the edit changes nothing: from and to are the same text
  { fault: 'two', reddens: 'shapes', finding: 'value', edit: { cuda: edit('= x[i]', '= x[i]') } },
                                                               ^`,
  ],
  [
    'an argument that is left out',
    "args: ['x', 'y', 'width']",
    "args: ['x', 'width']",
    `FILE:14:3: args: it leaves out 'y', so the kernel would never get it
  args: ['x', 'width'],
  ^`,
  ],
  [
    'a source that is not there',
    "symbol: 'tf_copy',",
    "symbol: 'tf_copy', source: 'other.cu',",
    `FILE:19:5: shares: the cuda launch of tf_copy needs kernels/shares/other.cu, which is not there
  cuda: { symbol: 'tf_copy', source: 'other.cu', threads: THREADS, grid: ({ rows }) => [rows], depth: () => 9 },
  ^
kernels/shares/shares.cu has no launch: state one in the folder's contract, or delete the file`,
  ],
])('%s', async (_mistake, from, to, said) => {
  const whole = await told(from, to);
  expect(whole.startsWith(said) ? said : whole).toBe(said);
});

test("a source that has not its folder's name is told the name, and how to keep its own", async () => {
  const root = mkdtempSync(join(scratch, 'kernels-'));
  mkdirSync(join(root, 'shares'));
  writeFileSync(join(root, 'shares/softmax.cu'), SOURCE);
  writeFileSync(join(root, 'shares/shares.contract.ts'), text(MODULE));
  const error = await readFolder(root).then(loadKernels).catch(String);
  expect(error).toContain(
    "needs kernels/shares/shares.cu, which is not there: a source has the name of its folder where the launch states no other; rename kernels/shares/softmax.cu to shares.cu, or state it in the launch, source: 'softmax.cu'",
  );
});

describe('a contract from outside', () => {
  let place: Outside;
  beforeAll(() => {
    place = openOutside();
    place.write('shares/shares.cu', SOURCE);
  });
  afterAll(() => place.close());

  const said = async (contract: string): Promise<string> => {
    place.write('shares/shares.contract.ts', contract);
    const { code, stderr } = await place.run('shares', '--list');
    expect(code).toBe(1);
    return stderr;
  };

  test('that imports a name which is not there', async () => {
    const wrong = text('tf-kernel-contract').replace('import { edit,', 'import { edt,').replaceAll('edit(', 'edt(');
    expect(await said(wrong)).toBe(`A contract cannot be used; nothing was run.
  shares/shares.contract.ts:1:10: Export named 'edt' not found in module 'tf-kernel-contract': did you mean edit?
    import { edt, f32, kernel, rows } from 'tf-kernel-contract';
             ^
  Each line names the file and what to change.
`);
  });

  test.each([
    ['#contract', "contracts import 'tf-kernel-contract'"],
    ['tf-kernel-contracts', "contracts import 'tf-kernel-contract'"],
    ['lodash', "contracts import 'tf-kernel-contract', and files beside them by './NAME.ts'"],
  ])('that imports %s', async (module, fix) => {
    expect(await said(text(module))).toContain(
      `shares/shares.contract.ts:1:42: Cannot find package '${module}': ${fix}\n`,
    );
  });
});
