/** M1's and M2's thread limits: each pipeline translated as it is, then for fewer and fewer threads until the code is the same. */
import { measurePipeline } from '../../audit/images/metal.ts';
import type { ReservedBuild } from '../../audit/images/metal.ts';
import { definesText } from '../../audit/launch.ts';
import type { MetalMeasured } from '../../audit/measured.ts';
import type { MeasuredRecord } from '../../audit/records.ts';
import { translate } from '../../device/vendor/metal.ts';
import type { OfflineJob, OfflineProblem } from './measure.ts';
import { readSource } from './source.ts';

/** Thread counts that are tried, the largest first. */
export const THREADS_TRIED: readonly number[] = Array.from({ length: 32 }, (_, i) => 1024 - 32 * i);

interface PipelineFacts {
  readonly records: readonly MeasuredRecord[];
  readonly problems: readonly OfflineProblem[];
}

/** Records of the kernels whose source reserves no threads; the others' sources have said enough. */
export async function measurePipelines(job: OfflineJob, metallib: string, source: string): Promise<PipelineFacts> {
  const own = await readSource(job, source);
  const records: MeasuredRecord[] = [];
  const problems: OfflineProblem[] = [...own.problems];
  for (const record of own.records) {
    const facts = record.facts as MetalMeasured;
    if (facts.reserved !== undefined || facts.tensorOps) continue;
    for (const chip of job.chips) {
      const found = await measureOne(job, metallib, chip, facts);
      if ('what' in found) problems.push({ chips: [chip], ...found });
      else records.push(recordOf(job, record, chip, found));
    }
  }
  return { records, problems };
}

function recordOf(
  { unit }: OfflineJob,
  { kernel, symbol, source }: MeasuredRecord,
  chip: string,
  facts: MetalMeasured,
): MeasuredRecord {
  const defines = definesText(unit.defines);
  return { kernel, symbol, chip, ...(defines !== '' && { defines }), source, facts };
}

type Failure = Omit<OfflineProblem, 'chips'>;

async function measureOne(
  { compiler }: OfflineJob,
  metallib: string,
  chip: string,
  { symbol, staticThreadgroup }: MetalMeasured,
): Promise<MetalMeasured | Failure> {
  const named = { metallib, symbol, chip };
  const plain = await translate(compiler, named);
  if ('error' in plain) return refused(symbol, chip, plain.error);
  const reserved: ReservedBuild[] = [];
  for (const threads of THREADS_TRIED) {
    const image = await translate(compiler, { ...named, threads });
    if ('error' in image) continue; // a count that a pipeline cannot be built for is not its limit
    reserved.push({ threads, image });
    const builds = { symbol, chip, release: compiler.release, staticThreadgroup, plain, reserved };
    const [measured] = measurePipeline(builds, metallib).kernels;
    if (measured?.dialect === 'metal') return measured;
  }
  const tried = `${THREADS_TRIED.at(-1)} to ${THREADS_TRIED[0]} threads`;
  return { what: `no translation of ${symbol} for ${chip} has the plain pipeline's code; tried ${tried}` };
}

const refused = (symbol: string, chip: string, words: string): Failure => ({
  what: `metal-tt does not translate ${symbol} for ${chip}`,
  words,
});
