/**
 * What the shims declare of a vendor's driver, against the vendor's own header where it is installed: a shim compiled with either
 * has the same bytes, and so the same numbers and layouts.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findClang } from '../../../src/device/toolchain/clang.ts';
import { run } from '../../../src/device/processes/process.ts';

const FFI = join(import.meta.dir, '../../../ffi');
const FLAGS = ['-std=c11', '-D_GNU_SOURCE', '-O2', '-fPIC', '-Wno-unused-function', `-I${FFI}`, '-c'];

const VENDORS = [
  {
    dialect: 'cuda',
    header: 'cuda.h',
    folders: [process.env['TF_CUDA_INCLUDE'], '/usr/local/cuda/include', '/opt/cuda/include'],
    defines: ['-D__CUDA_API_VERSION_INTERNAL'], // declares functions by their exported names
    prototypes: `
#define CHECK(since, name, ...) \\
  _Static_assert(__builtin_types_compatible_p(__typeof__(&name), CUresult (*)(__VA_ARGS__)), #name);
DRIVER(CHECK, CHECK)`,
  },
  {
    dialect: 'hip',
    header: 'hip/hip_runtime_api.h',
    folders: [process.env['TF_HIP_INCLUDE'], '/opt/rocm/include', '/usr/include'],
    defines: ['-D__HIP_PLATFORM_AMD__'],
    // Later releases have one type more const, and functions that earlier ones lack.
    prototypes: `
#include <stddef.h>
_Static_assert(
  offsetof(hipDeviceProp_t, gcnArchName) == (HIP_VERSION_MAJOR < 6 ? CHIP_AT_R0000 : CHIP_AT_R0600), "the chip's name");
_Static_assert(sizeof(hipDeviceProp_t) <= PROPERTIES_BYTES, "properties");
#if HIP_VERSION_MAJOR < 6
#define CHECK(since, result, name, ...) \\
  _Static_assert(__builtin_types_compatible_p(__typeof__(&name), result (*)(__VA_ARGS__)), #name);
#define NONE(since, result, name, ...)
DRIVER(CHECK, NONE)
#endif`,
  },
] as const;

describe.each(VENDORS)('$dialect', ({ dialect, header, folders, defines, prototypes }) => {
  const found = folders.find((folder) => folder && existsSync(join(folder, header)));
  const vendor = ['-DTF_VENDOR_HEADER', ...defines, `-I${found}`, '-include', header];
  const source = join(FFI, `${dialect}.c`);
  let scratch: string;
  beforeAll(() => {
    scratch = mkdtempSync(join(tmpdir(), 'tf-headers-'));
  });
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  async function compile(name: string, flags: readonly string[], input = ''): Promise<Buffer> {
    const output = join(scratch, name);
    const { code, stderr } = await run([(await findClang()).path, ...FLAGS, ...flags, '-o', output], input);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return readFileSync(output);
  }

  test.skipIf(!found)(
    `the shim has the same bytes with ${header}`,
    async () => {
      const own = await compile('own.o', [source]);
      expect(own.equals(await compile('vendor.o', [...vendor, source]))).toBe(true);
    },
    60_000,
  );

  test.skipIf(!found)(
    `its functions are those of ${header}`,
    async () => {
      const text = `#include "${dialect}_driver.h"\n${prototypes}\n`;
      await compile('prototypes.o', [...vendor, '-x', 'c', '-'], text);
    },
    60_000,
  );
});
