/** Every image that a run may ask for: each kernel's own, and each control's that plants something in the source or the launch. */
import type { ImageRequest } from '../../src/device/images.ts';
import { imageKey } from '../../src/device/images.ts';
import { hostImage, imagesOf, requestFor } from '../../src/gates/subject.ts';
import { AT_EVERY_WIDTH } from '../../src/gates/warps.ts';
import type { Dialect } from '../../src/families/formula/functions.ts';
import type { Kernel, PlantedControl } from '../../src/spec/registration.ts';
import { MODES } from '../../src/spec/modes.ts';
import { warpsOf } from '../../src/spec/warps.ts';
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
  return launchesOf(kernel.contract, dialect).flatMap((launch) => {
    const planted = control?.launch?.(launch) ?? launch;
    const widths = warpsOf(dialect, launch).filter((warp, i) => i === 0 || !control || warp === control.warp);
    const ways = widths.flatMap((warp) =>
      modes.filter((mode) => warp === widths[0] || AT_EVERY_WIDTH.includes(mode)).map((mode) => ({ mode, warp })),
    );
    return imagesOf(ways, dialect, launch).map((asked) =>
      requestFor({ texts }, kernel, dialect, hostImage(dialect, asked), planted, control),
    );
  });
}
