/** What ocloc takes out of its own image: the text of `.ze_info`. */

export interface OclocFacts {
  readonly simd: number;
  readonly grf: number;
  readonly slm: number;
  readonly barriers: number;
  readonly requiredWorkgroup: readonly number[] | undefined;
  readonly requiredSubgroup: number | undefined;
}

interface ZeKernel {
  readonly name: string;
  readonly user_attributes?: Readonly<Record<string, unknown>>;
  readonly execution_env: Readonly<Record<string, unknown>>;
}

/** By symbol, from the file that `ocloc disasm -dump` writes. */
export function oclocFacts(zeInfo: string): Map<string, OclocFacts> {
  const { kernels } = Bun.YAML.parse(zeInfo) as { readonly kernels: readonly ZeKernel[] };
  return new Map(kernels.map((kernel) => [kernel.name, factsOf(kernel)]));
}

function factsOf({ user_attributes: asked = {}, execution_env: env }: ZeKernel): OclocFacts {
  const subgroup = asked['intel_reqd_sub_group_size'];
  return {
    simd: Number(env['simd_size']),
    grf: Number(env['grf_count']),
    slm: Number(env['slm_size'] ?? 0),
    barriers: Number(env['barrier_count'] ?? 0),
    requiredWorkgroup: env['required_work_group_size'] as readonly number[] | undefined,
    requiredSubgroup: subgroup === undefined ? undefined : Number(subgroup),
  };
}
