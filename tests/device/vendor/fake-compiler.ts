/**
 * A compiler that answers as a vendor's does and writes images that the readers take, for tests where the real one is not there
 * or is slow. Arguments: its kind, the file that its command lines are logged to, then what the program gave it.
 *
 * A source's kernels are its `__global__ void` functions. `registers N` in the text is what they compile to, `R:registers N`
 * for release R alone; `#error` fails, `#error CHIP` for that chip alone.
 */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { buildContainer, buildCubin, cubinEntry, long } from '../../audit/images/cuda-kit.ts';
import { codeObject, KERNEL } from '../../audit/images/hip-kit.ts';
import { ACM, zebin, zeInfo, zeKernel } from '../../audit/images/xpu-kit.ts';
import { pipeline } from '../../audit/images/metal-kit.ts';

const [kind = '', log = '', ...args] = process.argv.slice(2);
appendFileSync(log, `${JSON.stringify(args)}\n`);

/** The value behind a flag. */
const after = (flag: string): string => args[args.indexOf(flag) + 1] ?? '';
const version = process.env['FAKE_VERSION'] ?? '13.0';

function end(text: string, code = 0): never {
  process.stdout.write(text);
  process.exit(code);
}

function sourceText(): string {
  const path = args.find((word) => /\.(cu|hip|cl|metal)$/.test(word)) ?? '';
  return readFileSync(path, 'utf8');
}

const symbolsOf = (text: string): string[] =>
  [...text.matchAll(/(?:__global__|kernel) void (\w+)/g)].map(([, name]) => name ?? '');

function registersOf(text: string): number {
  const own = new RegExp(`${version}:registers (\\d+)`).exec(text)?.[1];
  return Number(own ?? / registers (\d+)/.exec(text)?.[1] ?? 24);
}

/** Ends as a compile that fails where the text says so. */
function failFor(text: string, chips: readonly string[]): void {
  const line = text.split('\n').findIndex((each) => each.startsWith('#error'));
  const [, chip] = (text.split('\n')[line] ?? '').split(' ');
  if (line < 0 || (chip !== undefined && !chips.includes(chip))) return;
  process.stderr.write(`k.cu(${line + 1}): error: #error directive\n`);
  process.exit(2);
}

function nvcc(): void {
  if (args.includes('--version'))
    end(`nvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release ${version}, V${version}.88\n`);
  if (args.includes('--list-gpu-code')) end('sm_80\nsm_86\nsm_90\nsm_120\n');
  const text = sourceText();
  const chips = args.flatMap((word) => /code=(sm_\d+)/.exec(word)?.[1] ?? []);
  failFor(text, chips);
  const kernels = symbolsOf(text).map((name) => ({
    name,
    registers: registersOf(text),
    attributes: [long(0x05, 256, 1, 1)],
  }));
  const entries = chips.map((chip) => {
    const sm = Number(chip.slice(3));
    return cubinEntry(sm, buildCubin({ sm, kernels, note: { release: version, options: '' } }));
  });
  writeFileSync(after('-o'), buildContainer(entries));
}

function hip(): void {
  if (args.includes('--version')) {
    end(
      kind === 'hipcc'
        ? 'HIP version: 7.16.12345-abc\nAMD clang version 20.0.0git\n'
        : 'Debian clang version 19.1.7 (3)\n',
    );
  }
  const chips = args.flatMap((word) => /--offload-arch=(\w+)/.exec(word)?.[1] ?? []);
  if (args.includes('-fsyntax-only')) process.exit(chips.includes('gfx942') ? 1 : 0);
  const text = sourceText();
  failFor(text, chips);
  const kernels = symbolsOf(text).map((name) => ({ ...KERNEL, name, vgprs: registersOf(text) }));
  writeFileSync(after('-o'), codeObject({ target: `amdgcn-amd-amdhsa--${chips[0]}`, kernels }));
}

function ocloc(): void {
  if (args[0] === 'query') {
    writeFileSync('OCL_DRIVER_VERSION', '22.43.24595');
    process.exit(0);
  }
  if (args[0] === 'ids') process.exit(args[1] === 'acm-g10' ? 0 : 226);
  if (args[0] !== 'compile') end('Invalid option (arg 1): --version\n', 225);
  const text = sourceText();
  failFor(text, [after('-device')]);
  const names = symbolsOf(text);
  const image = join(after('-out_dir'), after('-output'));
  writeFileSync(image, zebin({ info: zeInfo(names.map((name) => zeKernel(name))), code: names, notes: ACM }));
  writeFileSync(`${image}.spv`, '');
}

/** Pipelines have the plain one's code up to the threads that the source's `registers N` allow: N means N threads. */
function xcrun(): void {
  const [, , tool = ''] = args;
  if (tool === 'metal' && args.includes('--version')) end('Apple metal version 32023.404 (metalfe-32023.404)\n');
  if (tool === 'metal') {
    const text = sourceText();
    failFor(text, []);
    writeFileSync(after('-o'), String(registersOf(text)));
  } else if (tool === 'metallib') {
    writeFileSync(after('-o'), readFileSync(args[3] ?? ''));
  } else {
    const script = args.find((word) => word.endsWith('.mtlp-json')) ?? '';
    const metallib = args.find((word) => word.endsWith('.metallib')) ?? '';
    const [asked] = JSON.parse(readFileSync(script, 'utf8')).pipelines.compute_pipelines;
    const threads: number = asked.max_total_threads_per_threadgroup ?? 0;
    const most = Number(readFileSync(metallib, 'utf8'));
    writeFileSync(after('-o'), pipeline(threads <= most ? 'plain' : `for ${threads}`, basename(script)));
  }
}

const KINDS: Readonly<Record<string, () => void>> = { nvcc, hipcc: hip, clang: hip, ocloc, xcrun };
KINDS[kind]?.();
