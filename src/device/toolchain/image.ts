/**
 * Lowered text to an image: compiled, and linked into a shared object that needs nothing from outside. The header's part
 * of the text is the same for every source of a dialect and is compiled once.
 */

import { rmSync } from 'node:fs';
import type { ImageKind } from '../images.ts';
import { withOwnAccesses } from './accesses.ts';
import { publishSealed, temporaryBeside } from './cache.ts';
import type { Clang } from './clang.ts';
import { withContraction } from './contraction.ts';
import { withDivisionCalls } from './divisions.ts';
import { explain } from './diagnostics.ts';
import {
  assemblyFlags,
  checkObjectFlags,
  checkTextFlags,
  irFlags,
  irObjectFlags,
  type HostDialect,
  linkFlags,
  openclTableFlags,
  precompileFlags,
  sourceFlags,
  stepFlags,
} from './flags.ts';
import { withSettledLoops } from './loops/pass.ts';
import { withNumbers } from './numbers.ts';
import type { Lowered } from './lower/table.ts';
import { SOURCE_BEGIN } from './lower/unit.ts';
import { compileOnce } from './once.ts';
import { run } from '../processes/process.ts';
import { stepModule } from './steps/pass.ts';
import type { Processor } from './target.ts';

/** A source that does not compile; the message is the author's to read. */
export class CompileError extends Error {}

/** A source whose kernels do not become steps, and why. */
export class NoSteps extends Error {}

/** Lowered text, and for OpenCL the C++ text of its table. */
export type LoweredSource = Lowered & { readonly table?: string };

export interface ImageSource {
  readonly kind: ImageKind;
  readonly dialect: HostDialect;
  readonly processor: Processor;
  /** Lanes of a warp. */
  readonly warp: number;
  readonly lowered: LoweredSource;
  /** Kernels become steps. */
  readonly inSteps: boolean;
  /** The source's name and text as the author wrote it, for messages. */
  readonly path: string;
  readonly source: string;
  /** A hash of the compiler and the headers. */
  readonly salt: string;
}

/** Writes the image of a lowered source to `path`, sealed, and returns it; throws a CompileError or a NoSteps. */
export async function buildImage(clang: Clang, image: ImageSource, path: string): Promise<Uint8Array> {
  const temporary = temporaryBeside(path);
  const objects = [`${temporary}.o`, `${temporary}.table.o`];
  try {
    await Promise.all([
      compileKernels(clang, image, `${temporary}.o`),
      compileTable(clang, image, `${temporary}.table.o`),
    ]);
    const own = image.lowered.table === undefined ? objects.slice(0, 1) : objects;
    await must(image, [clang.linker, ...linkFlags(image.processor), ...own, '-o', temporary]);
    return publishSealed(temporary, path);
  } finally {
    for (const name of [...objects, temporary]) rmSync(name, { force: true });
  }
}

async function compileKernels(clang: Clang, image: ImageSource, object: string): Promise<void> {
  const { kind, dialect, processor, lowered, salt } = image;
  const target = { kind, dialect, processor };
  const { header, source } = splitText(lowered.text);
  const command = [clang.path, ...precompileFlags(target, clang)];
  const precompiled = await compileOnce({ command, input: header, salt, extension: 'pch' });
  const text = withContraction(source, kind);
  if (kind === 'check' && !image.inSteps) return compileAccesses(clang, image, text, precompiled, object);
  if (dialect === 'xpu' && (kind === 'ulps' || processor === 'arm64'))
    return compileChanged(clang, image, text, precompiled, object);
  if (image.inSteps) return compileSteps(clang, image, text, precompiled, object);
  await must(image, [clang.path, ...sourceFlags(target, clang, precompiled), '-o', object], text);
}

/** LLVM for arm64 calls kernels as functions are called, and knows no other way. */
const withoutConvention = (text: string, { processor }: ImageSource): string =>
  processor === 'arm64' ? text.replace(/\bspir_kernel /g, '') : text;

/** OpenCL C whose divisions are calls, so that they may be off, or whose kernels are called as functions are. */
async function compileChanged(
  clang: Clang,
  image: ImageSource,
  source: string,
  precompiled: string,
  object: string,
): Promise<void> {
  const whole = await must(image, [clang.path, ...irFlags(image, clang, precompiled)], source);
  const plain = withoutConvention(whole, image);
  const changed = image.kind === 'ulps' ? withDivisionCalls(plain) : plain;
  await must(image, [clang.path, ...irObjectFlags(image, clang), '-o', object], changed);
}

/** Accesses that tell the runtime of themselves. */
async function compileAccesses(
  clang: Clang,
  image: ImageSource,
  source: string,
  precompiled: string,
  object: string,
): Promise<void> {
  const whole = await must(image, [clang.path, ...checkTextFlags(image, clang, precompiled)], source);
  await must(
    image,
    [clang.path, ...checkObjectFlags(image), '-o', object],
    withSettledLoops(withOwnAccesses(withoutConvention(whole, image))),
  );
}

async function compileSteps(
  clang: Clang,
  image: ImageSource,
  source: string,
  precompiled: string,
  object: string,
): Promise<void> {
  const whole = await must(image, [clang.path, ...assemblyFlags(image, clang, precompiled), '-o', '-'], source);
  const isCheck = image.kind === 'check';
  const steps = stepModule(isCheck ? withNumbers(withSettledLoops(withOwnAccesses(whole))) : whole, {
    argumentsAreValues: image.dialect !== 'metal',
    processor: image.processor,
    oneByOne: isCheck,
    warp: image.warp,
  });
  if ('why' in steps) throw new NoSteps(steps.why);
  const { code, stderr } = await run([clang.path, ...stepFlags(image), '-o', object], steps.text);
  if (code !== 0) throw new NoSteps(stderr);
}

async function compileTable(clang: Clang, image: ImageSource, object: string): Promise<void> {
  const { table } = image.lowered;
  if (table !== undefined) await must(image, [clang.path, ...openclTableFlags(image, clang), '-o', object], table);
}

async function must({ path, source }: ImageSource, command: readonly string[], input = ''): Promise<string> {
  const { code, stdout, stderr } = await run(command, input);
  if (code !== 0) throw new CompileError(explain(stderr, path, source));
  return stdout;
}

/** Lowered text in two parts: what the dialect's header made of it, and the author's. */
export function splitText(lowered: string): { readonly header: string; readonly source: string } {
  const begin = lowered.indexOf(SOURCE_BEGIN);
  const at = begin < 0 ? 0 : begin + SOURCE_BEGIN.length;
  return { header: withoutNesting(lowered.slice(0, at)), source: withoutNesting(lowered.slice(at)) };
}

/** Line markers without the flags that enter and leave files, which a part of a text does not balance. */
function withoutNesting(text: string): string {
  return text.replace(/^(# \d+ "(?:[^"\\]|\\.)*")[ \d]+$/gm, '$1');
}
