/** The table of a C++ image's kernels, as the macros of the dialect headers, for the end of the lowered text. */

/** A lowered source. */
export interface Lowered {
  readonly text: string;
  /** The names that launches may ask for. */
  readonly symbols: readonly string[];
}

export interface KernelEntry {
  /** The name that a launch asks for. */
  readonly symbol: string;
  /** The C++ expression that names the function, template arguments and all. */
  readonly expression: string;
  /** The most threads a group may have, a constant expression; '0' for no bound. */
  readonly bound: string;
  /** Metal: where each parameter comes from. */
  readonly parameters?: readonly string[];
}

/** The table; each argument that may hold a comma is in parentheses. */
export function kernelTable(macro: 'TF_KERNEL' | 'TF_METAL_KERNEL', entries: readonly KernelEntry[]): string {
  const rows = entries.map(({ symbol, expression, bound, parameters = [] }) => {
    const fields = [JSON.stringify(symbol), `(${expression})`, `(${bound})`, ...parameters];
    return `${macro}(${fields.join(', ')})`;
  });
  return ['', '# 1 "<kernel table>"', 'TF_KERNELS_BEGIN', ...rows, 'TF_KERNELS_END', ''].join('\n');
}
