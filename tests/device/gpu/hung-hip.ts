/** A process of its own, since a HIP launch that never ends holds its device for as long as the process lives. Prints what it saw. */
import { buffer, type Failure, failureOf, launchOf, newLoadedRig, reported, withBench } from './kit.ts';

const rig = await newLoadedRig('hip');
const seen: Failure[] = [];
withBench(rig, { emulate: 'hang@1', devices: 2 }, ({ device, alloc, kernel }) => {
  const y = alloc(128);
  rig.shim.launch(device, launchOf(kernel('bounded'), [buffer(y)]), {});
  seen.push(failureOf(() => rig.shim.wait(device, 30)));
  seen.push(failureOf(() => rig.shim.free(device, y)));
});
seen.push(failureOf(() => rig.shim.open(0)));
rig.shim.close(rig.shim.open(1));
console.log(JSON.stringify({ seen, violations: reported('violation'), leaks: reported('leak') }));
