/** A run over kernels that hang, write far outside and do not compile: each is red by name, and the right one passes. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Ran } from './executable.ts';
import { ran } from './executable.ts';

const MAIN = join(import.meta.dir, '../../src/main.ts');
const HOUR = 3600 * 1000;

/** Runs from source over the kernels of this folder. */
const run = (...args: readonly string[]): Promise<Ran> =>
  ran([process.execPath, MAIN, '--timeout', '0.2', ...args], {
    env: { ...process.env, TF_KERNELS: join(import.meta.dir, 'kernels'), FORCE_COLOR: undefined },
  });

let lines: readonly string[] = [];
let all: Ran = { code: 0, stdout: '', stderr: '' };

beforeAll(async () => {
  all = await run('--jobs', '2', '--gate', 'repeat,shapes');
  lines = all.stdout.trimEnd().split('\n');
}, HOUR);

const about = (address: string): string[] => lines.filter((line) => line.includes(`  ${address}`));

describe('a run over broken kernels', () => {
  test('ends with 1, in words on stdout alone', () => {
    expect([all.code, all.stderr]).toEqual([1, '']);
  });

  test('says of an endless kernel where it still runs, in every worker at once', () => {
    const failures = about('endless@cuda:');
    expect(failures.length).toBeGreaterThanOrEqual(2); // two gates, each of which tells what is the same once
    for (const line of failures)
      expect(line).toMatch(
        /^FAIL {2}endless@cuda:(repeat|shapes):rows=[13],width=64\S* {2}.*time limit.*endless\.cu:4/,
      );
  });

  test('says of a write far outside which thread and line did it', () => {
    const failures = about('wild@cuda:');
    expect(failures.length).toBeGreaterThanOrEqual(4); // two gates, two shapes, and what else a gate makes of one
    for (const line of failures) expect(line).toMatch(/out of bounds.*thread \(7,0,0\) writes.*wild\.cu:4/);
  });

  test('gives the compiler’s words once, with the author’s file and line', () => {
    const [first = '', ...more] = about('misspelt@cuda  ').filter((line) => line.startsWith('FAIL'));
    expect(first).toBe('FAIL  misspelt@cuda  at repeat, shapes: kernels/misspelt/misspelt.cu does not compile:');
    expect(more).toEqual([]);
    expect(lines[lines.indexOf(first) + 1]).toStartWith(
      "      kernels/misspelt/misspelt.cu:4: error: use of undeclared identifier 'valeu'",
    );
  });

  test('passes the right kernel on the devices that the others broke, and its controls are red', () => {
    expect(about('right@cuda')).toEqual([
      expect.stringMatching(/^PASS {2}right@cuda {2}host {2}worst 0\.00 of bound {2}2 gates/),
    ]);
  });

  test('counts controls of broken kernels as broken, never as red', () => {
    expect(lines.filter((line) => line.startsWith('BROKEN  misspelt'))).toEqual([
      'BROKEN  misspelt@cuda  2 controls: stopped by what stops the kernel',
    ]);
    expect(lines.at(-1)).toBe(
      'SUMMARY 4 kernels: 1 pass gates 2-3, 3 fail, 0 known findings, 0 not run; 8 controls: 2 red as planted, 0 missed, 6 broken; gate 5 not run; faults not planted (--faults)',
    );
  });

  test('prints a command with every failure that selects it alone', async () => {
    const [command = ''] = lines.filter((line) => line.includes('Rerun') && line.includes('wild@cuda:shapes:'));
    expect(command).toStartWith('      Rerun: npm start -- --only wild@cuda:shapes:');
    const [, address = ''] = /--only (\S+) --seed 1$/.exec(command) ?? [];
    const again = await run('--only', address);
    expect(again.stdout.split('\n').filter((line) => /^[A-Z]+ {2}/.test(line))).toEqual([
      expect.stringContaining(`FAIL  ${address}  `),
    ]);
  });
});
