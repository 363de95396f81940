import { describe, expect, test } from 'bun:test';
import { reportOf } from '../../src/report/json.ts';
import { escapeXml, junitText } from '../../src/report/junit.ts';
import { finding, gate, head, hostile, registration, report } from './report-kit.ts';

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
const plain = (text: string): string =>
  text.replace(/&(#?)(\w+);/g, (_, number, name) =>
    number ? String.fromCodePoint(Number(name)) : (ENTITIES[name] ?? ''),
  );

/** Reads elements, attributes and text; throws where a tag is not closed, or a character stands that XML does not have. */
function parse(xml: string): Element {
  if (/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(xml)) throw new Error('no XML character');
  const root: Element = { name: '', attributes: {}, children: [], text: '' };
  const open = [root];
  const body = xml.replace(/^<\?xml [^>]*\?>/, '');
  let end = 0;
  for (const tag of body.matchAll(/<(\/?)([a-z]+)((?: [a-z]+="[^"<]*")*)(\/?)>/g)) {
    const [all, closes, name = '', given = '', empty] = tag;
    const here = open.at(-1);
    if (!here) throw new Error('too many tags are closed');
    const between = body.slice(end, tag.index);
    if (/[<>]|&(?!#?\w+;)/.test(between)) throw new Error(`no text: ${between}`);
    here.text += plain(between);
    end = tag.index + all.length;
    if (closes) {
      if (open.pop()?.name !== name) throw new Error(`${name} is closed and not open`);
      continue;
    }
    const attributes = [...given.matchAll(/ ([a-z]+)="([^"]*)"/g)].map(([, key = '', value = '']) => [
      key,
      plain(value),
    ]);
    const element = { name, attributes: Object.fromEntries(attributes), children: [], text: '' };
    here.children.push(element);
    if (!empty) open.push(element);
  }
  if (open.length !== 1 || body.slice(end).trim() !== '') throw new Error('a tag stays open');
  const [first] = root.children;
  if (!first || root.children.length !== 1) throw new Error('not one root');
  return first;
}

const suitesIn = (xml: string): Element[] => parse(xml).children;
const counts = ({ attributes: { tests, failures, errors, skipped } }: Element) => [tests, failures, errors, skipped];

describe('a testsuite for each registration on its device, and for its records', () => {
  const suites = suitesIn(junitText(report));

  test('by name', () => {
    expect(suites.map(({ attributes }) => attributes['name'])).toEqual([
      'rms_rows@cuda/host',
      'rms_rows@hip/host',
      'rms_rows@cuda/records',
      'limits/records',
    ]);
  });

  test('that counts its tests, failures, errors and skips as they are in it', () => {
    for (const suite of suites) {
      const of = (tag: string) => String(suite.children.filter((one) => one.children[0]?.name === tag).length);
      const tests = String(suite.children.length);
      expect(counts(suite)).toEqual([tests, of('failure'), of('error'), of('skipped')]);
    }
    expect(suites.map(counts)).toEqual([
      ['6', '2', '1', '1'],
      ['2', '0', '0', '2'],
      ['4', '1', '0', '1'],
      ['3', '2', '0', '0'],
    ]);
  });

  test('whose sums are the root', () => {
    const { attributes } = parse(junitText(report));
    expect(attributes).toEqual({ name: 'tf-kernel-contract', tests: '15', failures: '5', errors: '1', time: '1.020' });
  });

  test('in which no two tests have one name', () => {
    for (const { children } of suites)
      expect(new Set(children.map(({ attributes }) => attributes['name'])).size).toBe(children.length);
  });
});

test('a failure has the lines that the run printed, and the address that runs it again', () => {
  const [suite] = suitesIn(junitText(report));
  const failed = suite?.children.find(({ attributes }) => attributes['name'] === 'shapes')?.children[0];
  expect(failed?.name).toBe('failure');
  expect(failed?.attributes).toEqual({ type: 'value', message: `${finding.what} at ${finding.label}` });
  expect(failed?.text).toContain('--only rms_rows@cuda:shapes:rows=17,width=2056 --seed 7');
  expect(failed?.text).toContain(finding.worst ?? '-');
});

test('what did not run is skipped with its reason, never passed', () => {
  const [, hip] = suitesIn(junitText(report));
  expect(hip?.children.map(({ children: [told] }) => [told?.name, told?.attributes['type'], told?.text])).toEqual([
    ['skipped', 'known', 'rows of 0 (link)'],
    ['skipped', 'not run', 'cases that do not fit: 2 of 9'],
  ]);
});

test.each([
  ['markup', `</failure><x a="b">&amp;'`],
  ['control characters', '\u0000\u001b[31mred\u0008\u007f'],
  ['half a surrogate pair', 'a\ud800b'],
  ['lines', 'a\r\nb\tc\n]]>'],
  ['no characters', '\ufffe\uffff'],
])('of a hostile text, %s stay text', (_, text) => {
  const suites = suitesIn(junitText(hostile(text)));
  const told = suites.at(-1)?.children.at(-1)?.children[0];
  // oxlint-disable-next-line no-control-regex -- these are the characters that are meant
  expect(told?.text).toBe(text.toWellFormed().replace(/[\u0000-\u0008\u001b\u007f-\u009f\ufffe\uffff]/g, '\ufffd'));
});

test('a carriage return is written out, since a reader of XML has none', () => {
  expect(escapeXml('a\rb')).toBe('a&#13;b');
});

test('a text far longer than anyone reads is cut, and says so', () => {
  const long = gate({ status: 'fail', findings: [{ ...finding, what: 'x'.repeat(100_000) }] });
  const [suite] = suitesIn(junitText(reportOf(head, [registration([long])])));
  const text = suite?.children[0]?.children[0]?.text ?? '';
  expect(text.length).toBeLessThan(17_000);
  expect(text).toMatch(/… [\d]+ more characters$/);
});
