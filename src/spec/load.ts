/** Contract files to kernels: everything is checked before anything runs, and all mistakes are told at once. */
import { outside } from './outside.ts';
import { shownPath } from './shown-path.ts';
import { DIALECTS } from '../families/formula/functions.ts';
import type { Dialect } from '../families/formula/functions.ts';
import { interiorPoints, nameOf } from '../families/formula/graph.ts';
import type { Problem } from '../families/problem.ts';
import { problemOf } from '../families/problem.ts';
import { checkKernel, checkNames, checkTogether, unlaunchedSources } from './check.ts';
import { ContractError } from './contract-error.ts';
import type { Contract, Control, StandingControls } from './contract.ts';
import type { Listing } from './listing.ts';
import type { Kernel, PlantedControl } from './registration.ts';
import { readRegressions } from './regressions.ts';
import { launchesOf } from './registration.ts';
import { contractSchema, controlSchema } from './schema.ts';
import { FormulaError } from '../families/formula/syntax.ts';
import { placeAt, placeOfField, placeOfWords, told } from './place.ts';
import type { FieldProblem } from './wording.ts';
import { fieldProblems, fieldText } from './wording.ts';
import * as v from 'valibot';
import { messageOf } from './message-of.ts';

/** Loads every contract of a listing, in the order of their files; throws a ContractError with all that is wrong. */
export function loadKernels(listing: Listing): Kernel[] {
  const problems: string[] = [];
  const standing: StandingControls[] = [];
  const kernels: Kernel[] = [];
  const unread = new Set<string>();
  const texts = new Map(listing.contracts.map(({ path, text }) => [path, text]));
  for (const { path, exported, text } of listing.contracts) {
    for (const value of Array.isArray(exported) ? exported : [exported]) {
      const found = readSafely(() => readExport(path, value, standing, listing.sources, text));
      problems.push(...found.problems.map((problem) => problemText(path, problem, text)));
      if (found.kernel) kernels.push(found.kernel);
      if (found.problems.length > 0) unread.add(folderOf(path));
    }
  }
  const complete = kernels.map((kernel) => withStanding(kernel, standing));
  for (const { of } of standing) {
    if (!complete.some((kernel) => kernel.name === of))
      problems.push(`standing controls of '${of}', which is no registered kernel`);
  }
  for (const kernel of complete) {
    const text = texts.get(kernel.path);
    problems.push(
      ...checkKernel(kernel, listing.sources).map((problem) => problemText(kernel.path, problem, text, kernel.name)),
    );
  }
  problems.push(...checkTogether(complete));
  // A folder from outside is not ours to keep tidy.
  if (!outside()) problems.push(...unlaunchedSources(complete, listing.sources, unread));
  if (problems.length > 0) throw new ContractError(problems);
  return complete;
}

/** A problem in words, or a formula's mistake, at its place in the contract where that is found. */
type Problemed = string | FormulaError | FieldProblem;

function problemText(path: string, problem: Problemed, text: string | undefined, kernel?: string): string {
  const shown = shownPath(path);
  if (problem instanceof FormulaError) {
    const at = text?.indexOf(problem.text) ?? -1;
    if (text === undefined || at < 0) return `${shown}: ${problem.message}`;
    return told(shown, problem.what, text, placeAt(text, at + problem.at));
  }
  if (typeof problem !== 'string')
    return told(
      shown,
      fieldText(problem),
      text,
      text === undefined ? undefined : placeOfField(text, [...problem.keys, problem.unknown ?? []].flat()),
    );
  const words = kernel === undefined ? problem : `${kernel}: ${problem}`;
  return told(shown, words, text, text === undefined ? undefined : placeOfWords(text, problem));
}

interface Found {
  readonly problems: readonly Problemed[];
  readonly kernel?: Kernel;
}

type Texts = Listing['sources'];

/** A contract is code, and reading a field of it may run some. */
function readSafely(read: () => Found): Found {
  try {
    return read();
  } catch (error) {
    return { problems: [`reading what it exports throws: ${messageOf(error)}`] };
  }
}

function readExport(
  path: string,
  value: unknown,
  standing: StandingControls[],
  texts: Texts,
  text: string | undefined,
): Found {
  if (isStanding(value)) {
    standing.push(value);
    return { problems: value.controls.flatMap((control) => fieldProblems(controlSchema, control)) };
  }
  if (value === undefined)
    return { problems: ['the file has no default export: write `export default kernel({ ... })`'] };
  const problems = fieldProblems(contractSchema, value);
  if (problems.length > 0) return { problems };
  return readContract(path, value as Contract, texts, text);
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));

function isStanding(value: unknown): value is StandingControls {
  return v.is(v.looseObject({ of: v.string(), controls: v.array(v.any()) }), value);
}

function readContract(path: string, contract: Contract, texts: Texts, text: string | undefined): Found {
  const names = checkNames(contract);
  if (names.length > 0) return { problems: names };
  const dialects = DIALECTS.filter((dialect) => launchesOf(contract, dialect).length > 0);
  const { regressions, problems } = readRegressions(folderOf(path), contract, texts);
  if (problems.length > 0) return { problems };
  const argsLine = text === undefined ? undefined : placeOfField(text, ['args'])?.line;
  const place = { folder: folderOf(path), path, ...(argsLine !== undefined && { argsLine }) };
  const base = { name: contract.name, ...place, contract, dialects, regressions };
  if (contract.formula.family === 'rule') {
    return {
      problems: [],
      kernel: { ...base, rule: contract.formula, controls: planted(contract.controls, dialects) },
    };
  }
  try {
    const { inputs, outputs, scalars = {}, dims } = contract;
    const problem = problemOf(contract.formula, inputs, outputs, scalars, Object.keys(dims));
    const controls = [...planted(contract.controls, dialects), ...claims(contract, problem, dialects)];
    return { problems: [], kernel: { ...base, problem, controls } };
  } catch (error) {
    if (error instanceof FormulaError) return { problems: [error] };
    return { problems: [messageOf(error)] };
  }
}

function planted(controls: readonly Control[], dialects: readonly Dialect[], prefix = ''): PlantedControl[] {
  return controls.map((control, i) => ({
    ...control,
    id: `${prefix}${i + 1}`,
    dialects: dialects.filter((dialect) => control.edit === undefined || control.edit[dialect] !== undefined),
  }));
}

/** The formula controls: for each interior rounding point, the claim without it. */
function claims(contract: Contract, problem: Problem, dialects: readonly Dialect[]): PlantedControl[] {
  return interiorPoints(problem.graph, Object.keys(contract.outputs)).map((point, i) => ({
    id: `claim${i + 1}`,
    fault: `the claim without the rounding point ${nameOf(problem.graph, point)}`,
    reddens: 'shapes',
    finding: 'value',
    withoutPoint: point.id,
    dialects,
  }));
}

function withStanding(kernel: Kernel, standing: readonly StandingControls[]): Kernel {
  const mine = standing.filter(({ of }) => of === kernel.name).flatMap(({ controls }) => controls);
  return mine.length === 0
    ? kernel
    : { ...kernel, controls: [...kernel.controls, ...planted(mine, kernel.dialects, 'standing')] };
}
