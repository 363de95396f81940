/** A vendor's compiler library: a source and its headers as text in, an image of one chip out. */
import type { ImageResult } from '../images.ts';
import { type CompilerKind, includeFolder } from './kinds.ts';
import { type Functions, type Library, openLibrary } from './library.ts';
import { Strings, text } from './strings.ts';

/** What is compiled. */
export interface Program {
  /** For messages. */
  readonly path: string;
  readonly source: string;
  /** By the names that sources include them by. */
  readonly headers: ReadonlyMap<string, string>;
  readonly defines: Readonly<Record<string, number | string>>;
  readonly chip: string;
}

/** Gives a program's image, or its own words on why there is none. */
export interface ProgramCompiler {
  compile(program: Program): ImageResult;
}

const LOG_BYTES_MOST = 1 << 20;
const IMAGE_BYTES_MOST = 1 << 30;

export class RuntimeCompiler implements ProgramCompiler {
  private readonly word = new BigUint64Array(new ArrayBuffer(8));

  private constructor(
    private readonly kind: CompilerKind,
    private readonly library: Library,
    /** `NVRTC 13.0` */
    readonly name: string,
  ) {}

  /** Opens a compiler; the text says why there is none, and what to do. */
  static open(kind: CompilerKind): RuntimeCompiler | { readonly why: string } {
    const library = openLibrary(kind);
    if ('why' in library) return { why: `No run-time compiler: ${library.why}` };
    const version = new Int32Array(new ArrayBuffer(8));
    library.functions.Version(version.subarray(0, 1), version.subarray(1));
    return new RuntimeCompiler(kind, library, `${kind.name} ${version.join('.')}`);
  }

  /** The image of a program, or the compiler's own words on why there is none. */
  compile(program: Program): ImageResult {
    const { functions } = this.library;
    const strings = new Strings();
    const folder = includeFolder(this.kind, this.library.path);
    const { builtIn, spare } = this.kind;
    const own = Object.entries(folder === undefined ? { ...builtIn, ...spare } : builtIn);
    const headers = new Map([...own, ...program.headers]);
    const [names, texts] = [[...headers.keys()], [...headers.values()]];
    const [source, path] = [text(program.source), text(program.path)];
    const made = functions.CreateProgram(
      this.word,
      source,
      path,
      names.length,
      strings.list(texts),
      strings.list(names),
    );
    if (made !== 0) return { error: this.wordsOf('CreateProgram', made) };
    const handle = this.word[0]!;
    try {
      return this.imageOf(handle, this.optionsOf(program, folder), strings);
    } finally {
      this.word[0] = handle;
      functions.DestroyProgram(this.word);
    }
  }

  private optionsOf({ chip, defines }: Program, folder: string | undefined): string[] {
    return [
      ...this.kind.flags(chip),
      ...Object.entries(defines).map(([name, value]) => `-D${name}=${value}`),
      ...(folder === undefined ? [] : [`-I${folder}`]),
    ];
  }

  private imageOf(program: bigint, options: readonly string[], strings: Strings): ImageResult {
    const { functions } = this.library;
    const handle = Number(program) as never; // a pointer's type is a number with a brand
    const compiled = functions.CompileProgram(handle, options.length, strings.list(options));
    if (compiled !== 0) return { error: this.logOf(handle) || this.wordsOf('CompileProgram', compiled) };
    const image = this.read(functions.GetImageSize, functions.GetImage, handle, IMAGE_BYTES_MOST);
    return image ? { image } : { error: `${this.name} gives no image of this program` };
  }

  private logOf(handle: never): string {
    const { GetProgramLogSize, GetProgramLog } = this.library.functions;
    const log = this.read(GetProgramLogSize, GetProgramLog, handle, LOG_BYTES_MOST);
    return new TextDecoder()
      .decode(log ?? new Uint8Array())
      .replace(/\0[^]*$/, '')
      .trim();
  }

  /** What a pair of functions gives: first its size, then its bytes. */
  private read(
    size: Functions['GetImageSize'],
    bytes: Functions['GetImage'],
    handle: never,
    most: number,
  ): Uint8Array | undefined {
    if (size(handle, this.word) !== 0) return undefined;
    const count = Number(this.word[0]);
    if (count === 0 || count > most) return undefined;
    const into = new Uint8Array(new ArrayBuffer(count));
    return bytes(handle, into) === 0 ? into : undefined;
  }

  private wordsOf(call: string, code: number): string {
    return `${this.kind.prefix}${call}: ${this.library.functions.GetErrorString(code)} (${code})`;
  }
}
