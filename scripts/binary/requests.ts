/** Every image that a run may ask for: each kernel's own, and each control's that plants something in the source or the launch. */
import type { ImageRequest } from '../../src/device/images.ts';
import { imageKey } from '../../src/device/images.ts';
import { MODE } from '../../src/gates/mode.ts';
import { requestFor } from '../../src/gates/subject.ts';
import type { Dialect } from '../../src/families/formula/functions.ts';
import type { Kernel, PlantedControl } from '../../src/spec/registration.ts';
import { MODES } from '../../src/spec/modes.ts';
import { controlModes, launchesOf } from '../../src/spec/registration.ts';

/** Requests by their key, so that controls which leave the source alone add none. */
export function imageRequests(
  kernels: readonly Kernel[],
  texts: ReadonlyMap<string, string>,
): Map<string, ImageRequest> {
  const requests = kernels.flatMap((kernel) =>
    kernel.dialects.flatMap((dialect) => {
      const controls = kernel.controls.filter((control) => control.dialects.includes(dialect));
      return [undefined, ...controls].flatMap((control) => requestsOf(kernel, texts, dialect, control));
    }),
  );
  return new Map(requests.map((request) => [imageKey(request), request]));
}

function requestsOf(
  kernel: Kernel,
  texts: ReadonlyMap<string, string>,
  dialect: Dialect,
  control: PlantedControl | undefined,
): ImageRequest[] {
  const modes = control ? controlModes(control) : MODES;
  const kinds = new Set(modes.map((mode) => MODE[mode].image));
  return launchesOf(kernel.contract, dialect).flatMap((launch) =>
    [...kinds].map((kind) =>
      requestFor({ texts }, kernel, dialect, kind, control?.launch?.(launch) ?? launch, control),
    ),
  );
}
