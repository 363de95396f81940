/** Lines of a block for several lanes, and what they need from elsewhere. */
import { isName } from './forms.ts';
import { TOGETHER } from './layout.ts';
import { FREE, type Shapes } from './shapes.ts';
import { NotStepped } from './types.ts';

/** In the first block, where what is made outside of all may be spread. */
export const ENTERED = 'entered';

export const vector = (type: string): string => `<${TOGETHER} x ${type}>`;

export interface Line {
  readonly text: string;
  readonly defines?: string;
}

export class Output {
  lines: Line[] = [];
  /** The last part of each block, by label. */
  readonly ends = new Map<string, string>();
  /** Values that are not vectors and are needed as such, with their types. */
  readonly wanted = new Map<string, string>();
  readonly declarations = new Set<string>();
  private label = '';
  private serial = 0;

  constructor(
    private readonly shapes: Shapes,
    readonly bail: string,
  ) {}

  begin(label: string): void {
    this.label = label;
    this.lines = [];
    this.ends.set(label, label);
  }

  put(text: string, defines?: string): void {
    this.lines.push(defines === undefined ? { text } : { text, defines });
  }

  name(): string {
    return `%lanes.${this.serial++}`;
  }

  names(count: number): string[] {
    return Array.from({ length: count }, () => this.name());
  }

  /** Goes on where `holds`, and gives up where not. */
  check(holds: string | undefined): void {
    if (this.lines.some(({ text }) => text.startsWith('store ') && !text.includes(', ptr %var.')))
      throw new NotStepped('a check behind a store');
    const on = `${this.label}.go${this.serial++}`;
    this.put(`br i1 ${holds}, label %${on}, label %${this.bail}`);
    this.put(`${on}:`);
    this.ends.set(this.label, on);
  }

  /** A value as a vector of the lanes'. */
  vec(operand: string, type: string): string {
    if (!isName(operand)) {
      if (!/^-?[\d.]|^true$|^false$|^poison$|^undef$/.test(operand)) throw new NotStepped(operand);
      return `<${Array.from({ length: TOGETHER }, () => `${type} ${operand}`).join(', ')}>`;
    }
    if (this.shapes.of(operand) !== FREE) {
      if (type === 'ptr') throw new NotStepped('a vector of addresses');
      this.wanted.set(operand, type);
    }
    return `${operand}.v`;
  }

  /** The vector of a value that is known by its first lane's. */
  spread(name: string, type: string): string[] {
    const step = this.shapes.of(name) ?? 0;
    const [first, all] = [`${name}.s`, step === 0 ? `${name}.v` : `${name}.t`];
    const many = vector(type);
    const lines = [
      `${first} = insertelement ${many} poison, ${type} ${name}, i64 0`,
      `${all} = shufflevector ${many} ${first}, ${many} poison, <${TOGETHER} x i32> zeroinitializer`,
    ];
    const steps = Array.from({ length: TOGETHER }, (_, i) => `${type} ${i * step}`);
    return step === 0 ? lines : [...lines, `${name}.v = add ${many} ${all}, <${steps.join(', ')}>`];
  }
}
