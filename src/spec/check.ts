/** A contract against itself, its folder and the others: each mistake is a sentence that says what to change. */
import { DIALECTS } from '../families/formula/functions.ts';
import { isFloat } from '../numerics/dtype.ts';
import type { Shape } from '../families/tensor.ts';
import type { Tensor } from '../families/tensor.ts';
import { shapeText, sizeOf } from '../families/tensor.ts';
import type { Dialect } from '../families/formula/functions.ts';
import { interiorPoints, nameOf } from '../families/formula/graph.ts';
import type { Contract, Control } from './contract.ts';
import type { Kernel } from './registration.ts';
import { dialectOf, launchesOf, routeOf, sourceOf } from './registration.ts';
import { gateShapes, servedShapes } from './shapes.ts';

/** Everything wrong with one kernel, alone and against its sources. */
export function checkKernel(kernel: Kernel, sources: ReadonlyMap<string, string>): string[] {
  const { contract } = kernel;
  return [
    ...checkServed(contract),
    ...checkInPlace(contract),
    ...checkArithmetic(kernel),
    ...DIALECTS.flatMap((dialect) => checkRoutes(contract, dialect)),
    ...checkFolder(kernel, sources),
    ...kernel.controls.flatMap((control) => checkControl(kernel, control, sources)),
    ...checkPoints(kernel),
  ];
}

/** What only shows beside the other kernels: taken names, kernels replaced that are not there. */
export function checkTogether(kernels: readonly Kernel[]): string[] {
  const problems: string[] = [];
  const byName = new Map<string, Kernel>();
  for (const kernel of kernels) {
    const other = byName.get(kernel.name);
    if (other) problems.push(`${kernel.name} is registered twice, in ${other.folder} and ${kernel.folder}: rename one`);
    byName.set(kernel.name, kernel);
  }
  for (const kernel of kernels) {
    const { replaces } = kernel.contract;
    if (replaces === undefined) continue;
    const replaced = byName.get(replaces);
    if (!replaced) problems.push(`${kernel.name} replaces ${replaces}, which is no registered kernel`);
    else problems.push(...checkReplaced(kernel, replaced));
  }
  return problems;
}

function checkReplaced(kernel: Kernel, replaced: Kernel): string[] {
  const names = (contract: Contract): string =>
    [...Object.keys(contract.inputs), ...Object.keys(contract.outputs), ...Object.keys(contract.dims)]
      .toSorted()
      .join(' ');
  if (names(kernel.contract) !== names(replaced.contract)) {
    return [`${kernel.name} replaces ${replaced.name}, but their inputs, outputs and dimensions have different names`];
  }
  const missing = kernel.dialects.filter((dialect) => !replaced.dialects.includes(dialect));
  return missing.map((dialect) => `${kernel.name} replaces ${replaced.name}, which has no ${dialect} launch`);
}

/** Names that two things have, or that refer to nothing; checked before the formula is read. */
export function checkNames(contract: Contract): string[] {
  const problems: string[] = [];
  const { dims, inputs, outputs, scalars = {}, args } = contract;
  const known = [...Object.keys(dims), ...Object.keys(inputs), ...Object.keys(outputs), ...Object.keys(scalars)];
  for (const name of known)
    if (known.indexOf(name) !== known.lastIndexOf(name)) problems.push(`'${name}' names two things`);
  for (const [name, tensor] of Object.entries({ ...inputs, ...outputs })) {
    for (const dim of tensor.dims) {
      if (!Object.hasOwn(dims, dim))
        problems.push(`${name} runs over '${dim}', which is no dimension: ${Object.keys(dims).join(', ')}`);
    }
  }
  for (const arg of args)
    if (!known.includes(arg)) problems.push(`args names '${arg}', which is no input, output, dimension or scalar`);
  for (const name of [...Object.keys(inputs), ...Object.keys(outputs)]) {
    if (!args.includes(name)) problems.push(`args leaves out '${name}', so the kernel would never get it`);
  }
  return problems;
}

