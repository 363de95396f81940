/** Every row of the XPU samples, each field as text. */
import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isArchive, membersOf } from '../../../src/audit/images/archive.ts';
import { chipOfMember } from '../../../src/audit/images/zebin-chip.ts';
import type { ZeKernel } from '../../../src/audit/images/zebin-info.ts';
import { readZeKernel } from '../../../src/audit/images/zebin-info.ts';
import { openZebin, readZebin } from '../../../src/audit/images/zebin.ts';
import type { XpuMeasured } from '../../../src/audit/measured.ts';
import { expectAnswers } from './mutate.ts';

const SAMPLES = join(import.meta.dir, '../../../../shared/samples/xpu');
const LEGACY = 'p.acm-g10.patchtokens.elf';
const present = existsSync(SAMPLES);
const bytesOf = (file: string): Uint8Array => new Uint8Array(readFileSync(join(SAMPLES, file)));
const files = present ? readdirSync(SAMPLES).filter((file) => !/\.(tsv|txt)$/.test(file) && file !== LEGACY) : [];
const lines = present ? readFileSync(join(SAMPLES, 'expected.tsv'), 'utf8').trim().split('\n').slice(1) : [];
const expected = Map.groupBy(lines, (line) => line.split('\t', 1)[0] ?? '');

/** The buffers as `.ze_info` writes them: the last key only where it is true. */
function buffersOf(kernel: ZeKernel): string {
  return JSON.stringify(
    kernel.buffers.map(({ type, usage, size, isSimtThread }) => ({
      type,
      usage,
      size,
      ...(isSimtThread && { is_simt_thread: true }),
    })),
  );
}

function zebinRows(file: string, member: string, bytes: Uint8Array): readonly string[] {
  const { version, items } = openZebin(bytes);
  return [...items].map(readZeKernel).map((kernel) => {
    const counts = [kernel.simd, kernel.grf, kernel.slm, kernel.barriers];
    const required = [kernel.requiredWorkgroup?.join('x') ?? '-', kernel.requiredSubgroup ?? '-'];
    return [file, member, version, kernel.name, ...counts, ...required, buffersOf(kernel)].join('\t');
  });
}

function rowsOf(file: string): readonly string[] {
  const bytes = bytesOf(file);
  if (!isArchive(bytes)) return zebinRows(file, '-', bytes);
  const images = [...membersOf(bytes)].filter(({ name }) => chipOfMember(name) !== undefined);
  return images.flatMap((member) => zebinRows(file, member.name, member.bytes));
}

const launchFields = (kernel: XpuMeasured): string =>
  [
    kernel.symbol,
    ...[kernel.simd, kernel.grf, kernel.slm, kernel.barriers],
    kernel.requiredWorkgroup?.join('x') ?? '-',
    kernel.requiredSubgroup ?? '-',
  ].join('\t');

/** The sum of the buffers' sizes in a row's last column. */
const scratchIn = (line: string): number =>
  (JSON.parse(line.split('\t')[10]!) as { size: number }[]).reduce((sum, { size }) => sum + size, 0);

describe.skipIf(!present)('the XPU samples (in ../shared/samples)', () => {
  test('every file has rows, and every row a file', () => {
    expect(files.toSorted()).toEqual([...expected.keys()].toSorted());
  });

  test.each(files)('%s: every field of every kernel', (file) => {
    expect(rowsOf(file)).toEqual(expected.get(file) ?? []);
  });

  test.each(files)('%s: read as an image, without a problem', (file) => {
    const { kernels, problems } = readZebin(bytesOf(file), file);
    const rows = expected.get(file) ?? [];
    expect(problems).toEqual([]);
    expect(kernels.map((kernel) => launchFields(kernel as XpuMeasured))).toEqual(
      rows.map((line) => line.split('\t').slice(3, 10).join('\t')),
    );
    expect(kernels.map((kernel) => (kernel as XpuMeasured).scratch)).toEqual(rows.map(scratchIn));
  });

  test('the chip is the file name’s, and in the archive each member’s', () => {
    const chips = (file: string): readonly string[] => [
      ...new Set(readZebin(bytesOf(file), file).kernels.map(({ chip }) => chip)),
    ];
    for (const file of files.filter((name) => name.endsWith('.zebin')))
      expect(chips(file)).toEqual([file.split('.')[1]!]);
    expect(chips('x.acm-g10+dg1.ar')).toEqual(['acm-g10', 'dg1']);
  });

  test('the image in patch tokens is refused by name', () => {
    const { kernels, problems } = readZebin(bytesOf(LEGACY), LEGACY);
    expect([kernels.length, problems.map(({ class: kind }) => kind)]).toEqual([0, ['legacy-patch-tokens']]);
  });

  test.each([
    ['p.pvc.zebin', 400],
    ['x.acm-g10+dg1.ar', 100],
    [LEGACY, 100],
  ])('%s: damaged copies are answered', (file, count) => {
    expectAnswers(bytesOf(file), count, (bytes) => readZebin(bytes, file));
  });
});
