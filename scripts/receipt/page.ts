/** A receipt: what a run on a GPU came to, as a page of docs/receipts/ and the list of all there are. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Report } from '../../src/report/schema.ts';

/** What was run beside the contract. */
export interface Beside {
  readonly command: string;
  /** `0 errors`, or why it was not run. */
  readonly outcome: string;
}

export interface ReceiptFacts {
  /** `2026-11-30`. */
  readonly date: string;
  /** Where images came from: `nvcc 13.0.88`, `NVRTC, at run time`. */
  readonly compiler: string;
  readonly command: string;
  readonly beside: readonly Beside[];
}

/** `2026-11-30-sm_90`. */
export const receiptName = (date: string, { devices }: Report): string =>
  `${date}-${devices.find(({ id }) => id !== 'host')?.chip ?? 'unknown'}`;

/** The page; every figure is of the report. */
export function receiptPage(report: Report, { date, compiler, command, beside }: ReceiptFacts): string {
  const gpus = report.devices.filter(({ id }) => id !== 'host');
  const own = report.registrations.filter(({ device }) => device !== 'host');
  const count = (status: string): number => own.filter((each) => each.status === status).length;
  const controls = own.flatMap((each) => each.controls);
  const shown = (status: string): number => controls.filter((control) => control.status === status).length;
  const live = (report.limits?.verdicts ?? []).filter(({ chip }) => gpus.some(({ id }) => chip.startsWith(`${id} `)));
  const rows = [
    ['date', date],
    ['device', gpus.map(({ name, chip, driver }) => `${name}, ${chip}, driver ${driver}`).join('; ')],
    ['compiler', compiler],
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
    ...beside.map(({ command: what, outcome }) => [`\`${what}\``, outcome]),
  ];
  const failed = own.filter(({ status }) => status === 'fail');
  return [
    `# ${date}, ${gpus[0]?.name ?? 'no GPU'}`,
    `\`${command}\``,
    ['| | |', '|---|---|', ...rows.map(([name, value]) => `| ${name} | ${value} |`)].join('\n'),
    ...(failed.length > 0
      ? [['Failed:', '', ...failed.map(({ kernel, dialect }) => `- ${kernel}@${dialect}`)].join('\n')]
      : []),
    ['```', report.summary, '```'].join('\n'),
  ]
    .join('\n\n')
    .concat('\n');
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
