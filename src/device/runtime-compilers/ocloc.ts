/** Intel's compiler library: OpenCL C and its headers as text in, a zebin of one chip out. */
import { CString, FFIType, type Pointer, read, toArrayBuffer } from 'bun:ffi';
import type { ImageResult } from '../images.ts';
import { OPTIONS } from '../vendor/ocloc.ts';
import type { Program, ProgramCompiler } from './compiler.ts';
import { openSymbols } from './library.ts';
import { quietly } from './quiet.ts';
import { Strings, text } from './strings.ts';

const { i32, u32, ptr: pointer } = FFIType;

const PLACES = {
  name: 'ocloc',
  variable: 'TF_LIBOCLOC',
  libraries: ['libocloc.so', 'libocloc.so.1'],
  install: 'Install intel-opencl-icd or intel-ocloc, or set TF_LIBOCLOC to the path of its libocloc.so.',
} as const;

const FUNCTIONS = {
  oclocInvoke: {
    // arguments, sources and headers (each a count and three lists), outputs (a count and three lists)
    args: [
      u32,
      pointer,
      u32,
      ...Array<typeof pointer>(3).fill(pointer),
      u32,
      ...Array<typeof pointer>(7).fill(pointer),
    ],
    returns: i32,
  },
  oclocFreeOutput: { args: [pointer, pointer, pointer, pointer], returns: i32 },
};

const FILE = 'kernel.cl';
const LOG = 'stdout.log';
const IMAGE = '.bin';
const OUTPUTS_MOST = 64;
const BYTES_MOST = 1 << 30;
/** What it prints of itself around the compiler's words. */
const OWN_WORDS = /^(Command was: .*|Build (succeeded|failed with error code: -?\d+)\.?|Auto-detected target .*)$/gm;

type Library = Exclude<ReturnType<typeof openSymbols<typeof FUNCTIONS>>, { why: string }>;

export class OclocCompiler implements ProgramCompiler {
  private constructor(private readonly library: Library) {}

  /** Opens the compiler; the text says why there is none, and what to do. */
  static open(): OclocCompiler | { readonly why: string } {
    const library = openSymbols(PLACES, FUNCTIONS);
    return 'why' in library ? { why: `No run-time compiler: ${library.why}` } : new OclocCompiler(library);
  }

  compile({ path, source, headers, defines, chip }: Program): ImageResult {
    const strings = new Strings();
    const options = [...OPTIONS, ...Object.entries(defines).map(([name, value]) => `-D${name}=${value}`)].join(' ');
    const words = ['ocloc', 'compile', '-q', '-file', FILE, '-device', chip, '--format', 'zebin', '-options', options];
    const outputs = new Outputs();
    const code = quietly(() =>
      this.library.symbols.oclocInvoke(
        words.length,
        strings.list(words),
        ...filesOf(strings, new Map([[FILE, source]])),
        ...filesOf(strings, headers),
        ...outputs.places,
      ),
    );
    try {
      const image = code === 0 ? outputs.find((name) => name.endsWith(IMAGE)) : undefined;
      if (image?.length) return { image };
      const log = new TextDecoder()
        .decode(outputs.find((name) => name === LOG))
        .replace(OWN_WORDS, '')
        .trim();
      return { error: `${path}: ${log || `ocloc ends with code ${code} and says nothing`}` };
    } finally {
      this.library.symbols.oclocFreeOutput(...outputs.places);
    }
  }
}

/** Files by their names, as the library takes them: how many, their bytes, lengths and names. */
function filesOf(strings: Strings, files: ReadonlyMap<string, string>) {
  const blocks = [...files.values()].map(text);
  const lengths = BigUint64Array.from(blocks, ({ length }) => BigInt(length));
  return [
    blocks.length,
    strings.blocks(blocks),
    blocks.length > 0 ? lengths : null,
    strings.list([...files.keys()]),
  ] as const;
}

/** What the library gives back: a count, and lists of bytes, of lengths and of names. */
class Outputs {
  private readonly count = new Uint32Array(new ArrayBuffer(4));
  private readonly bytes = new BigUint64Array(new ArrayBuffer(8));
  private readonly lengths = new BigUint64Array(new ArrayBuffer(8));
  private readonly names = new BigUint64Array(new ArrayBuffer(8));

  get places() {
    return [this.count, this.bytes, this.lengths, this.names] as const;
  }

  /** A copy of the first output whose name is meant. */
  find(meant: (name: string) => boolean): Uint8Array | undefined {
    for (let i = 0; i < Math.min(this.count[0]!, OUTPUTS_MOST); i++) {
      if (!meant(new CString(read.ptr(at(this.names), 8 * i) as Pointer).toString())) continue;
      const length = Number(read.u64(at(this.lengths), 8 * i));
      if (length === 0 || length > BYTES_MOST) return undefined;
      return new Uint8Array(toArrayBuffer(read.ptr(at(this.bytes), 8 * i) as Pointer, 0, length).slice(0));
    }
    return undefined;
  }
}

const at = (list: BigUint64Array): Pointer => Number(list[0]) as Pointer;
