/** Gate 3's cases: ordinary data at every shape that a contract owes, and corner rows at the tail of each route. */
import { cornerInputs, cornerKinds } from '../families/fills/corners.ts';
import { ordinaryInputs } from '../families/fills/ordinary.ts';
import { rowCount, shapeText } from '../families/tensor.ts';
import type { Kernel } from '../spec/registration.ts';
import { gateShapes, routeBases, stretch, tailShapes } from '../spec/shapes.ts';
import type { GateCase } from './case.ts';
import { CaseData } from './case.ts';
import { ARITHMETIC, inModes } from './mode.ts';

export function shapeCases(kernel: Kernel, seed: string): GateCase[] {
  return [...ordinaryCases(kernel, seed), ...cornerCases(kernel, seed)];
}

/** The tail of each route and its least served shape take every mode. */
function ordinaryCases({ contract }: Kernel, seed: string): GateCase[] {
  const telling = new Set([...tailShapes(contract), ...routeBases(contract)].map(shapeText));
  return gateShapes(contract, seed).flatMap((shape) => {
    const text = shapeText(shape);
    const prepare = (): CaseData =>
      new CaseData(ordinaryInputs(contract.inputs, shape, contract.fills ?? {}, `${seed}:${contract.name}:${text}`));
    const plain = { label: text, shape, mode: 'plain', prepare } as const;
    return inModes(contract, plain, telling.has(text) ? ARITHMETIC : []);
  });
}

/** Corner rows at the tail of each route; where a route takes fewer rows than there are kinds, several cases. */
function cornerCases({ contract }: Kernel, seed: string): GateCase[] {
  const kinds = cornerKinds(contract.scalars ?? {}, contract.formula.family, contract.denormals === 'flush');
  const tensor = Object.values(contract.inputs).find(({ dims, bits }) => dims.length > 1 && bits === undefined);
  const outer = tensor?.dims[0];
  return tailShapes(contract).flatMap((tail) => {
    const shape = outer === undefined ? tail : stretch(contract, tail, outer, kinds.length);
    const rows = tensor ? rowCount(tensor, shape) : kinds.length;
    return Array.from({ length: Math.ceil(kinds.length / rows) }, (_, i) => i).flatMap((i) => {
      const label = `${shapeText(shape)},data=corners${rows < kinds.length ? `,from=${i * rows}` : ''}`;
      const prepare = (): CaseData => {
        const { inputs, fills = {}, name } = contract;
        return new CaseData(cornerInputs(inputs, shape, fills, kinds, `${seed}:${name}:${label}`, i * rows), {
          corners: { dim: outer, kindOf: (row) => kinds[(i * rows + row) % kinds.length]?.name ?? '' },
        });
      };
      return inModes(
        contract,
        { label, shape, mode: 'plain', prepare },
        contract.formula.family === 'rule' ? ['fused'] : ARITHMETIC,
      );
    });
  });
}
