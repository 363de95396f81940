/**
 * A report as JUnit XML, in the part of that form that Jenkins' schema (junit-10.xsd) allows and that GitLab and the readers of
 * GitHub's actions take: a testsuite for each registration on its device, a testcase for each gate and each control.
 */
import { withoutControls } from '../spec/controls.ts';
import type { Report } from './schema.ts';
import type { Suite, Test } from './told.ts';
import { suitesOf } from './told.ts';

/** Readers show the text in a page: far more than a person reads there is cut. */
const TEXT_ROOM = 16_000;

export function junitText(report: Report): string {
  const suites = suitesOf(report);
  const tests = suites.flatMap((suite) => suite.tests);
  const { fail, broken } = countsOf(tests);
  const time = seconds(tests.reduce((sum, { elapsedMs }) => sum + elapsedMs, 0));
  const root = attributes({ name: 'tf-kernel-contract', tests: tests.length, failures: fail, errors: broken, time });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${root}>`,
    ...suites.flatMap((suite) => suiteLines(suite, report)),
    '</testsuites>',
    '',
  ].join('\n');
}

function suiteLines({ name, kernel, dialect, tests }: Suite, report: Report): string[] {
  const { fail, broken, skip } = countsOf(tests);
  const file = report.files[`${kernel}@${dialect}`]?.source;
  const head = attributes({
    name,
    tests: tests.length,
    failures: fail,
    errors: broken,
    skipped: skip,
    time: seconds(tests.reduce((sum, { elapsedMs }) => sum + elapsedMs, 0)),
    timestamp: report.started.replace(/(\.\d+)?Z$/, ''),
    ...(file !== undefined && { file }),
  });
  return [`  <testsuite ${head}>`, ...tests.flatMap((test) => testLines(test, name)), '  </testsuite>'];
}

function testLines({ name, outcome, kind, title, text, elapsedMs }: Test, suite: string): string[] {
  const head = `<testcase ${attributes({ name, classname: suite, time: seconds(elapsedMs) })}`;
  if (outcome === 'pass') return [`    ${head}/>`];
  const tag = TAGS[outcome];
  const told = `<${tag} ${attributes({ type: kind, message: title })}>${escapeXml(cut(text))}</${tag}>`;
  return [`    ${head}>`, `      ${told}`, '    </testcase>'];
}

const TAGS = { fail: 'failure', broken: 'error', skip: 'skipped' } as const;

function countsOf(tests: readonly Test[]): Record<'fail' | 'broken' | 'skip', number> {
  const number = (wanted: Test['outcome']): number => tests.filter(({ outcome }) => outcome === wanted).length;
  return { fail: number('fail'), broken: number('broken'), skip: number('skip') };
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3);

const cut = (text: string): string =>
  text.length <= TEXT_ROOM ? text : `${text.slice(0, TEXT_ROOM)}\n… ${text.length - TEXT_ROOM} more characters`;

const attributes = (values: Readonly<Record<string, string | number>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}="${escapeXml(String(value)).replaceAll('\n', '&#10;').replaceAll('\t', '&#9;')}"`)
    .join(' ');

/**
 * XML 1.0 has no character at all for most controls, nor should a reader meet the others, and none for halves of surrogate pairs, and for U+FFFE and U+FFFF: each becomes
 * U+FFFD. A carriage return is written out, since a reader turns a plain one into a line feed.
 */
export function escapeXml(text: string): string {
  return withoutControls(text)
    .replaceAll(/[\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>"'\r]/g, (character) => ENTITIES[character] ?? '');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\r': '&#13;',
};
