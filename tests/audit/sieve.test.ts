/** The sieve tells what an audit of everything tells. */
import { describe, expect, test } from 'bun:test';
import { auditAll } from '../../src/audit/audit.ts';
import type { Selects } from '../../src/audit/audit.ts';
import { SERVED_CHIPS } from '../../src/audit/chips/all.ts';
import type { Measured } from '../../src/audit/measured.ts';
import type { Recorded } from '../../src/audit/recorded.ts';
import type { FoundRecord } from '../../src/audit/records-sets.ts';
import { sieveOf, sift } from '../../src/audit/sieve.ts';
import { readRecorded } from '../../src/cli/limits/audit-data.ts';
import { readSieve } from '../../src/cli/limits/audit-sieve.ts';
import type { Random } from '../../src/numerics/random.ts';
import { random } from '../../src/numerics/random.ts';

const recorded = await readRecorded();
const never = (): Promise<Recorded> => Promise.reject(new Error('nothing has to be audited by itself'));

/** Records as a careless hand leaves them: some of another source, some gone, some that ask too much. */
function spoiled(rng: Random): Recorded {
  const spoil = (record: FoundRecord): FoundRecord[] => {
    const draw = rng.unit();
    if ('pending' in record || draw >= 0.06) return [record];
    if (draw < 0.02) return [];
    if (draw < 0.04) return [{ ...record, source: 'fedcba9876543210' }];
    const asks = { registers: 254, staticLds: 70_000, slm: 140_000, staticThreadgroup: 40_000 };
    return [{ ...record, facts: { ...record.facts, ...asks } as Measured }];
  };
  const launches = recorded.launches.map((of) => {
    const records = Object.entries(of.records).flatMap(([chip, record]) => spoil(record).map((one) => [chip, one]));
    return { ...of, records: Object.fromEntries(records) };
  });
  return { ...recorded, launches };
}

function told(of: Recorded, selects?: Selects) {
  const all = auditAll(of, SERVED_CHIPS, selects);
  const bad = all.filter(({ status }) => status === 'does not fit' || status === 'stale');
  return { verdicts: all.length, pending: all.filter(({ status }) => status === 'pending').length, told: bad };
}

const inOrder = <T extends { readonly told: readonly object[] }>(of: T): T => ({
  ...of,
  told: of.told.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
});

describe('the sieve', () => {
  test('of the project audits no launch by itself, and comes to the same', async () => {
    expect(await sift(await readSieve(), SERVED_CHIPS, never)).toEqual(told(recorded));
  });

  test.each([1, 2, 3, 4])('of spoiled records comes to the same: %p', async (seed) => {
    const records = spoiled(random(`sieve ${seed}`));
    const sifted = await sift(sieveOf(records, SERVED_CHIPS), SERVED_CHIPS, () => Promise.resolve(records));
    expect(inOrder(sifted)).toEqual(inOrder(told(records)));
    expect(new Set(sifted.told.map(({ status }) => status)).size).toBe(2);
    const places = sifted.told.map(({ kernel, dialect, symbol }) =>
      records.launches.findIndex(
        ({ launch }) => launch.kernel === kernel && launch.dialect === dialect && launch.symbol === symbol,
      ),
    );
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  test('takes what is selected alone', async () => {
    const selects: Selects = ({ kernel }, { name }) => kernel.startsWith('rms') && name !== 'sm_90';
    const sifted = await sift(sieveOf(recorded, SERVED_CHIPS, selects), SERVED_CHIPS, never);
    expect(sifted).toEqual(told(recorded, selects));
    expect(sifted.verdicts).toBeGreaterThan(0);
  });

  test('refuses chips that it does not know', async () => {
    const sieve = [{ chip: 'sm_1', launches: 1, covers: [], open: [] }];
    expect(sift(sieve, SERVED_CHIPS, never)).rejects.toThrow('sm_1');
  });
});
