/** A contract against itself, its folder and the others: each mistake is a sentence that says what to change. */
import { basename, dirname } from 'node:path';
import { shownPath } from './shown-path.ts';
import { isFloat } from '../numerics/dtype.ts';
import type { Tensor } from '../families/tensor.ts';
import { sizeOf } from '../families/tensor.ts';
import type { Dialect } from '../families/formula/functions.ts';
import { interiorPoints, nameOf } from '../families/formula/graph.ts';
import { checkData } from './check-data.ts';
import { checkKnown } from './check-known.ts';
import { checkLaunches } from './check-launch.ts';
import { checkOps } from './check-ops.ts';
import type { Contract, Launch } from './contract.ts';
import type { Kernel, PlantedControl } from './registration.ts';
import type { FieldProblem } from './wording.ts';
import { dialectOf, launchesOf, sourceOf } from './registration.ts';
import { servedShapes } from './shapes.ts';
import { warpsOf } from './warps.ts';

/** Everything wrong with one kernel, alone and against its sources. */
export function checkKernel(kernel: Kernel, sources: ReadonlyMap<string, string>): string[] {
  const { contract } = kernel;
  return [
    ...checkServed(contract),
    ...checkInPlace(contract),
    ...checkArithmetic(kernel),
    ...checkData(contract),
    ...checkKnown(contract, kernel.dialects),
    ...checkLaunches(contract),
    ...checkOps(contract, kernel.problem),
    ...checkFolder(kernel, sources),
    ...kernel.controls.flatMap((control) => checkControl(kernel, control)),
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
  const widths = ({ contract }: Kernel, dialect: Dialect): number[] =>
    launchesOf(contract, dialect).flatMap((launch) => warpsOf(dialect, launch));
  const narrower = kernel.dialects
    .filter((dialect) => !missing.includes(dialect))
    .flatMap((dialect) => {
      const known = widths(replaced, dialect);
      return [...new Set(widths(kernel, dialect))]
        .filter((warp) => !known.includes(warp))
        .map((warp) => ({ dialect, warp }));
    });
  return [
    ...missing.map((dialect) => `${kernel.name} replaces ${replaced.name}, which has no ${dialect} launch`),
    ...narrower.map(
      ({ dialect, warp }) =>
        `${kernel.name} replaces ${replaced.name}, whose ${dialect} launches run at no warps of ${warp} lanes: state the same \`warp\` in both`,
    ),
  ];
}

/** Names that two things have, or that refer to nothing; checked before the formula is read. */
export function checkNames(contract: Contract): (string | FieldProblem)[] {
  const problems: (string | FieldProblem)[] = [];
  const { dims, inputs, outputs, scalars = {}, args } = contract;
  const known = [...Object.keys(dims), ...Object.keys(inputs), ...Object.keys(outputs), ...Object.keys(scalars)];
  for (const name of known)
    if (known.indexOf(name) !== known.lastIndexOf(name)) problems.push(`'${name}' names two things`);
  for (const name of known)
    if (name === 'warp') problems.push("'warp' stands for the lanes of a warp, so nothing else can have that name");
  for (const name of known)
    if (name in {}) problems.push(`'${name}' is a field of every object, so nothing can have that name`);
  for (const [name, tensor] of Object.entries({ ...inputs, ...outputs })) {
    for (const dim of tensor.dims) {
      if (!Object.hasOwn(dims, dim))
        problems.push(`${name} runs over '${dim}', which is no dimension: ${Object.keys(dims).join(', ')}`);
    }
  }
  for (const arg of args)
    if (!known.includes(arg)) problems.push(`args names '${arg}', which is no input, output, dimension or scalar`);
  for (const name of [...Object.keys(inputs), ...Object.keys(outputs)]) {
    if (!args.includes(name))
      problems.push({ keys: ['args'], message: `it leaves out '${name}', so the kernel would never get it` });
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

function checkFolder({ contract, folder, dialects }: Kernel, sources: ReadonlyMap<string, string>): string[] {
  const isThere = (dialect: Dialect, launch: Launch): boolean => sources.has(sourceOf(folder, dialect, launch));
  const named = dialects.filter((dialect) => contract.launch[dialect] !== undefined);
  const unnamed = dialects.filter((dialect) => !named.includes(dialect));
  const everywhere = [contract.launch.everywhere ?? []].flat().flatMap((launch) => {
    const missing = unnamed.filter((dialect) => !isThere(dialect, launch));
    const paths = new Set(missing.map((dialect) => shownPath(sourceOf(folder, dialect, launch))));
    if (paths.size === 0) return [];
    const others = missing.map((dialect) => otherSource(folder, dialect, launch, sources)).join('');
    return [
      `the launch of ${launch.symbol} is for everywhere, which is every dialect not named beside it, and needs ${[...paths].join(', ')}, not there: add it, or name the launch's dialects in place of everywhere${others}`,
    ];
  });
  return [
    ...named.flatMap((dialect) =>
      launchesOf(contract, dialect)
        .filter((launch) => !isThere(dialect, launch))
        .map(
          (launch) =>
            `the ${dialect} launch of ${launch.symbol} needs ${shownPath(sourceOf(folder, dialect, launch))}, which is not there${otherSource(folder, dialect, launch, sources)}`,
        ),
    ),
    ...everywhere,
  ];
}

/** How a source is named where its launch does not say, and what to do with the one that lies in the folder under another name. */
function otherSource(folder: string, dialect: Dialect, launch: Launch, sources: ReadonlyMap<string, string>): string {
  if (launch.source !== undefined) return '';
  const named = ': a source has the name of its folder where the launch states no other';
  const [other, ...more] = [...sources.keys()].filter(
    (path) => dirname(path) === folder && dialectOf(path) === dialect,
  );
  if (other === undefined || more.length > 0) return named;
  const name = basename(sourceOf(folder, dialect, launch));
  return `${named}; rename ${shownPath(other)} to ${name}, or state it in the launch, source: '${basename(other)}'`;
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
  return loose.map(
    (path) => `${shownPath(path)} has no launch: state one in the folder's contract, or delete the file`,
  );
}

/** What is wrong with a control in the contract alone; whether its edit matches is known where it is planted. */
function checkControl(kernel: Kernel, { edit, fault, warp, dialects }: PlantedControl): string[] {
  const unlaunched = Object.keys(edit ?? {}).filter((dialect) => !kernel.dialects.some((known) => known === dialect));
  const narrow = dialects.filter(
    (dialect) =>
      warp !== undefined &&
      !launchesOf(kernel.contract, dialect).some((launch) => warpsOf(dialect, launch).slice(1).includes(warp)),
  );
  return [
    ...unlaunched.map((dialect) => `control '${fault}' edits ${dialect}, which has no launch`),
    ...narrow.map(
      (dialect) =>
        `control '${fault}' shows at warps of ${warp} lanes, which no ${dialect} launch has beside its first`,
    ),
  ];
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
