/**
 * CUDA and HIP after the preprocessor, made C++ for the host device: kernels keep their text and enter a table, local
 * memory moves to the group's arena, inline assembly becomes calls. Lines keep their numbers.
 */

import { declareBound, templateSpan } from './bound.ts';
import { parseLocals, type DeclarationRules, type LocalDeclaration } from './declaration.ts';
import { dynamicMacro, isDynamic, localMacros } from './local.ts';
import { definedOpcodes, lowerAssembly } from './ptx.ts';
import { canonical, functionBodyAt, openingAngle, qualified, splitArguments, statementStart } from './syntax.ts';
import { type KernelEntry, kernelTable, type Lowered } from './table.ts';
import * as u from './unit.ts';

const LOCAL_RULES: DeclarationRules = {
  storage: new Set(['__shared__', 'extern', 'static']),
  pointersAreLocal: true,
};

const HEAD_ATTRIBUTES = new Set([
  '__launch_bounds__',
  '__cluster_dims__',
  '__maxnreg__',
  '__attribute__',
  'alignas',
  '__align__',
  'noexcept',
]);

/** Lowers preprocessed CUDA or HIP text; `headers` is the folder of the dialect headers, whose text is final. */
export function lowerCuda(text: string, headers = ''): Lowered {
  const unit = u.openUnit(text, headers);
  refuseHostLaunches(unit);
  lowerAssembly(unit, definedOpcodes(text));
  lowerSharedMemory(unit);
  const entries = lowerKernels(unit);
  return {
    text: unit.edits.apply() + kernelTable('TF_KERNEL', entries),
    symbols: entries.map((entry) => entry.symbol),
  };
}

function refuseHostLaunches(unit: u.Unit): void {
  unit.tokens.forEach((token, i) => {
    if (token.text !== '<<' || u.textAt(unit, i + 1) !== '<' || unit.tokens[i + 1]?.start !== token.end) return;
    u.fail(unit, i, 'a kernel launch <<<...>>> is host code', 'Keep host code out of the kernel source.');
  });
}

// --- local memory ---

function lowerSharedMemory(unit: u.Unit): void {
  for (let i = 0; i < unit.tokens.length; i++) {
    if (u.textAt(unit, i) !== '__shared__') continue;
    const declaration = parseLocals(unit, statementStart(unit, i), LOCAL_RULES);
    if (!declaration) continue;
    if (functionBodyAt(unit, i) >= 0) u.replaceSpan(unit, declaration, localMacros(unit, declaration));
    else lowerGlobalDynamic(unit, declaration);
    i = declaration.last;
  }
}

/** `extern __shared__ T x[];` outside functions: every function that names x gets the declaration as its first line. */
function lowerGlobalDynamic(unit: u.Unit, declaration: LocalDeclaration): void {
  u.removeSpan(unit, declaration);
  for (const variable of declaration.variables) {
    if (!isDynamic(variable)) {
      u.fail(unit, declaration.first, `__shared__ '${variable.name}' outside a function`, 'Move it into the kernel.');
    }
    for (const body of bodiesThatName(unit, variable.name, declaration.last)) {
      unit.edits.insert(u.tokenAt(unit, body).end, ` ${dynamicMacro(unit, declaration.first, variable)}`);
    }
  }
}

function bodiesThatName(unit: u.Unit, name: string, after: number): Set<number> {
  const bodies = new Set<number>();
  for (let i = after; i < unit.tokens.length; i++) {
    if (u.textAt(unit, i) !== name) continue;
    const body = functionBodyAt(unit, i);
    if (body >= 0) bodies.add(body);
  }
  return bodies;
}

// --- kernels ---

interface KernelHead {
  readonly start: number;
  readonly name: string;
  /** `ns::f`, without template arguments. */
  readonly path: string;
  readonly isExternC: boolean;
  /** `<float, 128>` of an explicit instantiation or specialisation, '' for none. */
  readonly templateArguments: string;
  readonly bound: string;
  readonly kind: 'definition' | 'template' | 'instantiation' | 'declaration';
}

function lowerKernels(unit: u.Unit): KernelEntry[] {
  const heads: KernelHead[] = [];
  unit.tokens.forEach((token, i) => {
    if (token.text === '__global__') heads.push(readHead(unit, i));
  });
  const bounds = declareBounds(unit, heads);
  return heads.filter(isRunnable).map((head) => ({
    symbol: head.isExternC ? head.name : head.path + head.templateArguments,
    expression: head.path + head.templateArguments,
    bound: boundOf(head, bounds),
  }));
}

