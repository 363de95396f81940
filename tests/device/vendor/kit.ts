/** Compilers that answer as the vendors' do, each with a log of its command lines. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type FakeKind = 'nvcc' | 'hipcc' | 'clang' | 'ocloc' | 'xcrun';

export interface Fake {
  readonly path: string;
  /** The command lines so far, without those that only ask for a version or a chip. */
  readonly compiles: () => string[][];
}

export function fakeCompiler(folder: string, kind: FakeKind): Fake {
  mkdirSync(folder, { recursive: true });
  const [path, log] = [join(folder, kind), join(folder, `${kind}.log`)];
  const script = join(import.meta.dir, 'fake-compiler.ts');
  writeFileSync(path, `#!/bin/sh\nexec "${process.execPath}" "${script}" ${kind} "${log}" "$@"\n`);
  chmodSync(path, 0o755);
  return { path, compiles: () => commandsIn(log).filter((args) => !asks(args)) };
}

function commandsIn(log: string): string[][] {
  if (!existsSync(log)) return [];
  return readFileSync(log, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const QUESTIONS = ['--version', '--list-gpu-code', '-fsyntax-only', 'query', 'ids'];

const asks = (args: readonly string[]): boolean => args.some((arg) => QUESTIONS.includes(arg));
