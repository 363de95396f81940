/** What llvm-readelf prints of a code object's metadata note. */

export interface ReadelfFacts {
  readonly vgprs: number;
  readonly agprs: number;
  readonly sgprs: number;
  readonly staticLds: number;
  readonly scratch: number;
  readonly maxFlatWorkgroup: number;
  readonly wave: number;
  readonly wgpMode: boolean | undefined;
  readonly vgprSpills: number;
  readonly sgprSpills: number;
  readonly dynamicStack: boolean;
}

/** By symbol, from the output of `llvm-readelf --notes`. */
export function readelfFacts(output: string): Map<string, ReadelfFacts> {
  const yaml = output.slice(output.indexOf('amdhsa.kernels:')).split('\n...')[0] ?? '';
  const note = Bun.YAML.parse(yaml) as { readonly 'amdhsa.kernels': readonly Readonly<Record<string, unknown>>[] };
  return new Map(note['amdhsa.kernels'].map((kernel) => [String(kernel['.name']), factsOf(kernel)]));
}

function factsOf(kernel: Readonly<Record<string, unknown>>): ReadelfFacts {
  const number = (key: string): number => Number(kernel[key] ?? 0);
  const wgp = kernel['.workgroup_processor_mode'];
  return {
    vgprs: number('.vgpr_count'),
    agprs: number('.agpr_count'),
    sgprs: number('.sgpr_count'),
    staticLds: number('.group_segment_fixed_size'),
    scratch: number('.private_segment_fixed_size'),
    maxFlatWorkgroup: number('.max_flat_workgroup_size'),
    wave: number('.wavefront_size'),
    wgpMode: wgp === undefined ? undefined : Number(wgp) === 1,
    vgprSpills: number('.vgpr_spill_count'),
    sgprSpills: number('.sgpr_spill_count'),
    dynamicStack: kernel['.uses_dynamic_stack'] === true,
  };
}