function isRunnable({ kind }: KernelHead): boolean {
  return kind === 'definition' || kind === 'instantiation';
}

function readHead(unit: u.Unit, global: number): KernelHead {
  const start = statementStart(unit, global);
  const { parameters, bound } = readAttributes(unit, start, global);
  const nameEnd = parameters - 1;
  const argumentsOpen = u.textAt(unit, nameEnd) === '>' ? openingAngle(unit, start, nameEnd) : -1;
  const nameAt = argumentsOpen > 0 ? argumentsOpen - 1 : nameEnd;
  const name = u.textAt(unit, nameAt);
  u.removeSpan(unit, { first: global, last: global });
  return {
    start,
    name,
    path: qualified(unit, global, qualifierBefore(unit, nameAt) + name),
    isExternC: isExternC(unit, start, global),
    templateArguments: argumentsOpen > 0 ? canonical(unit, { first: argumentsOpen, last: nameEnd }) : '',
    bound,
    kind: kindOf(unit, start, u.pairOf(unit, parameters), argumentsOpen > 0),
  };
}

/** Whether `extern "C"` is among the specifiers, or opens a block around the kernel. */
function isExternC(unit: u.Unit, start: number, global: number): boolean {
  for (let i = start; i < global; i++) if (u.textAt(unit, i) === '"C"') return true;
  for (let i = start - 1; i > 0; i--) {
    if (u.textAt(unit, i) === '}') i = unit.pairs[i] ?? i;
    else if (u.textAt(unit, i) === '{' && u.textAt(unit, i - 1) === '"C"') return true;
  }
  return false;
}

/** Finds the parameter list behind the head's attributes, and takes the launch bound out of the text. */
function readAttributes(unit: u.Unit, start: number, global: number): { parameters: number; bound: string } {
  let bound = '';
  for (let i = start; i < unit.tokens.length; i++) {
    const span = templateSpan(unit, i);
    if (span) i = span.last;
    else if (HEAD_ATTRIBUTES.has(u.textAt(unit, i)) && u.textAt(unit, i + 1) === '(') {
      const close = u.pairOf(unit, i + 1);
      if (u.textAt(unit, i) === '__launch_bounds__') {
        bound = firstArgument(unit, i + 1, close);
        u.removeSpan(unit, { first: i, last: close });
      }
      i = close;
    } else if (i > global && u.textAt(unit, i) === '(') return { parameters: i, bound };
  }
  return u.fail(unit, global, '__global__ without a function', 'Follow it by the kernel: `__global__ void name(...)`.');
}

function firstArgument(unit: u.Unit, open: number, close: number): string {
  const first = splitArguments(unit, open, close)[0];
  return first ? u.spell(unit, first) : '';
}

/** `ns::` before the name of an explicit instantiation. */
function qualifierBefore(unit: u.Unit, nameAt: number): string {
  let i = nameAt;
  while (u.textAt(unit, i - 1) === '::' && u.isName(unit, i - 2)) i -= 2;
  return i < nameAt ? canonical(unit, { first: i, last: nameAt - 1 }) : '';
}

function kindOf(unit: u.Unit, start: number, parametersEnd: number, hasArguments: boolean): KernelHead['kind'] {
  if (u.textAt(unit, start) === 'template' && !templateSpan(unit, start)) {
    if (!hasArguments) {
      u.fail(unit, start, 'an explicit instantiation without template arguments', 'Write `f<float>(...)`.');
    }
    return 'instantiation';
  }
  const hasBody = u.textAt(unit, parametersEnd + 1) === '{';
  if (!hasBody) return 'declaration';
  return templateSpan(unit, start) && !hasArguments ? 'template' : 'definition';
}

/** Declares each bounded kernel's bound once; the result maps the kernel's path to the constant. */
function declareBounds(unit: u.Unit, heads: readonly KernelHead[]): Map<string, string> {
  const bounds = new Map<string, string>();
  for (const head of heads) {
    if (head.bound === '' || bounds.has(head.path)) continue;
    if (head.kind === 'instantiation' || head.templateArguments !== '') continue;
    bounds.set(head.path, declareBound(unit, head.start, head.name, head.bound));
  }
  return bounds;
}

function boundOf(head: KernelHead, bounds: ReadonlyMap<string, string>): string {
  if (head.templateArguments !== '' && head.bound !== '') return head.bound;
  const constant = bounds.get(head.path);
  return constant === undefined ? '0' : constant + head.templateArguments;
}