function checkServed(contract: Contract): string[] {
  const problems: string[] = [];
  const names = Object.keys(contract.dims).toSorted().join(', ');
  for (const entry of contract.served) {
    const given = Object.keys(entry).toSorted().join(', ');
    if (given !== names) return [`a served shape names ${given || 'nothing'}, but the dimensions are ${names}`];
  }
  for (const shape of servedShapes(contract)) {
    for (const [name, dim] of Object.entries(contract.dims)) {
      const size = sizeOf(shape, name);
      const step = dim.step ?? 1;
      const least = dim.least ?? step;
      if (size < least || (size - least) % step !== 0) {
        problems.push(
          `${name} is served at ${size}, but valid sizes are ${least}, ${least + step}, ${least + 2 * step}, ...`,
        );
      }
    }
  }
  return [...new Set(problems)];
}

function checkArithmetic({ contract, problem, rule }: Kernel): string[] {
  const problems: string[] = [];
  const sums =
    problem?.graph.nodes.some((node) => node.kind === 'reduce' && (node.op === 'sum' || node.op === 'mean')) ?? false;
  if (sums && contract.accumulator === 'none') problems.push("the formula sums, so accumulator must be 'f32'");
  if (!sums && contract.accumulator === 'f32') problems.push("the formula sums nothing, so accumulator must be 'none'");
  if (!rule)
    problems.push(...Object.entries(contract.outputs).flatMap(([name, { dtype }]) => checkOutputType(name, dtype)));
  if (rule && contract.nan !== 'rule') problems.push("a kernel with a stated rule says nan: 'rule'");
  if (!rule && contract.nan === 'rule') problems.push("nan: 'rule' needs a formula by rule(...)");
  if (contract.controls.length < 2)
    problems.push('a contract has at least two controls: a gate that nothing breaks proves nothing');
  return problems;
}

/** What a formula cannot judge: integers have no class and no rounding, and narrow floats no infinity to overflow to. */
function checkOutputType(name: string, dtype: Tensor['dtype']): string[] {
  if (!isFloat(dtype))
    return [`the output ${name} is ${dtype}, which has no class and no rounding: state its rule with rule(...)`];
  if (dtype === 'f32' || dtype === 'bf16' || dtype === 'f16') return [];
  return [
    `the output ${name} is ${dtype}, and nothing says whether what is past its largest value saturates or becomes NaN: state its rule with rule(...)`,
  ];
}

/** Names and sizes of what may lie in place. */
function checkInPlace({ inPlace, inputs, outputs }: Contract): string[] {
  return Object.entries(inPlace ?? {}).flatMap(([output, named]) =>
    [named ?? []].flat().flatMap((input) => {
      const [to, from] = [outputs[output], inputs[input]];
      if (!to || !from) return [`inPlace puts '${output}' on '${input}', which are no output and input`];
      const same = to.dtype === from.dtype && to.dims.join() === from.dims.join();
      return same ? [] : [`inPlace puts ${output} on ${input}, which has another type or other dimensions`];
    }),
  );
}

function checkRoutes(contract: Contract, dialect: Dialect): string[] {
  const launches = launchesOf(contract, dialect);
  if (launches.length === 0) return [];
  const shapes = servedShapes(contract);
  const lost = [...shapes, ...gateShapes(contract)].find((shape) => routeOf(contract, dialect, shape) === undefined);
  const kind = lost && shapes.includes(lost) ? 'served' : 'edge';
  const problems = lost ? [`no ${dialect} launch takes the ${kind} shape ${shapeText(lost)}`] : [];
  for (const launch of launches) {
    const reached = shapes.find((shape) => routeOf(contract, dialect, shape) === launch);
    if (!reached)
      problems.push(`no served shape reaches the ${dialect} launch of ${launch.symbol}: serve one, or drop the launch`);
    else problems.push(...checkLaunch(contract, dialect, launch, reached));
  }
  return problems;
}

