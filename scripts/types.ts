/**
 * Writes src/cli/new/templates/tf-kernel-contract.d.ts, the types of all that a contract imports, from the sources that state them:
 * bun scripts/types.ts. A test holds the file to this.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeWhole } from '../src/device/toolchain/cache.ts';
import { MAPS } from '../src/families/formula/functions.ts';
import { DTYPES } from '../src/numerics/dtype.ts';
import * as api from '../src/spec/contract.ts';
import { MODES } from '../src/spec/modes.ts';

const ROOT = join(import.meta.dir, '..');
export const TYPES_FILE = join(ROOT, 'src/cli/new/templates/tf-kernel-contract.d.ts');

/** Types by the files that declare them, as they stand there. */
const STATED: Readonly<Record<string, readonly string[]>> = {
  'src/families/formula/functions.ts': ['Dialect'],
  'src/families/tensor.ts': ['Tensor'],
  'src/families/problem.ts': ['FamilyName', 'FormulaText'],
  'src/families/fills/ordinary.ts': ['FillName'],
  'src/families/libraries/library.ts': ['Ops'],
  'src/spec/contract.ts': [
    'GateName',
    'Dim',
    'ShapeOf',
    'LaunchShape',
    'Served',
    'Launch',
    'Edit',
    'Control',
    'KnownFinding',
    'Quarantine',
    'RuleOutputs',
    'Rule',
    'Contract',
    'StandingControls',
  ],
};

/** Types that the sources make from lists of words. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  DType: DTYPES,
  MapName: Object.keys(MAPS),
  FindingClass: api.FINDING_CLASSES,
  AddedMode: MODES.filter((mode) => mode !== 'plain'),
  Need: api.NEEDS,
};

/** What the file declares, as the sources state it. */
function declarations(): string {
  const stated = Object.entries(STATED).flatMap(([file, names]) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    return names.map((name) => typeIn(text, name, file));
  });
  const words = Object.entries(WORDS).map(
    ([name, list]) => `export type ${name} = ${list.map((w) => `'${w}'`).join(' | ')};`,
  );
  const body = [...words, ...stated, ...functions()]
    .join('\n')
    .trimEnd()
    .replaceAll(/^(?=.)/gm, '  ');
  return [
    '/** What a contract imports from tf-kernel-contract, for editors and type checkers. Made by it: `tf-kernel-contract new` writes it. */',
    "declare module 'tf-kernel-contract' {",
    body,
    '}',
    '',
  ].join('\n');
}

const DOC = '(?:/\\*\\*(?:(?!\\*/)[^])*\\*/\\n)?';

function typeIn(text: string, name: string, file: string): string {
  const found = new RegExp(`^${DOC}export (?:interface ${name}\\b[^]*?^}|type ${name}\\b[^]*?;)$`, 'm').exec(text);
  if (found) return found[0];
  throw new Error(`${file} declares no type ${name}`);
}

/** Every function that contracts call: arrows that state what they return, and the makers of tensors. */
function functions(): string[] {
  const text = readFileSync(join(ROOT, 'src/spec/contract.ts'), 'utf8');
  const names = Object.entries(api).flatMap(([name, value]) => (typeof value === 'function' ? [name] : []));
  return names.map((name) => {
    const [, doc = '', maker, signature] =
      new RegExp(`^(${DOC})export const ${name} = (?:(tensor\\()|([^]*?) =>)`, 'm').exec(text) ?? [];
    if (maker)
      return `${doc}export function ${name}<const D extends readonly string[]>(...dims: D): Tensor<D[number]>;`;
    if (signature) return `${doc}export function ${name}${signature};`;
    throw new Error(`src/spec/contract.ts has no ${name} that states its type`);
  });
}

/** The file's text, formatted as every source is. */
export function typesText(): string {
  const command = [process.execPath, 'fmt', '--stdin-filepath', TYPES_FILE];
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd: ROOT, stdin: Buffer.from(declarations()) });
  if (exitCode !== 0) throw new Error(`the types cannot be formatted: ${stderr.toString()}`);
  return stdout.toString();
}

if (import.meta.main) writeWhole(TYPES_FILE, typesText());
