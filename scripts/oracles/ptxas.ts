/** What ptxas prints of each kernel while it compiles. */

/** The facts of a record that ptxas also tells. */
export interface PtxasFacts {
  readonly registers: number;
  readonly staticShared: number;
  readonly stack: number;
  readonly barriers: number;
  readonly spillStores: number;
  readonly spillLoads: number;
}

/** By `<chip> <symbol>`, from the output of `nvcc -Xptxas -v`. */
export function ptxasFacts(output: string): Map<string, PtxasFacts> {
  const facts = new Map<string, PtxasFacts>();
  const blocks = output.split(/^ptxas info\s*: Compiling entry function /m).slice(1);
  for (const block of blocks) {
    const [, symbol = '', chip = ''] = /^'(\S+)' for '(\S+)'/.exec(block) ?? [];
    const own = block.slice(block.indexOf(`Function properties for ${symbol}`));
    const number = (pattern: RegExp): number => Number(pattern.exec(own)?.[1] ?? 0);
    facts.set(`${chip} ${symbol}`, {
      registers: number(/Used (\d+) registers/),
      staticShared: number(/(\d+) bytes smem/),
      stack: number(/(\d+) bytes cumulative stack size/),
      barriers: number(/used (\d+) barriers/),
      spillStores: number(/(\d+) bytes spill stores/),
      spillLoads: number(/(\d+) bytes spill loads/),
    });
  }
  return facts;
}