function checkLaunch(
  contract: Contract,
  dialect: Dialect,
  launch: ReturnType<typeof launchesOf>[number],
  shape: Shape,
): string[] {
  const threads = [launch.threads].flat().reduce((a, b) => a * b, 1);
  const problems: string[] = [];
  if (threads > 1024)
    problems.push(
      `the ${dialect} launch of ${launch.symbol} has ${threads} threads a group; no device takes more than 1,024`,
    );
  const depth = launch.depth(shape);
  if (contract.accumulator === 'f32' && !(depth >= 1)) {
    problems.push(
      `the ${dialect} launch of ${launch.symbol} states depth ${depth} at ${shapeText(shape)}: a sum has at least one rounding`,
    );
  }
  return problems;
}

function checkFolder(kernel: Kernel, sources: ReadonlyMap<string, string>): string[] {
  const problems: string[] = [];
  for (const dialect of kernel.dialects) {
    for (const launch of launchesOf(kernel.contract, dialect)) {
      const source = sourceOf(kernel.folder, dialect, launch);
      if (!sources.has(source))
        problems.push(`the ${dialect} launch of ${launch.symbol} needs kernels/${source}, which is not there`);
    }
  }
  return problems;
}

/** Sources that no launch of any contract uses; folders whose contract could not be read are left out. */
export function unlaunchedSources(
  kernels: readonly Kernel[],
  sources: ReadonlyMap<string, string>,
  unread: ReadonlySet<string>,
): string[] {
  const used = new Set(
    kernels.flatMap((kernel) =>
      kernel.dialects.flatMap((dialect) =>
        launchesOf(kernel.contract, dialect).map((launch) => sourceOf(kernel.folder, dialect, launch)),
      ),
    ),
  );
  const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));
  const loose = [...sources.keys()].filter(
    (path) =>
      dialectOf(path) !== undefined && !path.startsWith('shared/') && !used.has(path) && !unread.has(folderOf(path)),
  );
  return loose.map((path) => `kernels/${path} has no launch: state one in the folder's contract, or delete the file`);
}

function checkControl(kernel: Kernel, control: Control, sources: ReadonlyMap<string, string>): string[] {
  const problems: string[] = [];
  for (const [dialect, edit] of Object.entries(control.edit ?? {})) {
    const paths = new Set(
      launchesOf(kernel.contract, dialect as Dialect).map((launch) =>
        sourceOf(kernel.folder, dialect as Dialect, launch),
      ),
    );
    if (paths.size === 0) problems.push(`control '${control.fault}' edits ${dialect}, which has no launch`);
    const texts = [...paths].map((path) => sources.get(path) ?? '');
    const count = texts.reduce((sum, text) => sum + text.split(edit.from).length - 1, 0);
    if (count !== 1 && paths.size > 0)
      problems.push(`control '${control.fault}': its ${dialect} edit matches ${count} places, not 1: ${edit.from}`);
  }
  if (control.formula) {
    const count = (kernel.problem?.formula.text ?? '').split(control.formula.from).length - 1;
    if (count !== 1)
      problems.push(
        `control '${control.fault}': its formula edit matches ${count} places, not 1: ${control.formula.from}`,
      );
  }
  return problems;
}

/** Every interior rounding point needs a source control that drops it, in every dialect. */
function checkPoints({ contract, problem, dialects, controls }: Kernel): string[] {
  if (!problem) return [];
  return interiorPoints(problem.graph, Object.keys(contract.outputs)).flatMap((point) => {
    const name = nameOf(problem.graph, point);
    const control = controls.find((candidate) => candidate.drops === name);
    const missing = dialects.filter((dialect) => control?.edit?.[dialect] === undefined);
    if (missing.length === 0) return [];
    return [`no control drops the rounding point ${name} in ${missing.join(', ')}: add an edit with drops: '${name}'`];
  });
}
