import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findClang } from '../../../src/device/toolchain/clang.ts';
import { buildForkLibrary } from '../../../src/device/toolchain/fork-library.ts';
import { startServer } from '../../../src/device/processes/fork-server.ts';
import { run, serve } from '../../../src/device/processes/process.ts';

const { path: clang } = await findClang();
const onLinux = process.platform === 'linux';
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const preprocess = [clang, '-E', '-P', '-x', 'c', '-'];

let folder = '';
let library = '';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tf-forks-'));
  library = join(folder, 'forks.so');
  if (onLinux) writeFileSync(library, await buildForkLibrary());
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.if(onLinux)('a compiler that is forked', () => {
  test('gives what one that is started gives: of a text, of none, and of one with an error', async () => {
    const server = startServer(clang, library);
    for (const text of ['#define x 7\nint a = x;\n', '', '#error "no"\n', 'int b;\n'.repeat(40_000)]) {
      const alone = await run(preprocess, text);
      expect(await server.run(preprocess, bytes(text))).toEqual(alone);
    }
  });

  test('runs with arguments of its own each time', async () => {
    const server = startServer(clang, library);
    for (const value of ['1', '2', 'a"b c']) {
      const finished = await server.run([...preprocess.slice(0, -1), `-DX=${value}`, '-'], bytes('X'));
      expect(finished).toMatchObject({ code: 0, stdout: `${value}\n` });
    }
  });

  test('that is ended by a signal has its number, and the next is served', async () => {
    const server = startServer('/bin/sh', library);
    const finished = await server.run(['sh', '-c', 'echo so; echo far >&2; kill -9 $$'], bytes(''));
    expect(finished).toEqual({ code: 137, stdout: 'so\n', stderr: 'far\n' });
    expect(await server.run(['sh', '-c', 'cat; exit 3'], bytes('in'))).toEqual({ code: 3, stdout: 'in', stderr: '' });
  });

  test('leaves no library before what it starts itself', async () => {
    const finished = await startServer('/bin/sh', library).run(
      ['sh', '-c', 'echo "$LD_PRELOAD$TF_FORK_SERVER"'],
      bytes(''),
    );
    expect(finished?.stdout).toBe(`${process.env['LD_PRELOAD'] ?? ''}\n`);
  });

  test('is started each time where it is a script, whose interpreter would be what is forked', async () => {
    const script = join(folder, 'clang');
    writeFileSync(script, `#!/bin/sh\nexec ${clang} "$@"\n`);
    chmodSync(script, 0o755);
    serve(script, library);
    expect(await startServer(script, library).run([script, ...preprocess.slice(1)], bytes('a'))).toBeNull();
    for (let times = 0; times < 2; times++)
      expect(await run([script, ...preprocess.slice(1)], 'a')).toEqual({ code: 0, stdout: 'a\n', stderr: '' });
  });

  test('gives nothing where its server has ended', async () => {
    const server = startServer('/bin/sh', library);
    const large = bytes('a'.repeat(2 ** 20)); // more than a pipe holds
    for (const input of [bytes(''), bytes(''), large, large])
      expect(await server.run(['sh', '-c', 'kill -9 $PPID'], input)).toBeNull();
    await Bun.sleep(50); // what is rejected and not awaited would fail the test
  });
});

test('a command that cannot start has code -1, forked or not', async () => {
  serve('/nowhere/clang', library);
  for (let times = 0; times < 2; times++) expect((await run(['/nowhere/clang'])).code).toBe(-1);
});
