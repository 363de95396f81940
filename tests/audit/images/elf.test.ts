/** ELF64: headers, sections, symbols and notes of assembled files, and files that lie about themselves. */
import { describe, expect, test } from 'bun:test';
import { attempt, ImageFault } from '../../../src/audit/images/bytes.ts';
import type { Elf } from '../../../src/audit/images/elf.ts';
import {
  contentOf,
  notesOf,
  openElf,
  sectionNamed,
  sliceOf,
  symbolName,
  symbolsOf,
} from '../../../src/audit/images/elf.ts';
import { ascii, buildElf, join, le, note, symbolTable } from './elf-kit.ts';
import { mutants } from './mutate.ts';

const symbols = symbolTable([
  { name: 'local', type: 1, binding: 0, section: 1, value: 8, size: 4 },
  { name: 'kernel', type: 2, other: 0x10, section: 3, value: 2 ** 40, size: 16 },
]);

const FILE = buildElf({
  machine: 190,
  osAbi: 0x41,
  abiVersion: 8,
  flags: 0x06007802,
  version: 1,
  sections: [
    { name: '.strtab', type: 3, content: symbols.names },
    { name: '.symtab', type: 2, content: symbols.table, link: 1, info: 2 },
    { name: '.data', type: 1, content: ascii('content of it') },
    { name: '.none', type: 8, size: 4096 },
    { name: '.notes', type: 7, content: join(note('ABC', 7, ascii('12345')), note('D', 2 ** 31, ascii(''))) },
  ],
});

/** Everything that can be read of a file. */
function readAll(bytes: Uint8Array): readonly unknown[] {
  const elf = openElf(bytes);
  return elf.sections.flatMap((section): readonly unknown[] => {
    if (section.type === 2) return [...symbolsOf(elf, section)].map((symbol) => symbolName(elf, section, symbol));
    if (section.type === 7) return [...notesOf(elf, section)];
    return [contentOf(elf, section)];
  });
}

const section = (elf: Elf, name: string) => {
  const found = sectionNamed(elf, name);
  if (found === undefined) throw new Error(`no section ${name}`);
  return found;
};

const faultOf = (read: () => unknown): unknown => {
  const answer = attempt('file', () => ({ read: read() }));
  return 'class' in answer ? answer.class : answer;
};

describe('an ELF file', () => {
  test('has its header and sections by name', () => {
    const elf = openElf(FILE);
    expect({ ...elf, reader: 0, sections: 0, allowance: 0 }).toEqual({
      ...{ osAbi: 0x41, abiVersion: 8, type: 2, machine: 190, version: 1, flags: 0x06007802 },
      ...{ reader: 0, sections: 0, allowance: 0 },
    });
    const names = ['', '.strtab', '.symtab', '.data', '.none', '.notes', '.shstrtab'];
    expect(elf.sections.map((each) => each.name)).toEqual(names);
    expect(sectionNamed(elf, '.data')?.size).toBe(13);
    expect(sectionNamed(elf, '.dat')).toBeUndefined();
  });

  test('has its symbols with names, the null symbol first', () => {
    const elf = openElf(FILE);
    const table = section(elf, '.symtab');
    const symbolsRead = [...symbolsOf(elf, table)];
    const read = symbolsRead.map((symbol) => [symbolName(elf, table, symbol), symbol.type, symbol.other]);
    expect(read).toEqual([
      ['', 0, 0],
      ['local', 1, 0],
      ['kernel', 2, 0x10],
    ]);
    const values = symbolsRead.map(({ binding, value, size }) => [binding, value, size]);
    expect(values.slice(1)).toEqual([
      [0, 8, 4],
      [1, 2 ** 40, 16],
    ]);
  });

  test('has notes of any length, and contents; no bytes where a section occupies none', () => {
    const elf = openElf(FILE);
    expect([...notesOf(elf, section(elf, '.notes'))]).toEqual([
      { name: 'ABC', type: 7, content: ascii('12345') },
      { name: 'D', type: 2 ** 31, content: ascii('') },
    ]);
    expect(contentOf(elf, section(elf, '.data'))).toEqual(ascii('content of it'));
    expect(sliceOf(elf, section(elf, '.data'), 8, 2)).toEqual(ascii('of'));
    expect(contentOf(elf, section(elf, '.none')).length).toBe(0);
  });

  test('keeps a count of sections past 16 bits in section 0', () => {
    const copy = FILE.slice();
    const view = new DataView(copy.buffer);
    const sectionsAt = Number(view.getBigUint64(40, true));
    view.setUint16(60, 0, true);
    view.setUint16(62, 0xffff, true);
    view.setBigUint64(sectionsAt + 32, 7n, true);
    view.setUint32(sectionsAt + 40, 6, true);
    expect(openElf(copy).sections.map((each) => each.name)).toEqual(openElf(FILE).sections.map((each) => each.name));
  });

  test('without sections is a file with none', () => {
    const copy = FILE.slice();
    new DataView(copy.buffer).setBigUint64(40, 0n, true);
    expect(openElf(copy).sections).toEqual([]);
  });
});

