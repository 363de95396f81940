/** The project's own records: whole, in the form that the tool writes, and of the sources that there are. */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { auditAll } from '../../src/audit/audit.ts';
import { SERVED_CHIPS } from '../../src/audit/chips/all.ts';
import { serialiseRecords } from '../../src/audit/records-file.ts';
import { setPath } from '../../src/audit/records.ts';
import { recordedLaunches } from '../../src/audit/recorded.ts';
import { hashedLaunches } from '../../src/audit/records-source.ts';
import { readRecords } from '../../src/cli/offline/records.ts';
import { readListing } from '../../src/spec/listing.ts';
import { loadKernels } from '../../src/spec/load.ts';

const ROOT = join(import.meta.dir, '../..');
const { sets, problems } = readRecords(join(ROOT, 'records'));
const { sources, contracts } = await readListing();
const launches = hashedLaunches(loadKernels({ sources, contracts }), sources);
const recorded = recordedLaunches(launches, { sets, problems }, SERVED_CHIPS);
const verdicts = auditAll(recorded, SERVED_CHIPS);
const of = (status: string) => verdicts.filter((verdict) => verdict.status === status);

describe('the records', () => {
  test('can be read, every line of them', () => {
    expect(recorded.problems).toEqual([]);
    expect(sets.map(setPath)).toContain('records/cuda/nvcc-13.0.jsonl');
  });

  test.each(sets.map((set) => [setPath(set), set] as const))('of %s stand as the tool writes them', (path, set) => {
    expect(readFileSync(join(ROOT, path), 'utf8')).toBe(serialiseRecords(set));
  });

  test('are of the sources that there are: else run tf-kernel-contract --offline DIR --write', () => {
    expect(of('stale').map(({ kernel, chip, set }) => `${kernel} on ${chip} by ${set}`)).toEqual([]);
  });

  test('leave nothing pending but the chips that no compiler here knows', () => {
    expect([...new Set(of('pending').map(({ chip }) => chip))]).toEqual(['bmg']);
  });

  test('show every launch to fit its chip', () => {
    expect(of('does not fit').flatMap((verdict) => verdict.problems)).toEqual([]);
  });
});
