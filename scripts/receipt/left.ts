/** What `run.sh` left in a folder. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readReport } from '../../src/report/json.ts';
import type { Report } from '../../src/report/schema.ts';
import { messageOf } from '../../src/spec/message-of.ts';
import type { Beside } from './page.ts';

const OVERDUE = [124, 137];

export interface Left {
  readonly date: string;
  readonly report?: Report;
  /** Why there is no report. */
  readonly unreported?: string;
  /** Of the run; undefined where it was not started. */
  readonly code?: number;
  /** The verdicts that it printed; what else it printed, where it printed none. */
  readonly verdicts: readonly string[];
  /** `nvcc 13.0.88`: what compiled its images, as far as it says. */
  readonly images: string;
  readonly machine: string;
  /** The program's version. */
  readonly version: string;
  readonly beside: readonly Beside[];
}

export function readLeft(folder: string): Left {
  const textOf = (name: string): string | undefined =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8').trimEnd() : undefined;
  const codeOf = (name: string): number | undefined => {
    const code = textOf(`${name}.code`);
    return code === undefined ? undefined : Number(code);
  };
  const [json, code] = [textOf('report.json'), codeOf('run')];
  const printed = (textOf('run.txt') ?? '').split('\n');
  const verdicts = printed.filter((line) => /^[A-Z][A-Z ]+ {2}\S/.test(line));
  return {
    date: textOf('date.txt') ?? 'no date',
    ...reportOf(json),
    ...(code !== undefined && { code }),
    verdicts: verdicts.length > 0 ? verdicts : printed.slice(-20),
    images: /^cuda:0 .* {2}images (.*)$/m.exec(printed.join('\n'))?.[1] ?? 'not told',
    machine: textOf('machine.txt') ?? '',
    version: textOf('version.txt') ?? '',
    beside: ['memcheck', 'racecheck'].map((tool) => ({
      command: `compute-sanitizer --tool ${tool}`,
      outcome: outcomeOf(textOf(`${tool}.txt`), codeOf(tool)),
    })),
  };
}

function reportOf(json: string | undefined): Pick<Left, 'report' | 'unreported'> {
  if (json === undefined) return { unreported: 'the run came to no report' };
  try {
    return { report: readReport(json) };
  } catch (error) {
    return { unreported: `report.json is not a report of this version: ${messageOf(error)}` };
  }
}

function outcomeOf(text: string | undefined, code: number | undefined): string {
  if (text === undefined || code === undefined) return 'not run: it is not installed';
  if (OVERDUE.includes(code)) return 'not run to its end: it took too long';
  const summary = [...text.matchAll(/^=+ ((?:ERROR|RACECHECK) SUMMARY: .*)$/gm)].map(([, line]) => line);
  return `${summary.join('; ') || 'no summary'}, exit code ${code}`;
}