describe('a file that lies', () => {
  const changed = (at: number, bytes: Uint8Array): Uint8Array => {
    const copy = FILE.slice();
    copy.set(bytes, at);
    return copy;
  };

  test.each([
    ['is no ELF', 0, le(4, 0x12345678), 'not-an-image'],
    ['is of 32 bits', 4, le(1, 1), 'not-an-image'],
    ['is big-endian', 5, le(1, 2), 'not-an-image'],
    ['has headers of another size', 58, le(2, 40), 'malformed'],
    ['has its headers past its end', 40, le(8, 2 ** 40), 'truncated'],
    ['has its headers at the last address', 40, new Uint8Array(8).fill(255), 'truncated'],
    ['has more sections than bytes', 60, le(2, 0xfffe), 'truncated'],
    ['names a missing table of names', 62, le(2, 99), 'truncated'],
  ])('%s', (_, at, bytes, problem) => {
    expect(faultOf(() => readAll(changed(at, bytes)))).toBe(problem);
  });

  test('has names in its own table alone', () => {
    const bytes = buildElf({
      machine: 62,
      sections: [
        { name: '.strtab', type: 3, content: symbols.names, size: 4 },
        { name: '.symtab', type: 2, content: symbols.table, link: 1 },
      ],
    });
    expect(() => readAll(bytes)).toThrow('outside its string table');
  });

  test('cannot make many sections of the same bytes cost more than its size', () => {
    const content = new Uint8Array(10_000);
    const lies = Array.from({ length: 50 }, (_, i) => ({ name: `.${i}`, type: 1, offset: 64, size: 10_000 }));
    const bytes = buildElf({ machine: 62, sections: [{ name: '.one', type: 1, content }, ...lies] });
    expect(faultOf(() => readAll(bytes))).toBe('malformed');
    expect(() => readAll(bytes)).toThrow('its sections overlap');
  });

  test('cannot make many names of the same bytes cost more than its size', () => {
    const many = Array.from({ length: 200 }, () => ({ name: '', type: 1 }));
    const bytes = buildElf({ machine: 62, sections: [...many, { name: `.${'n'.repeat(4000)}`, type: 1 }] });
    const view = new DataView(bytes.buffer);
    const sectionsAt = Number(view.getBigUint64(40, true));
    for (let i = 1; i <= many.length; i++) view.setUint32(sectionsAt + 64 * i, 1 + many.length, true);
    expect(() => openElf(bytes)).toThrow('its names overlap');
  });

  test('is a fault and nothing else, wherever it is cut or damaged', () => {
    const cut = Array.from({ length: FILE.length }, (_, length) => FILE.subarray(0, length));
    for (const bytes of [...cut, ...mutants(FILE, 3000, 1)]) {
      try {
        readAll(bytes);
      } catch (fault) {
        expect(fault).toBeInstanceOf(ImageFault);
      }
    }
  });
});
