/** Small images of every container, assembled here: seeds for damaging, also where no samples are. */
import { buildContainer, buildCubin, buildHost, cubinEntry } from './cuda-kit.ts';
import { instruction, long, PTX, short, STORED } from './cuda-kit.ts';
import { join } from './elf-kit.ts';
import { bundle, codeObject, compressed, HOST_ENTRY, hostObject, KERNEL } from './hip-kit.ts';
import { fat, G13G, G14G, pipeline } from './metal-kit.ts';
import { archive, zebin, zeInfo, zeKernel } from './xpu-kit.ts';

export interface Assembled {
  /** The reader it is for. */
  readonly reader: string;
  readonly name: string;
  readonly bytes: Uint8Array;
}

export function assembledImages(): readonly Assembled[] {
  const of = (reader: string, bytes: Uint8Array): Assembled => ({ reader, name: `an assembled ${reader}`, bytes });
  const fatbin = assembledFatbin();
  const object = codeObject({ kernels: [KERNEL, { ...KERNEL, name: 'other', vgprs: 128 }] });
  const bundled = bundle([HOST_ENTRY, { id: 'hipv4-amdgcn-amd-amdhsa--gfx1100', bytes: object }]);
  const intel = zebin({ info: zeInfo([zeKernel('k', ['slm_size:        1024'])]) });
  return [
    of('cubin', assembledCubin()),
    of('fatbin', fatbin),
    of('cuda-host', buildHost({ '.nv_fatbin': fatbin })),
    of('code-object', object),
    of('bundle', bundled),
    of('bundle', compressed(bundled, { version: 1, method: 'zlib' })),
    of('bundle', compressed(bundled, { version: 2, method: 'zstd' })),
    of('bundle', compressed(bundled, { version: 3, method: 'zstd' })),
    of('hip-host', hostObject([bundled, bundled])),
    of('zebin', intel),
    of('archive', archive([{ name: '64.12.55.8/', bytes: intel }])),
    of('metal', pipeline('code', 'metadata')),
    of('metal', assembledFatPipeline()),
  ];
}

// --- details ---

function assembledCubin(): Uint8Array {
  const code = join(instruction(0x387, 4), instruction(0x983, 5));
  const spilling = { name: 'spills', shared: 2048, code, attributes: [long(0x55, 1, 0, 1, 16), long(0x37, 130)] };
  const bound = { name: 'bound', attributes: [long(0x05, 256, 1, 1), long(0x3d, 2, 1, 1), short(0x4c, 1, 2)] };
  const note = { release: '13.0', options: '-arch sm_90 ' };
  return buildCubin({ sm: 90, note, compat: short(0x09, 1, 2), kernels: [spilling, bound] });
}

function assembledFatPipeline(): Uint8Array {
  const slices = [G13G, G14G].map((cpuSubtype) => ({ cpuSubtype, content: pipeline('code', '', cpuSubtype) }));
  return fat('metal', slices);
}

function assembledFatbin(): Uint8Array {
  const cubin = assembledCubin();
  const ptx = { kind: 1, sm: 80, flags: STORED, payload: PTX };
  const images = [cubinEntry(90, cubin, 'lz4'), cubinEntry(90, cubin, 'zstd'), cubinEntry(90, cubin)];
  return join(buildContainer([ptx, ...images]), buildContainer(images));
}
