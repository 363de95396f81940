/** Every row of the CUDA samples, each field as text, and every image that must be a problem, by name. */
import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openCubin } from '../../../src/audit/images/cubin.ts';
import type { CubinKernel } from '../../../src/audit/images/cubin-kernel.ts';
import { contentOf, isElf, MACHINE, openElf, sectionNamed } from '../../../src/audit/images/elf.ts';
import { fatbinEntries, unpackEntry } from '../../../src/audit/images/fatbin.ts';
import { readImage } from '../../../src/audit/images/read.ts';
import { largestPart } from '../../../src/audit/images/unpack.ts';
import type { CudaMeasured, ImageProblem } from '../../../src/audit/measured.ts';

const SAMPLES = join(import.meta.dir, '../../../../shared/samples/cuda');
const present = existsSync(SAMPLES);
const bytesOf = (file: string): Uint8Array => new Uint8Array(readFileSync(join(SAMPLES, file)));
const files = present ? readdirSync(SAMPLES).filter((file) => !/\.(tsv|txt)$/.test(file)) : [];
const lines = present ? readFileSync(join(SAMPLES, 'expected.tsv'), 'utf8').trim().split('\n').slice(1) : [];
const expected = Map.groupBy(lines, (line) => line.split('\t', 1)[0] ?? '');

const dims = (value: readonly number[] | undefined): string => value?.join('x') ?? '-';

/** The fields of a kernel, in the columns' order. */
function fieldsOf({ facts, rawShared, frame, api }: CubinKernel, noted: string): string {
  const size = [facts.registers, facts.staticShared, rawShared, facts.stack, frame];
  const bound = [dims(facts.maxThreads), dims(facts.requiredThreads), facts.registerCap, facts.barriers];
  const cluster = [dims(facts.cluster), facts.explicitCluster ? 1 : 0, facts.maxClusterRank ?? '-'];
  return [facts.symbol, ...size, ...bound, ...cluster, facts.spillStores, facts.spillLoads, noted, api].join('\t');
}

function cubinRows(prefix: readonly (string | number)[], flags: string, bytes: Uint8Array): readonly string[] {
  const cubin = openCubin(bytes);
  const noted = cubin.noted ? (cubin.release ?? '-') : '-';
  const image = [...prefix, 'elf', cubin.sm, flags, cubin.relocatable ? 'rel' : 'exec'].join('\t');
  return cubin.kernels.map((kernel) => `${image}\t${fieldsOf(kernel, noted)}`);
}

const KINDS: Readonly<Record<string, string>> = { ptx: 'ptx', lto: 'ltoir' };

function fatbinRows(file: string, bytes: Uint8Array): readonly string[] {
  const largest = largestPart(bytes.length);
  return [...fatbinEntries(bytes)].flatMap((entry) => {
    const flags = `0x${entry.flags.toString(16)}`;
    if (entry.kind === 'cubin') return cubinRows([file, entry.index], flags, unpackEntry(entry, largest));
    return [[file, entry.index, KINDS[entry.kind], entry.sm, flags].join('\t')];
  });
}

function rowsOf(file: string): readonly string[] {
  const bytes = bytesOf(file);
  if (!isElf(bytes)) return fatbinRows(file, bytes);
  const elf = openElf(bytes);
  if (elf.machine === MACHINE.cuda) return cubinRows([file, 0], '0x0', bytes);
  const section = sectionNamed(elf, '.nv_fatbin');
  return section === undefined ? [`${file}\t-\tno executable image`] : fatbinRows(file, contentOf(elf, section));
}

/** The facts a launch meets, of the rows of executable images. */
function executable(file: string): readonly string[] {
  const rows = (expected.get(file) ?? []).map((line) => line.split('\t'));
  const linked = rows.filter((row) => row[5] === 'exec');
  return linked.map((row) => [...row.slice(6, 9), row[10], ...row.slice(12, 21)].join('\t'));
}

function measuredRow(kernel: CudaMeasured): string {
  const size = [kernel.symbol, kernel.registers, kernel.staticShared, kernel.stack];
  const bound = [dims(kernel.maxThreads), dims(kernel.requiredThreads), kernel.registerCap, kernel.barriers];
  const cluster = [dims(kernel.cluster), kernel.explicitCluster ? 1 : 0, kernel.maxClusterRank ?? '-'];
  return [...size, ...bound, ...cluster, kernel.spillStores, kernel.spillLoads].join('\t');
}

const cudaOf = (file: string): readonly CudaMeasured[] =>
  readImage(bytesOf(file), file).kernels.filter((kernel) => kernel.dialect === 'cuda');

const chipsOf = (file: string): readonly string[] => [...new Set(cudaOf(file).map((kernel) => kernel.chip))];

const PROBLEMS: Readonly<Record<string, ImageProblem['class']>> = {
  'host_dup.so': 'ambiguous',
  'host_rdc.o': 'relocatable-only',
  'host_rdc_unlinked.so': 'relocatable-only',
  'k1r.sm_80.cubin': 'relocatable-only',
  'k1r.sm_120.cubin': 'relocatable-only',
  's.lto.fatbin': 'relocatable-only',
  's.ptxonly.fatbin': 'no-executable-image',
  's.rdc.fatbin': 'relocatable-only',
};

describe.skipIf(!present)('the CUDA samples', () => {
  test('there is an expectation for every file, and a file for every expectation', () => {
    expect(files.toSorted()).toEqual([...expected.keys()].toSorted());
    expect(lines.length).toBe(363);
  });

  test.each([...files])('%s: every field of every row', (file) => {
    expect(rowsOf(file)).toEqual(expected.get(file) ?? []);
  });

  test.each([...files])('%s: the reader gives the executable rows and names what gives none', (file) => {
    expect(cudaOf(file).map(measuredRow)).toEqual([...executable(file)]);
    const problems = readImage(bytesOf(file), file).problems.map((problem) => problem.class);
    const problem = PROBLEMS[file];
    expect(problems).toEqual(problem === undefined ? [] : [problem]);
  });

  test('images of one SM are told apart by their suffix', () => {
    expect(chipsOf('s.archsuffix.fatbin')).toEqual(['sm_90a', 'sm_90', 'sm_100f', 'sm_120a', 'sm_120f', 'sm_103']);
    expect(chipsOf('setmaxnreg.sm_90a.cubin')).toEqual(['sm_90a']);
    expect(chipsOf('tcgen05.sm_100a.cubin')).toEqual(['sm_100a']);
    expect(chipsOf('k1.sm_120.cubin')).toEqual(['sm_120']);
  });

  test('the release is that of ptxas, and of the API version where there is no note', () => {
    const releases = (file: string): unknown => [...new Set(cudaOf(file).map((kernel) => kernel.release))];
    expect(releases('k1l.sm_80.cubin')).toEqual(['13.0']);
    expect(releases('k1_118.sm_90.cubin')).toEqual(['11.8']);
    expect(releases('cuda118.lz4.fatbin')).toEqual(['11.8']);
  });
});
