import { describe, expect, test } from 'bun:test';
import { findClang, locateClang, versionIn } from '../../../src/device/toolchain/clang.ts';
import { ToolchainError } from '../../../src/device/toolchain/toolchain-error.ts';
import { explain } from '../../../src/device/toolchain/diagnostics.ts';
import { run } from '../../../src/device/processes/process.ts';

describe('the host compiler', () => {
  test('is found with its linker', async () => {
    const { path, version, linker } = await findClang();
    expect(Number.parseInt(version)).toBeGreaterThanOrEqual(16);
    expect((await run([path, '--version'])).stdout).toContain(version);
    expect((await run([linker, '--version'])).stdout).toContain('LLD');
  });

  test.each([
    ['Debian clang version 19.1.7 (3~deb12u1)\nTarget: x86_64-pc-linux-gnu', '19.1.7'],
    ['clang version 16.0.0', '16.0.0'],
    ['gcc (Debian 12.2.0-14) 12.2.0', ''],
  ])('%p is version %p', (output, want) => {
    expect(versionIn(output)).toBe(want);
  });

  test.each([
    ['/nowhere/clang', "TF_CLANG is '/nowhere/clang', which was not found", 'Set TF_CLANG to a clang of version 16'],
    ['/bin/true', '/bin/true is no clang', 'apt-get install clang-19 lld-19'],
  ])('%s is refused: what, why, do', async (path, what, advice) => {
    const error = await locateClang(path).catch((caught) => caught);
    expect(error).toBeInstanceOf(ToolchainError);
    const lines = (error as Error).message.split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toContain(what);
    expect(lines[2]).toContain(advice);
  });
});

describe('a compiler run', () => {
  test('gives the command its input and tells its end', async () => {
    expect(await run(['cat'], 'text')).toEqual({ code: 0, stdout: 'text', stderr: '' });
    expect((await run(['sh', '-c', 'echo no >&2; exit 3'])).code).toBe(3);
    expect((await run(['/nowhere/clang'])).code).toBe(-1);
  });

  test('waits its turn, and all get one', async () => {
    const results = await Promise.all([...Array(12).keys()].map((n) => run(['cat'], String(n))));
    expect(results.map((result) => result.stdout)).toEqual([...Array(12).keys()].map(String));
  });
});

test('a message shows the line as the author wrote it', () => {
  const messages = 'k.cu:2: error: no x\nh.cuh:1: note: here\n2 errors generated.\n';
  expect(explain(messages, 'k.cu', 'a\n  b = x;\n')).toBe('k.cu:2: error: no x\n    b = x;\nh.cuh:1: note: here');
});
