/** What is not as promised as annotations of a GitHub workflow: lines of standard output that its runner reads. */
import { basename } from 'node:path';
import { withoutControls } from '../spec/controls.ts';
import type { Files, Report } from './schema.ts';
import type { Placed, Test } from './told.ts';
import { placedTests } from './told.ts';

/** Of one kind GitHub shows 10 a step and drops the others without a word. */
const SHOWN = 10;
/** Characters of an annotation that a person reads on a pull request. */
const ROOM = 4000;

/** Errors for what failed, warnings for what did not run; where there are more than are shown, the last says how many. */
export function annotationLines(report: Report): string[] {
  const of = (wanted: (test: Test) => boolean): Placed[] => placedTests(report, wanted);
  return [
    ...kindLines(
      'error',
      of(({ outcome }) => outcome === 'fail' || outcome === 'broken'),
      report,
    ),
    ...kindLines(
      'warning',
      of(({ kind }) => kind === 'not run'),
      report,
    ),
  ];
}

function kindLines(command: 'error' | 'warning', told: readonly Placed[], report: Report): string[] {
  const shown = told.length > SHOWN ? told.slice(0, SHOWN - 1) : told;
  const more = told.length - shown.length;
  const lines = shown.map((placed) => annotation(command, placed, report));
  if (more === 0) return lines;
  return [...lines, workflowCommand(command, { title: `${more} more` }, 'The log and the job summary have them.')];
}

function annotation(command: string, { suite, test }: Placed, report: Report): string {
  const place = placeOf(test, report.files[`${suite.kernel}@${suite.dialect}`]);
  const text = test.text.length > ROOM ? `${test.text.slice(0, ROOM)}\n…` : test.text;
  return workflowCommand(command, { ...place, title: `${test.address}: ${test.title}` }, text);
}

/**
 * The line of a source that a finding names, else the kernel's own. What is wrong with a control is wrong in the contract that
 * plants it, and so is what a gate says without a finding.
 */
function placeOf({ kind, lines = [], address }: Test, files: Files | undefined): { file?: string; line?: number } {
  if (!files) return {};
  if (address.includes('!') || kind === 'fail' || kind === 'not run') return { file: files.contract };
  const name = basename(files.source);
  const [named] = lines.filter((one) => basename(one).startsWith(`${name}:`));
  const line = named === undefined ? files.line : Number(named.slice(named.lastIndexOf(':') + 1));
  return { file: files.source, ...(line !== undefined && { line }) };
}

/** `::error file=a.cu,line=3,title=t::text`, in which data and properties are escaped as the runner takes them back. */
function workflowCommand(name: string, properties: Readonly<Record<string, string | number>>, text: string): string {
  const told = Object.entries(properties).map(([key, value]) => `${key}=${escapeProperty(String(value))}`);
  return `::${name} ${told.join(',')}::${escapeData(text)}`;
}

export const escapeData = (text: string): string =>
  withoutControls(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

export const escapeProperty = (text: string): string => escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
