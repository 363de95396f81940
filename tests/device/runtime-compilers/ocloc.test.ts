/** Intel's compiler library: the project's kernels by a real one where it is installed, which needs no GPU. */
import { afterEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { ImageRequest } from '../../../src/device/images.ts';
import { OclocCompiler } from '../../../src/device/runtime-compilers/ocloc.ts';
import { compiledImages } from '../../../src/device/runtime-compilers/store.ts';
import { run } from '../../../src/device/processes/process.ts';
import { readListing } from '../../../src/spec/listing.ts';

const ZEBIN = 205; // e_machine
const isHere = !('why' in OclocCompiler.open());
const request = (text: string, path = 'k/k.cl', defines = {}): ImageRequest => ({
  kind: 'fast',
  dialect: 'xpu',
  path,
  text,
  defines,
});

afterEach(() => void delete process.env['TF_LIBOCLOC']);

test('without the library every image is its absence, and what to do', async () => {
  process.env['TF_LIBOCLOC'] = '/no/such/libocloc.so';
  const result = await compiledImages('xpu', 'pvc', new Map()).get(request(''));
  expect(result).toEqual({
    error: expect.stringMatching(
      /^No run-time compiler: \/no\/such\/libocloc.so: cannot open .* Install intel-opencl-icd or intel-ocloc, or set TF_LIBOCLOC/,
    ) as string,
  });
});

describe.skipIf(!isHere)('ocloc [needs intel-opencl-icd]', () => {
  test.each(['acm-g10', 'pvc', '0x0bd5'])(
    'a kernel and the headers that it shares for %s',
    async (chip) => {
      const { sources } = await readListing();
      const path = 'row_max/row_max.cl';
      const result = await compiledImages('xpu', chip, sources).get(request(sources.get(path)!, path));
      if ('error' in result) throw new Error(result.error);
      const view = new DataView(result.image.buffer, result.image.byteOffset);
      expect([view.getUint32(0), view.getUint16(18, true)]).toEqual([0x7f454c46, ZEBIN]);
      expect(Buffer.from(result.image).includes('tf_row_max')).toBe(true);
    },
    60_000,
  );

  test('macros reach the source', async () => {
    const text = 'kernel void f(global int* y) { y[0] = HEAD; }';
    const images = compiledImages('xpu', 'acm-g10', new Map());
    expect(await images.get(request(text, 'k/k.cl', { HEAD: 128 }))).toHaveProperty('image');
    expect(await images.get(request(text))).toEqual({
      error: expect.stringMatching(/^k\/k.cl: .*undeclared identifier 'HEAD'[^]*\^$/) as string,
    });
  });

  test('a chip that it does not know is its own words', async () => {
    const result = await compiledImages('xpu', 'none', new Map()).get(request('kernel void f() {}'));
    expect(result).toEqual({ error: expect.stringMatching(/^k\/k.cl: .*none/) as string });
  });

  test('what it prints does not reach standard output', async () => {
    const { code, stdout } = await run([process.execPath, join(import.meta.dir, 'ocloc-run.ts')]);
    expect([code, stdout]).toEqual([0, 'before\nafter\n']);
  });
});
