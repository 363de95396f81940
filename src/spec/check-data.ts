/** A contract's tensors and their data: what can be drawn, and how rows lie in memory. */
import { isFloat } from '../numerics/dtype.ts';
import type { Contract } from './contract.ts';

export function checkData(contract: Contract): string[] {
  return [...checkFills(contract), ...checkRows(contract), ...checkRowIndependent(contract)];
}

function checkFills({ fills = {}, inputs }: Contract): string[] {
  const unknown = Object.keys(fills).filter((name) => !Object.hasOwn(inputs, name));
  const integers = Object.entries(inputs).filter(([, { dtype, bits }]) => !isFloat(dtype) && bits === undefined);
  return [
    ...unknown.map((name) => `fills names '${name}', which is no input: ${Object.keys(inputs).join(', ')}`),
    ...integers.flatMap(([name, { dtype }]) =>
      fills[name] === 'codes'
        ? []
        : [`the input ${name} is ${dtype}, whose data are random bits: say fills: { ${name}: 'codes' }`],
    ),
  ];
}

/** Rows of packed codes end on whole words at every valid size: at the least, and a step further. */
function checkRows({ inputs, outputs, dims }: Contract): string[] {
  return Object.entries({ ...inputs, ...outputs }).flatMap(([name, { bits, group = 1, dims: over }]) => {
    const last = over.at(-1) ?? '';
    const { step = 1, least = step } = dims[last] ?? {};
    const odd = [least, least + step].find((size) => bits !== undefined && ((size / group) * bits) % 32 !== 0);
    if (odd === undefined) return [];
    return [
      `a row of ${name} is ${odd} codes of ${bits} bits at ${last}=${odd}, which end inside a 32-bit word: give ${last} a step`,
    ];
  });
}

function checkRowIndependent({ rowIndependent, dims }: Contract): string[] {
  if (rowIndependent === undefined || Object.hasOwn(dims, rowIndependent)) return [];
  return [`rowIndependent names '${rowIndependent}', which is no dimension: ${Object.keys(dims).join(', ')}`];
}
