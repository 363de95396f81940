import { describe, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSealed } from '../../../src/device/toolchain/cache.ts';
import { ToolchainError } from '../../../src/device/toolchain/toolchain-error.ts';
import { splitText } from '../../../src/device/toolchain/image.ts';
import { compileOnce } from '../../../src/device/toolchain/once.ts';

describe('lowered text', () => {
  test('is split behind its header, and neither part leaves a file that it did not enter', () => {
    const header = '# 1 "cuda.h" 1\nint h;\ntypedef int tf_source_begin;';
    const source = '\n# 2 "<built-in>" 2\n# 1 "my dir/k \\"1\\".cu" 2 3\nint k; // # 1 "x" 2';
    expect(splitText(header + source)).toEqual({
      header: '# 1 "cuda.h"\nint h;\ntypedef int tf_source_begin;',
      source: '\n# 2 "<built-in>"\n# 1 "my dir/k \\"1\\".cu"\nint k; // # 1 "x" 2',
    });
  });

  test('without a header is all source', () => {
    expect(splitText('int k;')).toEqual({ header: '', source: 'int k;' });
  });
});

describe('a file that images share', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tf-once-'));
  const log = join(folder, 'log');
  // Called as `sh -c SCRIPT -o PATH`, so that $1 is the path.
  const script = (text: string): readonly string[] => ['sh', '-c', text];

  test('is compiled once, however many ask', async () => {
    const command = script(`echo run >> ${log}; cat > "$1"`);
    const file = { command, input: 'text', salt: folder, extension: 'o' } as const;
    const paths = await Promise.all([compileOnce(file), compileOnce(file), compileOnce(file)]);
    const [path = ''] = paths;
    expect(new Set(paths).size).toBe(1);
    expect(new TextDecoder().decode(readSealed(path)!)).toBe('text');
    truncateSync(path, 2);
    expect(readSealed(path)).toBeNull();
    expect(readFileSync(log, 'utf8')).toBe('run\n');
    expect(await compileOnce({ ...file, salt: `${folder}2` })).not.toBe(path);
    for (const made of [path, await compileOnce({ ...file, salt: `${folder}2` })]) rmSync(made);
    rmSync(folder, { recursive: true });
  });

  test('that does not compile says so and leaves nothing', async () => {
    const command = script('echo "$1"; echo broken >&2; exit 1');
    const error = await compileOnce({ command, input: '', salt: '', extension: 'pch' }).catch((caught) => caught);
    expect(error).toBeInstanceOf(ToolchainError);
    expect((error as Error).message).toEndWith('\nbroken');
  });
});
