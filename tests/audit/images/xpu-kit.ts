/** Zebins and archives of them, assembled from the facts that a reader must give back. */
import type { SectionParts } from './elf-kit.ts';
import { ascii, buildElf, join, le, note } from './elf-kit.ts';

export interface ZebinParts {
  /** The whole `.ze_info`; undefined: no such section. */
  readonly info: string | undefined;
  /** Kernels that have code. */
  readonly code?: readonly string[];
  readonly type?: number;
  readonly machine?: number;
  /** Notes of `.note.intelgt.compat`, by type; undefined: no such section. */
  readonly notes?: Readonly<Record<number, number>>;
}

/** DG2, as ocloc's images of acm-g10 say. */
export const ACM = { 1: 0x4f6, 2: 0 };

export function zebin({ info, code = ['k'], type = 1, machine = 205, notes = ACM }: ZebinParts): Uint8Array {
  const compat = Object.entries(notes).map(([kind, value]) => note('IntelGT', Number(kind), le(4, value)));
  const texts: readonly SectionParts[] = code.map((name) => ({
    name: `.text.${name}`,
    type: 1,
    content: ascii('code'),
  }));
  const infos = info === undefined ? [] : [{ name: '.ze_info', type: 0xff000011, content: ascii(info) }];
  const sections = [...texts, ...infos, { name: '.note.intelgt.compat', type: 7, content: join(...compat) }];
  return buildElf({ machine, type, sections });
}

/** `.ze_info` as the compiler lays it out; `kernels` are items, see `zeKernel`. */
export function zeInfo(kernels: readonly string[], version = '1.20'): string {
  const head = `---\nversion:         '${version}'\nkernels:\n`;
  return `${head}${kernels.join('')}kernels_misc_info:\n  - name:            k\n...\n`;
}

/** One item: lines of the environment, then lines of the kernel itself, each written `key: value`. */
export function zeKernel(name: string, environment: readonly string[] = [], own: readonly string[] = []): string {
  const required = ['grf_count:       128', 'simd_size:       16'];
  const lines = [...required, ...environment].map((line) => `      ${line}\n`);
  const rest = own.map((line) => `    ${line}\n`);
  return `  - name:            ${name}\n    execution_env:\n${lines.join('')}${rest.join('')}`;
}

export interface MemberParts {
  /** As the header has it, with its slash. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

export function archive(members: readonly MemberParts[]): Uint8Array {
  const parts = members.map(({ name, bytes }) => {
    const header = `${name.padEnd(16)}${'0'.padEnd(12)}${'0'.padEnd(6)}${'0'.padEnd(6)}${'644'.padEnd(8)}`;
    return join(ascii(`${header}${String(bytes.length).padEnd(10)}\`\n`), bytes, ascii('\n'.repeat(bytes.length % 2)));
  });
  return join(ascii('!<arch>\n'), ...parts);
}
