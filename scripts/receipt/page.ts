/** A receipt: what a run on a GPU came to, as a page of docs/receipts/ and the list of all there are. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Report } from '../../src/report/schema.ts';
import { partialText } from '../../src/report/words.ts';
import type { Left } from './left.ts';

/** What was run beside the contract. */
export interface Beside {
  readonly command: string;
  /** `0 errors`, or why it was not run. */
  readonly outcome: string;
}

const gpusOf = ({ report }: Left): Report['devices'] => report?.devices.filter(({ id }) => id !== 'host') ?? [];

/** Whether what ran is a driver of this project's tests, which is no GPU. */
export const isEmulated = (left: Left): boolean => gpusOf(left).some(({ name }) => name.startsWith('Emulated '));

/** `2026-11-30-sm_90`. */
export const receiptName = (left: Left): string => `${left.date}-${gpusOf(left)[0]?.chip ?? 'unfinished'}`;

/** The page; every figure is of the report. `compiler`: of its images, `nvcc 13.0.88`. A run that came to no report is told by what it printed last. */
export function receiptPage(left: Left, compiler: string): string {
  const title = `# ${left.date}, ${gpusOf(left)[0]?.name ?? 'a run without a report'}`;
  const about = isEmulated(left) ? ['**No receipt: this is an emulated driver, and shows nothing of a GPU.**'] : [];
  const { report } = left;
  if (report?.partial) about.push(`**Partial: ${partialText(report.partial)}.**`);
  const told = report ? reportParts(left, report, compiler) : unfinishedParts(left, compiler);
  return [title, ...about, '`tf-kernel-contract --device cuda:0 --dialect cuda`', ...told].join('\n\n').concat('\n');
}

const tableOf = (rows: readonly (readonly [string, string])[]): string =>
  ['| | |', '|---|---|', ...rows.map(([name, value]) => `| ${name} | ${value.replaceAll('|', '\\|')} |`)].join('\n');

const fenced = (text: string): string => ['```', text, '```'].join('\n');

const exitOf = ({ code }: Left): string => (code === undefined ? 'it was not run' : String(code));

const besideRows = ({ beside }: Left): (readonly [string, string])[] =>
  beside.map(({ command, outcome }) => [`\`${command}\``, outcome]);

function unfinishedParts(left: Left, compiler: string): string[] {
  const rows = [
    ['date', left.date],
    ['machine', left.machine],
    ['program', left.version],
    ['images', compiler],
    ['exit code', left.code === 124 ? '124: it was ended, since it took too long' : exitOf(left)],
    ...besideRows(left),
  ] as const;
  return [`**No figures: ${left.unreported}.**`, tableOf(rows), fenced(left.verdicts.join('\n'))];
}

function reportParts(left: Left, report: Report, compiler: string): string[] {
  const gpus = gpusOf(left);
  const own = report.registrations.filter(({ device }) => device !== 'host');
  const count = (status: string): number => own.filter((each) => each.status === status).length;
  const controls = own.flatMap((each) => each.controls);
  const shown = (status: string): number => controls.filter((control) => control.status === status).length;
  const live = (report.limits?.verdicts ?? []).filter(({ chip }) => gpus.some(({ id }) => chip.startsWith(`${id} `)));
  const rows = [
    ['date', left.date],
    ['device', gpus.map(({ name, chip, driver }) => `${name}, ${chip}, driver ${driver}`).join('; ')],
    ['images', compiler],
    ['program', `${report.program.version} ${report.program.commit}, ${report.program.platform}`],
    ['sources', report.program.sources],
    [
      'kernels',
      `${count('pass')} pass, ${count('fail')} fail, ${count('known')} known findings, ${count('not run')} not run`,
    ],
    [
      'controls',
      `${shown('red')} red, ${shown('missed')} missed, ${shown('broken')} broken, ${shown('not run')} not run on a GPU`,
    ],
    [
      'limits as the driver tells them',
      `${live.filter(({ problems }) => problems.length === 0).length} of ${live.length} loaded kernels fit`,
    ],
    ['time', `${(report.elapsedMs / 1000).toFixed(0)} s`],
    ['exit code', exitOf(left)],
    ...besideRows(left),
  ] as const;
  const failed = own.filter(({ status }) => status === 'fail').map(({ kernel, dialect }) => `- ${kernel}@${dialect}`);
  return [tableOf(rows), ...(failed.length > 0 ? [['Failed:', '', ...failed].join('\n')] : []), fenced(report.summary)];
}

const HEAD = `# Receipts

What runs on GPUs came to. \`bun scripts/gpu-receipt.ts\` writes a page here on a machine that has an NVIDIA GPU. What the host device or
an emulated driver shows is no receipt.
`;

/** The list of a folder's receipts, and what has none. */
export function receiptList(folder: string): string {
  const pages = existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => /^\d{4}-.*\.md$/.test(name))
        .sort()
    : [];
  const titles = pages.map((name) => {
    const [title = name] = readFileSync(join(folder, name), 'utf8').split('\n');
    return `- [${title.replace(/^# /, '')}](${name})`;
  });
  const none =
    'No run on a GPU has been recorded: every dialect is *not run*. HIP, Level Zero and Metal have no script yet.';
  return `${HEAD}\n${titles.length > 0 ? titles.join('\n') : none}\n`;
}
