/** What an emulated driver's failures come to, while copy_rows and negate_rows run one after the other: in which dialects, in what words. */
import type { Emulated } from './emulated.ts';

export const SMALL = new URL('kernels', import.meta.url).pathname;

type Verdict = 'PASS' | 'FAIL' | 'NOT RUN';

export interface Failure {
  readonly what: string;
  /** TF_EMULATE. */
  readonly plan: string;
  /** In place of the emulated driver. */
  readonly driver?: string;
  /** Of copy_rows, under which it comes, and of negate_rows; none where nothing is run. */
  readonly verdicts?: readonly [Verdict, Verdict];
  /** In the dialects that can have it. */
  readonly words: Readonly<Partial<Record<Emulated, string>>>;
  /** Where it ends the process that runs the job. */
  readonly ends?: readonly Emulated[];
}

const hang = 'the launch still ran after 0.500 s';
const runs = 'outputs differ between run 1 and run';

/** `once`: what is planned comes in one process, so that a fresh one goes on. Launches are counted from 1. */
export const FAILURES: readonly Failure[] = [
  {
    what: 'no device',
    plan: 'no-device',
    words: {
      cuda: 'cuInit: CUDA_ERROR_NO_DEVICE (100)',
      hip: 'hipInit: hipErrorNoDevice (100)',
      xpu: 'zeInit: ZE_RESULT_ERROR_UNINITIALIZED',
      metal: 'no Metal GPU 0; there are 0',
    },
  },
  {
    what: 'a driver without a function',
    plan: '',
    driver: 'libc.so.6',
    words: {
      cuda: 'the driver has no cuInit; install one of CUDA 9.0 or later',
      hip: 'the driver has no hipInit; install one of ROCm 5.0 or later',
      xpu: 'the driver has no zeInit; install one of Level Zero 1.0 or later',
      metal: 'the driver has no objc_msgSend; install one of Metal of macOS 11 or later',
    },
  },
  {
    what: 'a driver of an old version',
    plan: 'old-driver',
    words: { xpu: 'the driver speaks Level Zero 0.91; install one of 1.0 or later' },
  },
  {
    what: 'out of memory',
    plan: 'oom@2',
    verdicts: ['NOT RUN', 'PASS'],
    words: {
      cuda: 'cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY (2)',
      hip: 'hipMalloc: hipErrorOutOfMemory (2)',
      xpu: 'zeMemAllocDevice: ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY',
      metal: 'the GPU gives no buffer of 8192 bytes',
    },
  },
  {
    what: 'an image that is refused',
    plan: 'reject-image@1',
    verdicts: ['FAIL', 'PASS'],
    words: {
      cuda: 'error: the emulated driver refuses image 1',
      hip: 'hipModuleLoadDataEx: hipErrorNoBinaryForGpu (209)', // it has no log
      xpu: 'error: the emulated driver refuses image 1',
      metal: 'library: error: the emulated driver refuses image 1',
    },
  },
  {
    what: 'a launch that is refused',
    plan: 'refuse-launch@2',
    verdicts: ['FAIL', 'PASS'],
    words: {
      cuda: 'cuLaunchKernel: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES (701)',
      hip: 'hipModuleLaunchKernel: hipErrorLaunchOutOfResources (701)',
      xpu: 'zeCommandListAppendLaunchKernel: ZE_RESULT_ERROR_INVALID_ARGUMENT',
      metal: 'command buffer: Insufficient Permission',
    },
  },
  {
    what: 'a fault that is seen later',
    plan: 'fault@2',
    verdicts: ['FAIL', 'PASS'],
    words: {
      cuda: 'cuEventQuery: CUDA_ERROR_ILLEGAL_ADDRESS (700)',
      hip: 'hipEventQuery: hipErrorIllegalAddress (700)',
      xpu: 'zeEventHostSynchronize: ZE_RESULT_ERROR_DEVICE_LOST',
      metal: 'command buffer: Caused GPU Address Fault Error',
    },
  },
  {
    what: 'a fault that stays with its process',
    plan: 'sticky@2,once',
    verdicts: ['FAIL', 'PASS'],
    ends: ['cuda', 'hip', 'xpu'],
    words: {
      cuda: 'the device does not open again: cuDeviceGetCount: CUDA_ERROR_ILLEGAL_ADDRESS (700)',
      hip: 'the device does not open again: hipGetDeviceCount: hipErrorIllegalAddress (700)',
      xpu: 'the device does not open again: zeContextCreate: ZE_RESULT_ERROR_DEVICE_LOST',
    },
  },
  {
    what: 'a hang',
    plan: 'hang@2,once',
    verdicts: ['FAIL', 'PASS'],
    ends: ['hip'],
    words: { cuda: hang, hip: 'a launch that never ended holds HIP device 0', xpu: hang, metal: hang },
  },
  {
    what: 'a hang that the driver never comes back from',
    plan: 'stuck@2,once',
    verdicts: ['FAIL', 'PASS'],
    ends: ['cuda'],
    words: { cuda: 'the driver did not come back from wait' },
  },
  {
    what: 'a device that is removed',
    plan: 'removed@2',
    verdicts: ['FAIL', 'NOT RUN'],
    ends: ['cuda', 'hip', 'xpu', 'metal'],
    words: {
      cuda: 'cuEventQuery: CUDA_ERROR_NO_DEVICE (100)',
      hip: 'hipEventQuery: hipErrorNoDevice (100)',
      xpu: 'the device does not open again: no Level Zero GPU 0; there are 0',
      metal: 'command buffer: The device was removed',
    },
  },
  {
    what: 'one bit of an output turned',
    plan: 'flip-bit@2',
    verdicts: ['FAIL', 'PASS'],
    words: { cuda: runs, hip: runs, xpu: runs, metal: runs },
  },
  {
    what: 'a bit turned in every third launch',
    plan: 'every-third',
    verdicts: ['FAIL', 'FAIL'],
    words: { cuda: runs, hip: runs, xpu: runs, metal: runs },
  },
];
