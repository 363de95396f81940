/** `limits DIR`: images that another host built, held to the launches, the records and every chip. Needs no GPU and no compiler. */
import type { LimitControlResult } from '../../audit/controls.ts';
import { judgeControls, toldControl } from '../../audit/controls.ts';
import { writeWhole } from '../../device/toolchain/cache.ts';
import { imageProblemLine, limitControlLines, unregisteredLines, verdictLines } from '../../report/limits.ts';
import { limitsText } from '../../report/limits-json.ts';
import { limitsTables } from '../../report/limits-table.ts';
import type { Style } from '../../report/style.ts';
import { count } from '../../numerics/digits.ts';
import { counted } from '../../report/words.ts';
import { readLaunches } from './audit-data.ts';
import { styleFor } from '../colour.ts';
import type { ExitCode } from '../errors.ts';
import { NothingRunError } from '../errors.ts';
import { requireWritable } from '../reports/json-file.ts';
import type { LimitsOptions } from './flags.ts';
import { readLimitsFlags } from './flags.ts';
import type { FoundImages } from './folder.ts';
import { readImages } from './folder.ts';
import type { Judged, Unregistered } from './judge.ts';
import { judgeImages } from './judge.ts';
import type { AllRecords } from '../../audit/recorded.ts';
import { programRecords } from './program-records.ts';
import { print } from '../print.ts';
import { progressOn } from '../progress.ts';
import { BUILD_COMMIT, PLATFORM, VERSION } from '../version.ts';

/** Runs the command behind `limits`; returns 1 for a launch that does not fit, a stale record or an unreadable image. */
export async function limits(argv: readonly string[]): Promise<ExitCode> {
  const options = readLimitsFlags(argv);
  if (options.json !== undefined) requireWritable(options.json);
  const launches = await readLaunches();
  const found = readAll(options.folder);
  if (found.kernels.length === 0 && found.problems.length === 0) throw noImages(options, found);
  const records = await programRecords();
  const judged = judgeImages(found.kernels, launches, records.sets, options);
  const controls = judgeControls();
  const style = await styleFor(process.stdout, process.env);
  print(unregisteredText(judged.unregistered, options, style));
  print(await limitsTables(judged.verdicts, process.stdout.columns ?? WIDE, style));
  print(metalLines(found, style));
  print(failures(found, judged, records, controls, style));
  return finish(options, found, judged, records, controls);
}

/** Columns of output that no terminal cuts. */
const WIDE = 160;

function readAll(folder: string): FoundImages {
  const progress = progressOn(process.stderr);
  const found = readImages(folder, (done, total, file) => progress.show(done, total, file));
  progress.clear();
  return found;
}

function noImages({ folder }: LimitsOptions, { others, metal }: FoundImages): NothingRunError {
  const files = counted(others + metal, 'file');
  return new NothingRunError(
    [
      `Nothing was audited: none of the ${files} below ${folder} holds a GPU image that states its kernels' limits.`,
      '  Read are fatbins, cubins, code objects, offload bundles, zebins, and host binaries that hold them.',
      '  tf-kernel-contract --offline DIR compiles the registered kernels into such a folder.',
    ].join('\n'),
  );
}

/** Kernels that are told one by one; a library may hold tens of thousands. */
const TOLD = 200;

function unregisteredText(kernels: readonly Unregistered[], { json }: LimitsOptions, style: Style): string[] {
  const told = kernels
    .slice(0, TOLD)
    .flatMap(({ file, measured, runs }) => unregisteredLines(file, measured, runs, style));
  const rest = kernels.length - TOLD;
  const where = json === undefined ? '--json FILE writes them all' : `they are in ${json}`;
  return rest > 0 ? [...told, `READ  ${counted(rest, 'kernel')} more that no contract registers; ${where}`] : told;
}

function metalLines({ metal }: FoundImages, style: Style): string[] {
  if (metal === 0) return [];
  return [
    `${style.warn('NOT RUN')}  ${counted(metal, 'Metal image')}: no Metal image states its pipelines' thread limits`,
    '      Their records compare translations: tf-kernel-contract --offline DIR --dialect metal, on a Mac.',
  ];
}

function failures(
  { problems }: FoundImages,
  { verdicts }: Judged,
  records: AllRecords,
  controls: readonly LimitControlResult[],
  style: Style,
): string[] {
  return [
    ...problems.map((problem) => imageProblemLine(problem, style)),
    ...verdicts.flatMap((verdict) => verdictLines(verdict, style)),
    ...records.problems.map((problem) => `${style.bad('FAIL')}  ${problem}`),
    ...controls.flatMap((control) => limitControlLines(control, style)),
  ];
}

function finish(
  { folder, json }: LimitsOptions,
  found: FoundImages,
  judged: Judged,
  records: AllRecords,
  controls: readonly LimitControlResult[],
): ExitCode {
  const bad = judged.verdicts.filter(({ problems }) => problems.length > 0).length;
  const green = controls.filter(({ status }) => status !== 'red').length;
  const exitCode = bad + found.problems.length + records.problems.length + green > 0 ? 1 : 0;
  const summary = summaryLine(found, judged, records, controls);
  if (json !== undefined) {
    const program = { version: VERSION, commit: BUILD_COMMIT, platform: PLATFORM };
    const verdicts = judged.verdicts.map((verdict) => ({ ...verdict, problems: [...verdict.problems] }));
    const unregistered = judged.unregistered.map(({ file, measured, runs }) => ({
      file,
      measured: { ...measured },
      runs: runs.map(({ group, ...run }) => ({ ...run, ...(group && { group: [...group] }) })),
    }));
    const parts = { images: [...found.problems], records: [...records.problems], controls: controls.map(toldControl) };
    writeWhole(json, limitsText({ program, folder, verdicts, unregistered, ...parts, summary, exitCode }));
  }
  print([summary]);
  return exitCode;
}

/** `SUMMARY 40 images: 360 launches: 350 fit, 10 tight, 0 do not fit, 0 stale, 0 of them unrecorded; …`: the last line. */
function summaryLine(
  { images, others, problems }: FoundImages,
  { verdicts, unregistered }: Judged,
  records: AllRecords,
  controls: readonly LimitControlResult[],
): string {
  const of = (status: string): number => verdicts.filter((verdict) => verdict.status === status).length;
  const sets = [...new Set(verdicts.flatMap(({ set }) => set ?? []))].toSorted();
  const counts = [
    `${of('fits')} fit`,
    `${of('tight')} tight`,
    `${of('does not fit')} do not fit`,
    `${of('stale')} stale`,
  ];
  const pending = verdicts.filter(({ recorded }) => !recorded).length;
  const red = controls.filter(({ status }) => status === 'red').length;
  return [
    `SUMMARY ${counted(images, 'image')}, ${counted(others, 'other file')}: ${count(verdicts.length)} ${verdicts.length === 1 ? 'launch' : 'launches'}: ${counts.join(', ')}`,
    `${pending} without a record${sets.length > 0 ? `, the others by ${sets.join(', ')}` : ''}`,
    `${counted(unregistered.length, 'kernel')} not registered`,
    `${counted(problems.length + records.problems.length, 'problem')} of images and records`,
    `${counted(controls.length, 'control')}: ${red} red as planted`,
  ].join('; ');
}
