/** A report as Markdown: the summary of a GitHub job, or a comment. */
import { GATES } from '../spec/contract.ts';
import { withoutControls } from '../spec/controls.ts';
import { registrationName } from '../spec/registration.ts';
import type { Report } from './schema.ts';
import type { Test } from './told.ts';
import { placedTests } from './told.ts';
import { counted, seconds, share } from './words.ts';

/** Failures of which the whole text is shown. */
const IN_FULL = 25;

/** SUMMARY, what is not as promised, what did not run, and kernels by gates; at most `room` bytes, and says so where it is cut. */
export function markdownText(report: Report, room: number): string {
  const of = (wanted: (test: Test) => boolean): Test[] => placedTests(report, wanted).map(({ test }) => test);
  const failed = of(({ outcome }) => outcome === 'fail' || outcome === 'broken');
  const notRun = of(({ kind }) => kind === 'not run');
  const devices = report.devices.map(({ id, name }) => (id === name ? id : `${id} ${name}`)).join(', ');
  const { version, commit, platform } = report.program;
  return within(room, [
    `## Kernel contract: ${report.exitCode === 0 ? 'as promised' : 'not as promised'}\n\n${code(report.summary)}\n`,
    `Seed ${code(report.seed)}, device ${code(devices)}, ${seconds(report.elapsedMs)}, ${code(`${version} ${commit} ${platform}`)}\n`,
    ...failedParts(failed),
    ...(notRun.length > 0 ? [`### Not run\n\n${tableOf(['what', 'why'], notRun.map(rowOf))}`] : []),
    matrixPart(report),
  ]);
}

const rowOf = ({ address, title }: Test): string[] => [code(address), code(title)];

function failedParts(failed: readonly Test[]): string[] {
  if (failed.length === 0) return [];
  const told = failed.slice(0, IN_FULL).map(({ address, text }) => detailsOf(address, block(text)));
  return [`### ${counted(failed.length, 'failure')}\n\n${tableOf(['what', 'why'], failed.map(rowOf))}`, ...told];
}

function matrixPart({ registrations }: Report): string {
  if (registrations.length === 0) return '';
  const rows = registrations.map(({ kernel, dialect, device, gates, controls }) => {
    const cell = (name: string): string => {
      const gate = gates.find((one) => one.gate === name);
      if (!gate) return '';
      const margin = gate.margin ? ` ${share(gate.margin.share ?? Infinity)}` : '';
      return gate.status === 'pass' ? `pass${margin}` : `**${gate.status}**`;
    };
    const red = controls.filter(({ status }) => status === 'red').length;
    return [
      code(registrationName(kernel, dialect)),
      code(device),
      ...GATES.map(cell),
      controls.length === 0 ? '' : `${red}/${controls.length}`,
    ];
  });
  const head = ['kernel', 'device', ...GATES, 'controls red'];
  return detailsOf('Kernels by gates; beside a pass, its worst error as a share of the bound', tableOf(head, rows));
}

/** A table; its cells are Markdown already. */
export const tableOf = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');

const detailsOf = (title: string, body: string): string =>
  `<details><summary>${code(title)}</summary>\n\n${body}\n</details>\n`;

/** A text that shows as it is, in one line of any place: no character of it has a meaning to Markdown or HTML. */
export const code = (text: string): string =>
  `<code>${text.replaceAll(/\s+/g, ' ').replace(/[^a-zA-Z0-9 ,.=;@/-]/gu, (it) => `&#${it.codePointAt(0)};`)}</code>`;

/** Lines that show as they are: the fence is longer than any in the text. */
function block(given: string): string {
  const text = withoutControls(given);
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text}\n${fence}\n`;
}

/** The parts in their order while there is room. */
function within(room: number, parts: readonly string[]): string {
  const left = (n: number): string => `\n${counted(n, 'part')} more ${n === 1 ? 'has' : 'have'} no room here.\n`;
  let text = '';
  for (const [i, part] of parts.entries()) {
    const next = `${text}${part}\n`;
    if (Buffer.byteLength(next + left(parts.length)) > room) return text + left(parts.length - i);
    text = next;
  }
  return text;
}
