/** A value that is kept beyond a place lives in a variable, of which the compiler makes values again. */
import type { Block, Instruction } from './module.ts';
import { instructionOf, isPhi, operandsOf, VALUE } from './module.ts';

export const variableOf = (value: string): string => `%var.${value.slice(1)}`;

/** Stores each of the values where it is defined, and loads it wherever it is used; `types` has their types. */
export function demote(blocks: readonly Block[], types: ReadonlyMap<string, string>): void {
  const uses = new Uses(types);
  const atEnd = new Map<string, Instruction[]>();
  for (const block of blocks) {
    const body: Instruction[] = [];
    const pending: Instruction[] = []; // stores of phis, which stand behind all of them
    for (const one of block.instructions) {
      if (isPhi(one)) body.push(uses.inPhi(one, atEnd));
      else {
        body.push(...pending.splice(0));
        const { loads, text } = uses.inPlace(one);
        body.push(...loads, { ...one, text });
      }
      const type = types.get(one.result);
      if (type !== undefined) pending.push(instructionOf(`store ${type} ${one.result}, ptr ${variableOf(one.result)}`));
    }
    block.instructions = [...body, ...pending];
  }
  for (const block of blocks) block.instructions.splice(-1, 0, ...(atEnd.get(block.label) ?? []));
}

class Uses {
  private serial = 0;
  constructor(private readonly types: ReadonlyMap<string, string>) {}

  private load(value: string): { name: string; load: Instruction } {
    const name = `%use.${this.serial++}`;
    return { name, load: instructionOf(`${name} = load ${this.types.get(value)}, ptr ${variableOf(value)}`) };
  }

  inPhi(one: Instruction, atEnd: Map<string, Instruction[]>): Instruction {
    const text = one.text.replace(/\[ (%v\d+), %([\w.]+) \]/g, (whole, value: string, label: string) => {
      if (!this.types.has(value)) return whole;
      const { name, load } = this.load(value);
      atEnd.set(label, [...(atEnd.get(label) ?? []), load]);
      return `[ ${name}, %${label} ]`;
    });
    return { ...one, text };
  }

  inPlace(one: Instruction): { loads: Instruction[]; text: string } {
    const names = new Map<string, string>();
    const loads: Instruction[] = [];
    for (const value of new Set(operandsOf(one))) {
      if (!this.types.has(value)) continue;
      const { name, load } = this.load(value);
      names.set(value, name);
      loads.push(load);
    }
    const head = one.result === '' ? 0 : one.result.length;
    const rest = one.text.slice(head).replace(VALUE, (value) => names.get(value) ?? value);
    return { loads, text: one.text.slice(0, head) + rest };
  }
}
