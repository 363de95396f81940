import { describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMMANDS } from '../../src/cli/arguments/commands.ts';
import { completionsOf, SHELLS } from '../../src/cli/arguments/completions.ts';
import { UsageError } from '../../src/cli/errors.ts';
import { DIALECTS } from '../../src/families/formula/functions.ts';

const FLAGS = [...new Set(COMMANDS.flatMap(({ flags }) => Object.keys(flags)))];

/** What a shell prints of a script over the completions, from an empty folder. */
function answer(shell: string, script: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'tf-test-'));
  try {
    writeFileSync(join(folder, 'completions'), completionsOf(shell));
    writeFileSync(join(folder, 'script'), script);
    const { stdout, stderr, exitCode } = Bun.spawnSync([shell, 'script'], {
      cwd: folder,
      env: { ...process.env, HOME: folder },
    });
    expect(stderr.toString()).toBe('');
    expect(exitCode).toBe(0);
    return stdout.toString();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('bash', () => {
  const complete = (...words: string[]): string[] =>
    answer(
      'bash',
      `. ./completions
COMP_WORDS=(tf-kernel-contract ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}
_tf_kernel_contract
printf '%s\\n' "\${COMPREPLY[@]}"`,
    )
      .split('\n')
      .filter(Boolean);

  test('completes commands, pages and shells', () => {
    expect(complete('lim')).toEqual(['limits']);
    expect(complete('help', 'exi')).toEqual(['exit-codes']);
    expect(complete('completions', '')).toEqual([...SHELLS]);
  });

  test("completes a command's own flags", () => {
    expect(complete('--dial')).toEqual(['--dialect']);
    expect(complete('limits', '--')).toEqual(
      Object.keys(COMMANDS.find(({ name }) => name === 'limits')?.flags ?? {}).map((name) => `--${name}`),
    );
  });

  test("completes a flag's words, behind a space or =", () => {
    expect(complete('--dialect', '')).toEqual([...DIALECTS]);
    expect(complete('--gate', '=', 'sh')).toEqual(['shapes']);
    expect(complete('--gate', 'limits,sh')).toEqual(['limits,shapes']);
  });

  test('takes a word for a command where one stands: first', () => {
    expect(complete('--gate', 'limits', '--see')).toEqual(['--seed']);
    expect(complete('--only', 'x', '--offline', 'd', '--wr')).toEqual(['--write']);
    expect(complete('--only', 'help', '')).toEqual(complete('x', ''));
  });

  test('completes a path with spaces as one', () => {
    const script = `. ./completions
mkdir 'a b' 'a *'
COMP_WORDS=(tf-kernel-contract a); COMP_CWORD=1
_tf_kernel_contract
printf '<%s>\\n' "\${COMPREPLY[@]}"`;
    expect(answer('bash', script).split('\n').sort()).toEqual(['', '<a *>', '<a b>']);
  });
});

test.skipIf(!Bun.which('fish'))('fish completes flags, words and pages (needs fish)', () => {
  const complete = (line: string): string[] =>
    answer('fish', `source ./completions\ncomplete -C '${line}'`)
      .split('\n')
      .map((one) => one.split('\t')[0] ?? '')
      .filter(Boolean);
  expect(complete('tf-kernel-contract --dial')).toEqual(['--dialect']);
  expect(complete('tf-kernel-contract --gate sh')).toEqual(['shapes']);
  expect(complete('tf-kernel-contract --gate limits,sh')).toEqual(['limits,shapes']);
  expect(complete('tf-kernel-contract help exi')).toEqual(['exit-codes']);
});

test.skipIf(!Bun.which('zsh'))('zsh takes the completions as a function (needs zsh)', () => {
  const script = `compdef() { print "$1 for $2" }
_arguments() { print -l -- "$@" }
. ./completions
CURRENT=2 words=(tf-kernel-contract --d)
_tf-kernel-contract`;
  const lines = answer('zsh', script).split('\n');
  expect(lines[0]).toBe('_tf-kernel-contract for tf-kernel-contract');
  expect(lines.find((line) => line.includes('--dialect='))).toEndWith(`:NAME:_values -s , NAME ${DIALECTS.join(' ')}`);
  expect(lines.filter((line) => /^\*?--/.test(line))).toHaveLength(FLAGS.length);
});

test.each(['bash', 'zsh', 'fish'])('%s knows every flag', (shell) => {
  const text = completionsOf(shell);
  const missing = FLAGS.filter((name) => !new RegExp(`(?:--|-l )${name}\\b`).test(text));
  expect(missing).toEqual([]);
});

test('another shell is refused', () => {
  expect(() => completionsOf('fsh')).toThrow(UsageError);
  expect(() => completionsOf(undefined)).toThrow('completions takes a shell: bash, zsh, fish.');
});
