/** Every row of the HIP samples, each field as text. */
import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBundle } from '../../../src/audit/images/bundle.ts';
import { isCompressedBundle, unpack, unpackAllowance } from '../../../src/audit/images/ccob.ts';
import { contentOf, isElf, MACHINE, openElf, sectionNamed } from '../../../src/audit/images/elf.ts';
import { readHip, readHipHost } from '../../../src/audit/images/hip.ts';
import type { CodeObjectKernel } from '../../../src/audit/images/hip-object.ts';
import { readCodeObject } from '../../../src/audit/images/hip-object.ts';
import type { HipMeasured, ImageReading } from '../../../src/audit/measured.ts';
import { expectAnswers } from './mutate.ts';

const SAMPLES = join(import.meta.dir, '../../../../shared/samples/hip');
const present = existsSync(SAMPLES);
const bytesOf = (file: string): Uint8Array => new Uint8Array(readFileSync(join(SAMPLES, file)));
const files = present ? readdirSync(SAMPLES).filter((file) => !/\.(tsv|txt)$/.test(file)) : [];
const lines = present ? readFileSync(join(SAMPLES, 'expected.tsv'), 'utf8').trim().split('\n').slice(1) : [];
const expected = Map.groupBy(lines, (line) => line.split('\t', 1)[0] ?? '');

const flag = (value: boolean | undefined): string => (value === undefined ? '-' : String(Number(value)));

/** The fields of a kernel, in the columns' order. */
function fieldsOf(kernel: CodeObjectKernel): string {
  const counts = [kernel.vgprs, kernel.agprs ?? '-', kernel.sgprs, kernel.staticLds, kernel.scratch];
  const bounds = [kernel.maxFlatWorkgroup, kernel.wave, flag(kernel.wgpMode)];
  const spills = [kernel.vgprSpills, kernel.sgprSpills, kernel.dynamicStack ?? '-'];
  const { granulatedVgprs, granulatedSgprs, wave32 } = kernel.descriptor!;
  const descriptor = [granulatedVgprs, granulatedSgprs, flag(wave32)];
  const group = kernel.requiredWorkgroup?.join('x') ?? '-';
  return [kernel.name, kernel.symbol, ...counts, ...bounds, ...spills, group, ...descriptor].join('\t');
}

function objectRows(file: string, id: string, bytes: Uint8Array): readonly string[] {
  const object = readCodeObject(bytes);
  return object.kernels.map((kernel) => [file, id, object.target, object.abiVersion, fieldsOf(kernel)].join('\t'));
}

/** Bundles of a host file start at multiples of 4,096. */
function bundleRows(file: string, bytes: Uint8Array): readonly string[] {
  const { bytes: plain, size } = isCompressedBundle(bytes)
    ? unpack(bytes, unpackAllowance(bytes.length))
    : { bytes, size: 0 };
  const bundle = readBundle(plain);
  const rows = bundle.entries.flatMap(({ id, bytes: image }) =>
    image.length === 0 ? [[file, id, '(empty)'].join('\t')] : objectRows(file, id, image),
  );
  const next = Math.ceil((size || bundle.size) / 4096) * 4096;
  return next < bytes.length ? [...rows, ...bundleRows(file, bytes.subarray(next))] : rows;
}

function rowsOf(file: string): readonly string[] {
  const bytes = bytesOf(file);
  if (!isElf(bytes)) return bundleRows(file, bytes);
  const elf = openElf(bytes);
  if (elf.machine === MACHINE.amdgpu) return objectRows(file, '-', bytes);
  return bundleRows(file, contentOf(elf, sectionNamed(elf, '.hip_fatbin')!));
}

function read(bytes: Uint8Array, where: string): ImageReading {
  if (!isElf(bytes)) return readHip(bytes, where);
  const elf = openElf(bytes);
  return elf.machine === MACHINE.amdgpu ? readHip(bytes, where) : readHipHost(elf, where);
}

/** The columns that a launch meets. */
function launchFields(kernel: HipMeasured): string {
  const { symbol, vgprs, agprs, sgprs, staticLds, scratch, maxFlatWorkgroup, wave, vgprSpills, sgprSpills } = kernel;
  const target = [`amdgcn-amd-amdhsa--${kernel.chip}`, ...kernel.features].join(':');
  const group = kernel.requiredWorkgroup?.join('x') ?? '-';
  const counts = [vgprs, agprs, sgprs, staticLds, scratch, maxFlatWorkgroup, wave, vgprSpills, sgprSpills];
  return [target, symbol, ...counts, kernel.dynamicStack, group].join('\t');
}

function expectedLaunchFields(file: string): readonly string[] {
  return (expected.get(file) ?? []).flatMap((line) => {
    const row = line.split('\t');
    if (row[2] === '(empty)') return [];
    const [agprs, dynamicStack] = [row[7] === '-' ? '0' : row[7], row[16] === '-' ? 'false' : row[16]];
    return [[row[2], row[4], row[6], agprs, ...row.slice(8, 13), row[14], row[15], dynamicStack, row[17]].join('\t')];
  });
}

describe.skipIf(!present)('the HIP samples (in ../shared/samples)', () => {
  test('every file has rows, and every row a file', () => {
    expect(files.toSorted()).toEqual([...expected.keys()].toSorted());
    expect(files.length).toBeGreaterThan(15);
  });

  test.each(files)('%s: every field of every kernel', (file) => {
    expect(rowsOf(file)).toEqual(expected.get(file) ?? []);
  });

  test.each(files)('%s: read as an image, without a problem', (file) => {
    const { kernels, problems } = read(bytesOf(file), file);
    expect(problems).toEqual([]);
    expect(kernels.map((kernel) => launchFields(kernel as HipMeasured))).toEqual([...expectedLaunchFields(file)]);
    expect(new Set(kernels.map(({ release }) => release))).toEqual(new Set(['19.1.7']));
  });

  test('WGP mode is known in every version: by the note, or in v4 by the descriptor', () => {
    const mode = (file: string): readonly unknown[] =>
      read(bytesOf(file), file).kernels.map((kernel) => (kernel as HipMeasured).wgpMode);
    for (const file of ['k.cov4.gfx1100.co', 'k.gfx1100.co', 'k.cov6.gfx1100.co']) {
      expect(new Set(mode(file))).toEqual(new Set([true]));
    }
    expect(new Set(mode('k.cumode.gfx1100.co'))).toEqual(new Set([false]));
    expect(new Set(mode('k.gfx942.co'))).toEqual(new Set([undefined]));
  });

  test.each([
    ['k.gfx1100.co', 400],
    ['bundle2.ccob_v2_zstd.hipfb', 300],
    ['bundle2.ccob_v2_zlib.hipfb', 300],
  ])('%s: damaged copies are answered', (file, count) => {
    expectAnswers(bytesOf(file), count, (bytes) => readHip(bytes, file));
  });
});
