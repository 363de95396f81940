/** The shim of Metal as macOS gets it, built here: what it asks of the system, what it shows, and that it is signed. */
import { expect, test } from 'bun:test';
import { buildShim } from '../../../src/device/shims/build.ts';

const ARM64 = 0x0100000c;
const DYLIB = 6;
const LOAD_DYLIB = 0xc;
const SYMTAB = 2;
const CODE_SIGNATURE = 0x1d;

/** The shim; none where the only thing that lacks is the linker. */
const image = await buildShim('metal', 'darwin-arm64').catch((error: Error) => {
  if (error.message.startsWith('No linker for macOS')) return new Uint8Array();
  throw error;
});
const isBuilt = image.length > 0;
const view = new DataView(image.buffer, image.byteOffset, image.byteLength);
const textAt = (at: number): string => new TextDecoder().decode(image.subarray(at, image.indexOf(0, at)));

/** Load commands: what each is, and where. */
const commands: { kind: number; at: number }[] = [];
for (let i = 0, at = 32; isBuilt && i < view.getUint32(16, true); i++, at += view.getUint32(at + 4, true)) {
  commands.push({ kind: view.getUint32(at, true), at });
}
const placesOf = (kind: number): number[] => commands.filter((command) => command.kind === kind).map(({ at }) => at);

/** Symbols that other images see: `defined` ones, or those that others are to define. */
function symbols(defined: boolean): string[] {
  const [at = 0] = placesOf(SYMTAB);
  const [first, count, names] = [8, 12, 16].map((offset) => view.getUint32(at + offset, true)) as [
    number,
    number,
    number,
  ];
  return Array.from({ length: count }, (_, i) => first + 16 * i).flatMap((entry) => {
    const type = image[entry + 4] ?? 0;
    const isDefined = (type & 0x0e) !== 0;
    return type & 1 && isDefined === defined ? [textAt(names + view.getUint32(entry, true))] : [];
  });
}

test.skipIf(!isBuilt)('it is a library for arm64 that needs the system’s one library alone', () => {
  expect(view.getUint32(0, true)).toBe(0xfeedfacf);
  expect(view.getUint32(4, true)).toBe(ARM64);
  expect(view.getUint32(12, true)).toBe(DYLIB);
  expect(placesOf(LOAD_DYLIB).map((at) => textAt(at + view.getUint32(at + 8, true)))).toEqual([
    '/usr/lib/libSystem.B.dylib',
  ]);
});

test.skipIf(!isBuilt)('it shows the functions of ffi/shim.h and no other', async () => {
  const header = await Bun.file(new URL('../../../ffi/shim.h', import.meta.url)).text();
  const functions = [...header.matchAll(/^TF_EXPORT \w+ (tf_\w+)\(/gm)].map(([, name]) => `_${name}`);
  expect(functions).toHaveLength(15);
  expect(symbols(true).toSorted()).toEqual(functions.toSorted());
});

test.skipIf(!isBuilt)('nothing of Objective-C or Metal is linked: it is found when a device is opened', () => {
  expect(symbols(false).filter((name) => /objc|MTL|dispatch|NS/.test(name))).toEqual([]);
});

test.skipIf(!isBuilt)('it is signed, as arm64 asks of all code [all of this needs ld64.lld]', () => {
  expect(placesOf(CODE_SIGNATURE)).toHaveLength(1);
});
