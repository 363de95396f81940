/** Every shim defines the functions of ffi/shim.h, in its order, and shows nothing else. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SYMBOLS } from '../../../src/device/abi.ts';

const FFI = join(import.meta.dir, '../../../ffi');
const SHIMS = [...new Bun.Glob('*.c').scanSync({ cwd: FFI }), 'host/shim.cpp', 'shim.h'].toSorted();

test('there is a shim of each dialect, and the host’s', () => {
  expect(SHIMS).toEqual(['cuda.c', 'hip.c', 'host/shim.cpp', 'metal.c', 'shim.h', 'xpu.c']);
});

test.each(SHIMS)('%s', (name) => {
  const source = readFileSync(join(FFI, name), 'utf8');
  const shown = [...source.matchAll(/^TF_EXPORT\s+[^(]*?(\w+)\(/gm)].map(([, symbol]) => symbol ?? '');
  expect(shown).toEqual(Object.keys(SYMBOLS));
});
