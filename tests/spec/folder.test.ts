import { afterAll, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFolder } from '../../src/spec/folder.ts';

const scratch = mkdtempSync(join(tmpdir(), 'tf-folder-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** What reading says of a folder with these files. */
async function told(files: Readonly<Record<string, string>>): Promise<string> {
  const root = mkdtempSync(join(scratch, 'kernels-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const read = readFolder(root);
  return read.then(
    () => '',
    (error: Error) => error.message,
  );
}

test('a contract with mistakes of syntax names the place and the line of each', async () => {
  const text = await told({ 'k/k.contract.ts': "export default {\n  name: 'k'\n  dims: {},\n};\n" });
  expect(text).toStartWith('kernels/k/k.contract.ts:3:3: Expected "}" but found "dims"\n  dims: {},\n  ^');
});

test('one mistake of syntax is told alike', async () => {
  const text = await told({ 'k/k.contract.ts': 'export default = ;' });
  expect(text).toBe('kernels/k/k.contract.ts:1:16: Unexpected =\n  export default = ;\n                 ^');
});

test('a mistake in a file that a contract imports is told of that file', async () => {
  const text = await told({
    'k/k.contract.ts': "import '../sizes.ts';\nexport default 1;",
    'sizes.ts': 'const a = 1;\nconst b = ;',
  });
  expect(text).toBe('kernels/sizes.ts:2:11: Unexpected ;\n  const b = ;\n            ^');
});

test('what a contract throws, or imports in vain, is told in its words', async () => {
  expect(await told({ 'k/k.contract.ts': "throw new Error('no such chip');" })).toBe(
    "kernels/k/k.contract.ts:1:11: no such chip\n  throw new Error('no such chip');\n            ^",
  );
  expect(await told({ 'k/k.contract.ts': "import './gone.ts';" })).toBe(
    "kernels/k/k.contract.ts:1:9: Cannot find module './gone.ts'\n  import './gone.ts';\n          ^",
  );
});
