/**
 * The tokens of a C-family source after its preprocessor, each with its offsets, so that an edit can name the exact
 * characters it replaces. Comments and white space are not tokens.
 *
 * Two marks are split on purpose: `>>` is two tokens, since it closes two template lists more often than it shifts, and
 * `[[` is two, since an attribute and a subscript start alike.
 */

export type TokenKind = 'name' | 'number' | 'string' | 'mark' | 'directive';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const BLANK = String.raw`(\s+|//[^\n]*|/\*[\s\S]*?\*/)`;
const RAW_STRING = String.raw`(?:u8|[uUL])?R"(?<delimiter>[^\s()\\]*)\([\s\S]*?\)\k<delimiter>"`;
const STRING = String.raw`(?:u8|[uUL])?(?:"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*')`;
const NAME = String.raw`([A-Za-z_$\u0080-\uffff][\w$\u0080-\uffff]*)`;
const NUMBER = String.raw`(\.?\d(?:[eEpP][+-]|'?[\w.])*)`;
const MARK = String.raw`<<=|\.\.\.|->\*|::|->|\+\+|--|<<|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|##|[\s\S]`;
const TOKEN = new RegExp(`${BLANK}|(${RAW_STRING}|${STRING})|${NAME}|${NUMBER}|${MARK}`, 'y');
const DIRECTIVE = /#[^\n]*/y;

/** The tokens of `text` from offset `from` on; a directive (`#pragma`, a line marker) is one token. */
export function tokenize(text: string, from = 0): Token[] {
  const tokens: Token[] = [];
  let atLineStart = true;
  for (let at = from; at < text.length;) {
    const isDirective = atLineStart && text[at] === '#';
    const match = matchAt(isDirective ? DIRECTIVE : TOKEN, text, at);
    const end = at + match[0].length;
    if (match[1] !== undefined) {
      atLineStart ||= match[0].includes('\n');
    } else {
      tokens.push({ kind: isDirective ? 'directive' : kindOf(match), text: match[0], start: at, end });
      atLineStart = false;
    }
    at = end;
  }
  return tokens;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray {
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  if (!match) throw new Error(`no token at offset ${at}`);
  return match;
}

function kindOf(match: RegExpExecArray): TokenKind {
  if (match[2] !== undefined) return 'string';
  if (match[4] !== undefined) return 'name';
  return match[5] !== undefined ? 'number' : 'mark';
}

/** The value of adjacent string literals: prefix and quotes gone, `\n` and the like resolved, numeric escapes not. */
export function stringValue(literals: readonly Token[]): string {
  return literals.map((literal) => unescape(literal.text)).join('');
}

function unescape(literal: string): string {
  const raw = /R"([^(]*)\(([\s\S]*)\)\1"$/.exec(literal);
  if (raw) return raw[2] ?? '';
  const body = literal.slice(literal.indexOf('"') + 1, -1);
  return body.replace(/\\([\s\S])/g, (_, c: string) => ({ n: '\n', t: '\t', r: '\r' })[c] ?? c);
}
