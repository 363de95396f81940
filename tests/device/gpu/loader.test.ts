/** The shim of Level Zero, the vendor's header and the system's own loader. */
import { afterEach, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DeviceError } from '../../../src/device/device.ts';
import { openShim } from '../../../src/device/shim.ts';
import { buildShim } from '../../../src/device/shims/build.ts';
import { findClang } from '../../../src/device/toolchain/clang.ts';
import { run } from '../../../src/device/processes/process.ts';
import { buildDriver } from '../../drivers/build.ts';
import { setVariable } from './environment.ts';
import { imageOfTwice } from './twice.ts';

const VARIABLE = 'TF_XPU_DRIVER';
const shim = openShim({ bytes: await buildShim('xpu') });
const found = (pattern: string): boolean =>
  [...new Bun.Glob(pattern).scanSync({ cwd: '/usr/lib', onlyFiles: false })].length > 0;
const hasLoader = found('*-linux-gnu/libze_loader.so.1');
const hasLayer = found('*-linux-gnu/libze_validation_layer.so.1');
const hasHeader = existsSync('/usr/include/level_zero/ze_ddi.h');
await imageOfTwice('xpu'); // the children find it made
const driver = hasLoader && hasLayer && hasHeader ? await buildDriver('xpu') : '';

afterEach(() => setVariable(VARIABLE, undefined));

test.each([
  ['/no/such/driver.so', 'TF_XPU_DRIVER: /no/such/driver.so: cannot open shared object file'],
  ['libc.so.6', 'the driver has no zeInit; install one of Level Zero 1.0 or later'],
])('%s is no loader', (path, text) => {
  setVariable(VARIABLE, path);
  let failure: unknown;
  try {
    shim.open(0);
  } catch (error) {
    failure = error;
  }
  expect(failure).toBeInstanceOf(DeviceError);
  expect(failure).toMatchObject({ failure: 'absent', message: expect.stringContaining(text) as string });
});

test.skipIf(!hasHeader)("the shim's own declarations are those of ze_api.h [needs libze-dev]", async () => {
  const clang = await findClang();
  const { code, stderr } = await run([clang.path, '-std=c11', '-fsyntax-only', join(import.meta.dir, 'ze-abi.c')]);
  expect(stderr).toBe('');
  expect(code).toBe(0);
});

/** What a process of its own prints that runs a kernel twice, since a loader reads its variables once. */
async function ran(variables: Record<string, string>): Promise<string> {
  const { stdout, stderr } = await run([
    'env',
    ...Object.entries(variables).map(([name, value]) => `${name}=${value}`),
    process.execPath,
    join(import.meta.dir, 'loader-run.ts'),
  ]);
  return stdout + stderr;
}

test.skipIf(!hasLoader)('a loader without a driver is absent, by its own words [needs libze1]', async () => {
  const absent = 'absent: zeInit: ZE_RESULT_ERROR_UNINITIALIZED (0x78000001)\n';
  expect(await ran({ ZE_ENABLE_ALT_DRIVERS: '/no/such/driver.so' })).toBe(absent + absent);
});

test.skipIf(!driver)(
  'behind the loader and its validation layer, every call passes and every result is right [needs libze1, libze-dev]',
  async () => {
    const layer = ['PARAMETER_VALIDATION', 'THREADING_VALIDATION', 'HANDLE_LIFETIME', 'MEMORY_TRACKER'];
    const on = ['VALIDATION_LAYER', ...layer].map((name) => [`ZE_ENABLE_${name}`, '1'] as const);
    const printed = await ran({ ZE_ENABLE_ALT_DRIVERS: driver, ...Object.fromEntries(on) });
    const contexts = 'open: device 0\nclose: device 0\n';
    expect(printed.replaceAll(/^\d+ /gm, '')).toBe(`right\nright\n${contexts}${contexts}`);
  },
);
