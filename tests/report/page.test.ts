/** The page: whole by itself, free of what a text could put into it, and drawn in a browser where one is installed. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ErrorGrid } from '../../src/gates/error-map.ts';
import { reportOf } from '../../src/report/json.ts';
import { escapeHtml } from '../../src/report/page/html.ts';
import { pageText } from '../../src/report/page/page.ts';
import type { Page } from './browser.ts';
import { BROWSER, openPage } from './browser.ts';
import { gate, head, hostile, limits, registration, registrations, report } from './report-kit.ts';

const grid = new ErrorGrid(
  'y',
  { dtype: 'f32', dims: ['rows', 'width'] },
  { rows: 3, width: 40 },
  { rows: {}, width: { tile: 8 } },
);
for (let i = 0; i < 80; i++) grid.take(i, i / 70);
const errors = [
  { label: 'rows=3,width=40', share: 79 / 70, maps: [grid.map()] },
  { label: 'rows=3,width=8', share: 0.5 },
  { label: 'rows=3,width=8,mode=fused', share: Infinity },
];
const drawn = pageText(reportOf(head, [registration([gate({ errors })]), ...registrations.slice(1)], limits));

describe('the text of the page', () => {
  const text = pageText(report);

  test('loads nothing: no address of another place is in an attribute that is followed', () => {
    expect(/<(link|img|iframe|object|embed|base|form)\b|@import|url\(/i.test(text)).toBe(false);
    expect(/ (src|srcset|action|poster)="/i.test(text)).toBe(false);
    expect([...text.matchAll(/href="([^"]*)"/g)].filter(([, to]) => !to?.startsWith('#'))).toEqual([]);
  });

  test('runs its own two scripts alone, by their hashes', () => {
    const scripts = [...text.matchAll(/<script>([^]*?)<\/script>/g)].map(([, script = '']) => script);
    const [, policy = ''] = /Content-Security-Policy" content="([^"]*)"/.exec(text) ?? [];
    const hash = (script: string) => `sha256-${new Bun.CryptoHasher('sha256').update(script).digest('base64')}`;
    expect(scripts.map((script) => policy.includes(escapeHtml(`'${hash(script)}'`)))).toEqual([true, true]);
    expect(policy).toContain('default-src &#39;none&#39;');
    expect([...text.matchAll(/<script/g)]).toHaveLength(3);
  });

  test('has every gate, control and launch that can be linked to, once', () => {
    const ids = [...text.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id);
    expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([]);
    for (const id of ['rms_rows@cuda', 'rms_rows@hip:shapes', 'rms_rows@cuda!2', 'rms_rows@cuda:limits:sm_90'])
      expect(ids).toContain(id);
    expect(ids).toContain('rms_rows@cuda:shapes:rows=17,width=2056');
  });

  test('says what did not run, and why', () => {
    const [, part = ''] = /<section id="not-run">([^]*?)<\/section>/.exec(text) ?? [];
    for (const words of ['No GPU', 'repeat, sums', 'cases that do not fit: 2 of 9', 'no device', '1 launch on sm_121'])
      expect(part).toContain(words);
  });

  test('and of a shard, that there are others', () => {
    const shard = { index: 2, of: 3 };
    const units = [...report.plan.units.map((one, i) => ({ ...one, shard: 1 + (i % 3) }))];
    const page = pageText({ ...report, plan: { ...report.plan, shard, units } });
    expect(page.includes('Shard 2 of 3: 2 units of the plan ran elsewhere.')).toBe(true);
  });

  test('and which limit each launch is how near to', () => {
    expect(text.includes('95 % of registers: 60 of 64')).toBe(true);
  });

  test.each([
    '</script><script>x()</script>',
    '"><img src=x onerror=y()>',
    "' onmouseover='z()",
    '<!--',
    '\u0000\u009b',
  ])('holds a hostile text such as %p as text alone', (bad) => {
    const page = pageText(hostile(bad));
    const body = page.slice(page.indexOf('<body>'), page.indexOf('application/json'));
    const count = (pattern: RegExp): number => [...page.matchAll(pattern)].length;
    expect([count(/<script/g), count(/<\/script/g)]).toEqual([3, 3]);
    expect(/<[a-z][^<>]* on[a-z]+=/.test(body.replaceAll(/"[^"]*"/g, ''))).toBe(false);
    expect(count(/<img/g)).toBe(0);
    // oxlint-disable-next-line no-control-regex -- these are the characters that are meant
    expect(/[\u0000\u009b]/.test(body)).toBe(false);
  });
});

describe.skipIf(!BROWSER)('in a browser', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tf-page-'));
  const file = join(folder, 'page.html');
  let page: Page;
  beforeAll(async () => {
    writeFileSync(file, drawn);
    page = await openPage(`file://${file}#rms_rows@cuda:shapes:rows=3,width=40`, { width: 390 });
  }, 60_000);
  afterAll(async () => {
    await page.close();
    rmSync(folder, { recursive: true, force: true });
  }, 60_000);

  test('no script fails, nothing is logged and nothing is loaded', () => {
    expect(page.told).toEqual([]);
  });

  test('no part is wider than a phone', async () => {
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  });

  test('an address leads to the longest part of it that is there, and opens what that lies in', async () => {
    const target = `document.querySelector('.target')`;
    expect(await page.evaluate(`${target}.id`)).toBe('rms_rows@cuda:shapes');
    expect(await page.evaluate(`${target}.closest('details').open`)).toBe(true);
  });

  test('errors are drawn once they are looked at, each cell in its colour', async () => {
    const box = `document.querySelector('[data-maps="rms_rows@cuda:shapes"]')`;
    await page.evaluate(`${box}.scrollIntoView(), new Promise((done) => setTimeout(done, 300))`);
    const canvas = `${box}.querySelector('figure canvas')`;
    expect(await page.evaluate(`[${canvas}.width, ${canvas}.height].join()`)).toBe('20,3');
    const pixel = (x: number, y: number) =>
      page.evaluate(`(() => {
        const context = new OffscreenCanvas(20, 3).getContext('2d', { willReadFrequently: true });
        context.drawImage(${canvas}, 0, 0);
        return [...context.getImageData(${x}, ${y}, 1, 1).data].join();
      })()`);
    expect(await pixel(0, 2)).toBe('0,0,0,0'); // not judged
    expect(await pixel(0, 0)).not.toBe(await pixel(19, 0));
    expect(await pixel(19, 1)).not.toBe(await pixel(0, 1));
    const plot = `document.querySelector('[data-plot="rms_rows@cuda:shapes"] canvas')`;
    await page.evaluate(
      `${plot.replace(' canvas', '')}.scrollIntoView(), new Promise((done) => setTimeout(done, 300))`,
    );
    expect(await page.evaluate(`${plot}.width > 0`)).toBe(true);
    expect(page.told).toEqual([]);
  });

  test('on paper everything that is open is drawn, in view or not', async () => {
    const shown = `[...document.querySelectorAll('.plot, .maps')].filter((box) => box.checkVisibility())`;
    await page.evaluate(`dispatchEvent(new Event('beforeprint'))`);
    expect(await page.evaluate(`${shown}.length > 0 && ${shown}.every((box) => box.querySelector('canvas'))`)).toBe(
      true,
    );
  });

  test('the filter shows rows by their address, a number at its end whole, and what is not as promised alone', async () => {
    const filtered = (text: string, bad = false) =>
      page.evaluate(`(() => {
        const [field, box] = [document.getElementById('filter'), document.getElementById('bad')];
        field.value = ${JSON.stringify(text)};
        box.checked = ${bad};
        field.dispatchEvent(new Event('input'));
        return [...document.querySelectorAll('#gates tr[data-a]')].filter((row) => !row.hidden).map((row) => row.dataset.a).join();
      })()`);
    expect(await filtered('')).toBe('rms_rows@cuda,rms_rows@hip');
    expect(await filtered('@hip')).toBe('rms_rows@hip');
    expect(await filtered('rms_rows@cuda:shapes:rows=3')).toBe('rms_rows@cuda');
    expect(await filtered('rms*cuda')).toBe('rms_rows@cuda');
    expect(await filtered('(')).toBe('');
    expect(await filtered('', true)).toBe('rms_rows@hip');
    await filtered('');
  });
});
