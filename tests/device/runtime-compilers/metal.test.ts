/** Metal's images are text that a device compiles: macros first, headers in their places, lines as they were. */
import { expect, test } from 'bun:test';
import { compiledImages } from '../../../src/device/runtime-compilers/store.ts';
import { readListing } from '../../../src/spec/listing.ts';
import { imageOf } from '../host/device.ts';

const SOURCES = new Map([
  ['shared/metal/a.h', '#pragma once\n#include "b.h"\nint a;'],
  ['shared/metal/b.h', '#pragma once\nint b;'],
  ['shared/metal/twice.h', 'int twice;'],
  ['k/loop.h', '#include "loop.h"'],
]);

async function textOf(text: string, sources: ReadonlyMap<string, string> = SOURCES, path = 'k/k.metal', defines = {}) {
  const result = await compiledImages('metal', 'M1', sources).get({
    kind: 'fast',
    dialect: 'metal',
    path,
    text,
    defines,
  });
  return 'image' in result ? new TextDecoder().decode(result.image) : result.error;
}

test('headers stand where they are included, each at its own lines, and once where it says so', async () => {
  const text = ['#include "a.h"', '#include "b.h"', '#include "twice.h"', '  # include "twice.h" // again', 'int k;'];
  expect((await textOf(text.join('\n'), SOURCES, 'k/k.metal', { HEAD: 8 })).split('\n')).toEqual([
    '#define HEAD 8',
    '#line 1 "k/k.metal"',
    '#line 1 "a.h"',
    '',
    '#line 1 "b.h"',
    '',
    'int b;',
    '#line 3 "a.h"',
    'int a;',
    '#line 2 "k/k.metal"',
    '',
    '#line 1 "twice.h"',
    'int twice;',
    '#line 4 "k/k.metal"',
    '#line 1 "twice.h"',
    'int twice;',
    '#line 5 "k/k.metal"',
    'int k;',
  ]);
});

test('a header that is not known is left to the compiler', async () => {
  const text = '#include "unknown.h"\n#include <metal_stdlib>';
  expect(await textOf(text)).toBe(`#line 1 "k/k.metal"\n${text}`);
});

test('headers that include each other for ever are told', async () => {
  expect(await textOf('#include "loop.h"')).toBe('k/k.metal: its headers include each other 64 deep');
});

test('a kernel of the project compiles from its text alone', async () => {
  const { sources } = await readListing();
  const path = 'row_max/row_max.metal';
  expect((await imageOf(await textOf(sources.get(path)!, sources, path), 'metal')).length).toBeGreaterThan(0);
}, 60_000);
