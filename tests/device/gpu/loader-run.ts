/** Opens the GPU by the system's Level Zero loader, twice, and prints how it went. */
import { DeviceError } from '../../../src/device/device.ts';
import { openShim } from '../../../src/device/shim.ts';
import { buildShim } from '../../../src/device/shims/build.ts';

const shim = openShim({ bytes: await buildShim('xpu') });

function outcome(): string {
  try {
    shim.close(shim.open(0));
    return 'opened';
  } catch (error) {
    if (error instanceof DeviceError) return `${error.failure}: ${error.message}`;
    throw error;
  }
}

console.log(outcome());
console.log(outcome());
