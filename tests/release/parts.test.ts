import { afterAll, describe, expect, test } from 'bun:test';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pack, sha256 } from '../../scripts/release/archive.ts';
import { licenceNotices } from '../../scripts/release/licences.ts';
import { checkMachO } from '../../scripts/release/macho.ts';
import { manPage } from '../../src/cli/arguments/man.ts';
import { COMMANDS } from '../../src/cli/arguments/commands.ts';
import { PROGRAM } from '../../src/cli/version.ts';
import { buildRuntime } from '../../src/device/toolchain/runtime.ts';
import { fakeRelease, removeFolders, temporaryFolder } from './kit.ts';

afterAll(removeFolders);

describe('archives', () => {
  test('depend on their files alone', () => {
    const release = fakeRelease('linux-x64');
    const copy = temporaryFolder();
    const name = `${PROGRAM}-linux-x64`;
    cpSync(join(release, name), join(copy, name), { recursive: true });
    pack(copy, name, join(copy, 'again.tar.gz'));
    expect(sha256(readFileSync(join(copy, 'again.tar.gz')))).toBe(
      sha256(readFileSync(join(release, `${name}.tar.gz`))),
    );
  });

  test('are listed as sha256sum reads it', () => {
    const release = fakeRelease('linux-x64', 'linux-arm64');
    const check = () => Bun.spawnSync(['sha256sum', '-c', '--strict', 'SHA256SUMS'], { cwd: release });
    expect(check().stdout.toString()).toBe(
      ['arm64', 'x64'].map((cpu) => `${PROGRAM}-linux-${cpu}.tar.gz: OK\n`).join(''),
    );
    writeFileSync(join(release, `${PROGRAM}-linux-x64.tar.gz`), 'other');
    expect(check().exitCode).not.toBe(0);
  });
});

test('notices name every package that is shipped, and Bun with the engine in it', () => {
  const text = licenceNotices();
  for (const name of ['@clack/prompts', 'valibot', 'picocolors', 'table', 'ajv', 'Bun'])
    expect(text).toMatch(new RegExp(`^${name} \\d`, 'm'));
  expect(text).toContain('JavaScriptCore');
  expect(text).toContain('LGPL-2');
  expect(text).not.toMatch(/^(?:oxlint|bun-types) \d/m);
});

describe('the man page', () => {
  const page = manPage('1.2.3', '2026-01-31');

  test('has the sections that readers look for', () => {
    for (const heading of ['NAME', 'SYNOPSIS', 'ENVIRONMENT', 'EXIT STATUS'])
      expect(page).toContain(`\n.SH ${heading}\n`);
  });

  test('has every command and flag', () => {
    for (const { name, flags } of COMMANDS) {
      expect(page).toContain(`.SH ${name.toUpperCase()}: `);
      for (const flag of Object.keys(flags)) expect(page).toContain(`\\fB\\-\\-${flag.replaceAll('-', '\\-')}\\fR`);
    }
  });

  const formatters = { mandoc: ['mandoc', '-T', 'lint', '-W', 'warning'], groff: ['groff', '-ww', '-man', '-Tutf8'] };
  for (const [name, command] of Object.entries(formatters))
    test.skipIf(!Bun.which(name))(`is taken by ${name} without a warning (needs ${name})`, () => {
      const { stdout, stderr, exitCode } = Bun.spawnSync(command, { stdin: Buffer.from(page) });
      expect([exitCode, stderr.toString()]).toEqual([0, '']);
      if (name === 'mandoc') expect(stdout.toString()).toBe('');
    });
});

/** The linker for macOS comes with lld on most systems. */
const library = await buildRuntime('darwin-arm64').catch(() => undefined);
describe.skipIf(!library)('a library for macOS (needs ld64.lld)', () => {
  const bytes = library ?? new Uint8Array();
  const refusal = (spoil: (copy: Uint8Array) => Uint8Array | void): string => {
    const copy = bytes.slice();
    const spoilt = spoil(copy) ?? copy;
    try {
      checkMachO(spoilt);
    } catch (error) {
      return (error as Error).message;
    }
    return '';
  };

  test('is signed page by page, and loads nothing but the system', () => {
    const { kind, dylibs, least, pages } = checkMachO(bytes);
    expect({ kind, dylibs, least }).toEqual({ kind: 'library', dylibs: ['/usr/lib/libSystem.B.dylib'], least: '13.0' });
    expect(pages).toBeGreaterThan(20);
  });

  test('is refused where a page was changed after it was signed', () => {
    expect(refusal((copy) => void (copy[5000]! ^= 1))).toMatch(/^1 of \d+ pages are not what was signed$/);
  });

  test('is refused where it is cut, for another processor, or no such file', () => {
    expect(refusal((copy) => copy.slice(0, -100))).toContain('past the end');
    expect(refusal((copy) => copy.slice(0, 300))).not.toBe('');
    expect(refusal((copy) => void (copy[4] = 7))).toBe('not for arm64');
    expect(refusal(() => new TextEncoder().encode('#!/bin/sh\necho a script, and one that is long enough\n'))).toBe(
      'no Mach-O file of 64 bits',
    );
  });

  test('however it is damaged, the check ends with an answer', () => {
    for (let round = 0; round < 300; round++) {
      const copy = bytes.slice(0, 4096 + round);
      copy[(round * 37) % 2048]! ^= 1 << (round % 8);
      expect(() => checkMachO(copy)).toThrow(Error);
    }
  });
});
