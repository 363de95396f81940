import { describe, expect, test } from 'bun:test';
import { annotationLines, escapeData, escapeProperty } from '../../src/report/github.ts';
import { reportOf } from '../../src/report/json.ts';
import { code, markdownText } from '../../src/report/markdown.ts';
import { finding, gate, head, hostile, registration, report } from './report-kit.ts';

const starting = (start: string) => annotationLines(report).find((line) => line.startsWith(start));

describe('annotations', () => {
  test('name the source of a finding at the line of the kernel', () => {
    const line = starting('::error file=kernels/rms_rows/rms_rows.cu,line=12,') ?? '';
    expect(line).toContain(
      'title=rms_rows@cuda%3Ashapes%3A 3 of 34%2C952 outputs past the bound at rows=17%2Cwidth=2056::',
    );
    expect(line).toContain('%0A      y[16, 2055]');
  });

  test('or at the line that the finding names', () => {
    const cause = { code: 'race', lines: ['tile.cuh:3', 'rms_rows.cu:41'] } as const;
    const race = { ...finding, class: 'race', cause, what: 'two threads write tile' } as const;
    const raced = reportOf(head, [registration([gate({ status: 'fail', findings: [race] })])]);
    expect(annotationLines(raced)[0]).toStartWith('::error file=kernels/rms_rows/rms_rows.cu,line=41,');
  });

  test('name the contract where a control is missed', () => {
    expect(starting('::error file=kernels/rms_rows/rms_rows.contract.ts,title=rms_rows@cuda!2')).toContain('missed');
  });

  test('warn of what did not run', () => {
    expect(starting('::warning title=')).toStartWith(
      '::warning title=rms_rows@hip%3Ashapes%3A cases that do not fit%3A 2 of 9::',
    );
  });

  test('are at most those that GitHub shows, the last of which counts the others', () => {
    const many = Array.from({ length: 14 }, () => registration([gate({ status: 'fail', findings: [finding] })]));
    const lines = annotationLines(reportOf(head, many));
    expect(lines.length).toBe(10);
    expect(lines.at(-1)).toStartWith('::error title=5 more::');
  });

  test('are one line each, whatever they say', () => {
    const lines = annotationLines(hostile('a%0A\r\n::set-output name=x::y,z:w'));
    expect(lines.filter((line) => /[\r\n]/.test(line))).toEqual([]);
    expect(lines.every((line) => /^::(error|warning) [^:]*::/.test(line))).toBe(true);
  });

  test('are escaped as the runner takes them back', () => {
    const text = '50 %, a:b\r\n%0A';
    expect(escapeData(text)).toBe('50 %25, a:b%0D%0A%250A');
    expect(escapeProperty(text)).toBe('50 %25%2C a%3Ab%0D%0A%250A');
  });
});

describe('the job summary', () => {
  const text = markdownText(report, 1e6);

  test('has SUMMARY, each failure with its text, what did not run, and the gates of each kernel', () => {
    expect(text).toContain('SUMMARY of the kit');
    expect(text).toContain('### 6 failures');
    expect(text).toContain('```text\nFAIL  rms_rows@cuda:shapes:rows=17,width=2056  3 of 34,952');
    expect(text).toContain('### Not run');
    expect(text).toContain('| pass 0.25 | | **fail** | | 1/4 |'.replaceAll('| |', '|  |'));
  });

  test('is cut between its parts where there is no room, and says so', () => {
    const cut = markdownText(report, 1200);
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(1200);
    expect(cut).toContain('SUMMARY of the kit');
    expect(cut).toMatch(/\d+ parts? more (has|have) no room here\.\n$/);
  });

  test.each(['a | b', '`x` ```', '<img src=x>', '*a* _b_ [c](d) @user #1', '</code></details>'])(
    'of a text such as %p holds no markup',
    (hostileText) => {
      const cell = code(hostileText);
      expect(cell.replace(/^<code>|<\/code>$|&#\d+;/g, '')).not.toMatch(/[<>&|`*_[\]#]/);
      const lines = markdownText(hostile(`${hostileText}\n\`\`\`\n# end`), 1e6).split('\n');
      const fences = lines.filter((line) => /^`{4,}/.test(line));
      expect(fences.length % 2).toBe(0);
      expect(fences.length).toBeGreaterThan(0);
    },
  );
});
