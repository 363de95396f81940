/** Runs a kernel by the system's Level Zero loader, twice, and prints how it went. */
import { DeviceError } from '../../../src/device/device.ts';
import { openShim } from '../../../src/device/shim.ts';
import { shimImage } from '../../../src/device/store.ts';
import { imageOfTwice, roundTrip } from './twice.ts';

const shim = openShim({ bytes: await shimImage('xpu') });
const image = await imageOfTwice('xpu');

function outcome(): string {
  try {
    return roundTrip(shim, image, 3).every((value) => value === 53) ? 'right' : 'wrong';
  } catch (error) {
    if (error instanceof DeviceError) return `${error.failure}: ${error.message}`;
    throw error;
  }
}

console.log(outcome());
console.log(outcome());
