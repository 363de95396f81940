import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { findClang } from '../../../src/device/toolchain/clang.ts';
import { HOST_FOLDER, stepFlags } from '../../../src/device/toolchain/flags.ts';
import { run } from '../../../src/device/processes/process.ts';
import type { Processor } from '../../../src/device/toolchain/target.ts';

const numbered = (name: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${name}${i}`);

/** Registers that a value may be in, and those of them that a switch keeps, or that images leave alone. */
const REGISTERS: Readonly<Record<Processor, { readonly all: readonly string[]; readonly kept: readonly string[] }>> = {
  x64: {
    all: ['ax', 'bx', 'cx', 'dx', 'si', 'di', 'bp', ...numbered('r', 16).slice(8), ...numbered('xmm', 16)],
    kept: ['bp', 'bx'],
  },
  arm64: { all: [...numbered('x', 31), ...numbered('v', 32)], kept: ['x18', 'x19', 'x29'] },
};

const SOURCE = `#include "${join(HOST_FOLDER, 'switch.h')}"
void change(TfContext* from, TfContext* to) { tf_switch(from, to); }`;

/** The registers of an assembly's constraints, by one name each: `={x0},={x1},{x0},{x1},~{x2},~{lr}`. */
function registersOf(constraints: string): string[] {
  const names = [...constraints.matchAll(/[=~]\{([^}]+)\}/g)].map(([, name = '']) => name);
  return names.map((name) => (name === 'lr' ? 'x30' : name.replace(/^[re]([a-z]{2})$/, '$1')));
}

// What is neither an operand nor clobbered the compiler takes for kept, and another thread's value comes back in it.
test.each(['x64', 'arm64'] as const)(
  'on %s a switch names every register but those that it keeps',
  async (processor) => {
    const target = stepFlags({ kind: 'fast', dialect: 'cuda', processor }).filter((flag) =>
      /^(--target|-march)=/.test(flag),
    );
    const flags = [...target, '-x', 'c++', '-std=c++17', '-Wall', '-O1', '-S', '-emit-llvm', '-o', '-', '-'];
    const made = await run([(await findClang()).path, ...flags], SOURCE);
    expect(made.stderr).toBe('');
    const constraints = /asm sideeffect ".*?", "(.*?)"/.exec(made.stdout)?.[1] ?? '';
    const { all, kept } = REGISTERS[processor];
    expect(all.filter((name) => !registersOf(constraints).includes(name)).sort()).toEqual([...kept].sort());
  },
);
