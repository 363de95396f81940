/** Which names are arrays of local memory: those that a function declares, and parameters to which a call passes one. */
import { splitArguments } from '../device/toolchain/lower/syntax.ts';
import type { Span, Unit } from '../device/toolchain/lower/unit.ts';
import { isName, textAt } from '../device/toolchain/lower/unit.ts';
import type { Code, FunctionText } from './code.ts';
import { calls, functionAround, indices } from './code.ts';
import { LOCAL } from './words.ts';

export type Locals = ReadonlyMap<FunctionText, ReadonlySet<string>>;

/** The local arrays of every reached function, by name. */
export function localArrays(code: Code): Locals {
  const locals = new Map(code.functions.map((one) => [one, declared(code, one)]));
  for (let grown = true; grown;) {
    grown = false;
    for (const { own, parameter } of passed(code, locals)) {
      const names = locals.get(own);
      if (!names || names.has(parameter)) continue;
      names.add(parameter);
      grown = true;
    }
  }
  return locals;
}

/** `float a[8], b[8]` behind the word that declares local memory. */
function declared({ unit, dialect }: Code, { body }: FunctionText): Set<string> {
  const names = new Set<string>();
  for (const i of indices(body)) {
    if (!LOCAL[dialect].includes(textAt(unit, i))) continue;
    for (let j = i; textAt(unit, j) !== ';' && j < body.last; j++)
      if (isName(unit, j) && textAt(unit, j + 1) === '[') names.add(textAt(unit, j));
  }
  return names;
}

/** The parameters to which a call passes an array that is known to be local, or a place in one: `tile + row`. */
function passed(code: Code, locals: Locals): { readonly own: FunctionText; readonly parameter: string }[] {
  const { unit, functions } = code;
  return functions.flatMap((own) => {
    const names = splitArguments(unit, own.parameters.first, own.parameters.last).map((span) => nameOf(unit, span));
    return calls(code, (name) => name === own.name).flatMap(({ name, args }) => {
      const caller = functionAround(code, name);
      const known = caller ? locals.get(caller) : undefined;
      if (!known || args.length !== names.length) return [];
      return args.flatMap(({ first }, i) => {
        const parameter = names[i] ?? '';
        const isArray = known.has(textAt(unit, first)) && textAt(unit, first + 1) !== '[';
        return isArray && parameter !== '' ? [{ own, parameter }] : [];
      });
    });
  });
}

/** A parameter's name: of `float (&tile)[8][4]`, of `threadgroup T* partials`. */
function nameOf(unit: Unit, span: Span): string {
  const reference = indices(span).find((i) => textAt(unit, i) === '&' && textAt(unit, i - 1) === '(');
  if (reference !== undefined) return textAt(unit, reference + 1);
  const end = indices(span).find((i) => textAt(unit, i) === '[') ?? span.last + 1;
  return isName(unit, end - 1) ? textAt(unit, end - 1) : '';
}
