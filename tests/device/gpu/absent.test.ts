/** A shim without its driver: what is missing is said, and nothing else of the process is touched. */
import { afterEach, expect, test } from 'bun:test';
import { DeviceError } from '../../../src/device/device.ts';
import { openShim } from '../../../src/device/shim.ts';
import { shimImage } from '../../../src/device/store.ts';
import { buildShim } from '../../../src/device/shims/build.ts';
import { setVariable } from './environment.ts';

const VARIABLE = 'TF_CUDA_DRIVER';
const shim = openShim({ bytes: await shimImage('cuda') });

afterEach(() => setVariable(VARIABLE, undefined));

function refusal(driver: string): DeviceError {
  setVariable(VARIABLE, driver);
  try {
    shim.open(0);
  } catch (error) {
    if (error instanceof DeviceError) return error;
    throw error;
  }
  throw new Error('the device opened');
}

test('a driver that is not there is absent, by the linker’s own words', () => {
  const { failure, message } = refusal('/no/such/driver.so');
  expect(failure).toBe('absent');
  expect(message).toContain('TF_CUDA_DRIVER: /no/such/driver.so: cannot open shared object file');
});

test('a library that is no driver names the first function that it lacks, and the release that has it', () => {
  const { failure, message } = refusal('libc.so.6');
  expect(failure).toBe('absent');
  expect(message).toBe('the driver has no cuInit; install one of CUDA 9.0 or later');
});

test('a shim is built once', async () => {
  expect(await buildShim('cuda')).toEqual(await shimImage('cuda'));
});
