/**
 * The formula language as text: statements `name = expression` separated by `;`, definitions `f(v) = expression`, the four
 * operations, calls, numbers and names. Parsing knows no meaning; graph.ts gives it.
 */

export type Expression =
  | { readonly kind: 'number'; readonly value: number; readonly at: number }
  | { readonly kind: 'name'; readonly name: string; readonly at: number }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expression[]; readonly at: number };

export interface Statement {
  readonly name: string;
  /** Parameters of a definition; undefined for an assignment. */
  readonly parameters?: readonly string[];
  readonly body: Expression;
  readonly at: number;
}

/** A mistake in a formula's text: what it is, where, and what to write instead. */
export class FormulaError extends Error {
  constructor(
    readonly text: string,
    readonly at: number,
    message: string,
  ) {
    super(`${message}\n  ${text.replace(/\n/g, ' ')}\n  ${' '.repeat(at)}^`);
    this.name = 'FormulaError';
  }
}

interface Token {
  readonly text: string;
  readonly at: number;
}

const TOKEN = /\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?)|([A-Za-z_]\w*)|([-+*/(),;=]))/y;

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  const end = text.trimEnd().length;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < end) {
    const from = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (!match) {
      const at = from + (/^\s*/.exec(text.slice(from))?.[0].length ?? 0);
      throw new FormulaError(text, at, `'${text[at]}' is no part of a formula: use names, numbers, calls and + - * /`);
    }
    const token = match[1] ?? match[2] ?? match[3] ?? '';
    tokens.push({ text: token, at: TOKEN.lastIndex - token.length });
  }
  return tokens;
}

/** Parses a formula; throws a FormulaError. */
export function parse(text: string): Statement[] {
  const tokens = tokenize(text);
  let next = 0;
  const peek = (): string => tokens[next]?.text ?? '';
  const at = (): number => tokens[next]?.at ?? text.trimEnd().length;
  const fail = (message: string): never => {
    throw new FormulaError(text, at(), message);
  };
  const take = (expected?: string): string => {
    if (next >= tokens.length)
      fail(`the formula ends where ${expected ? `'${expected}'` : 'a name or number'} should be`);
    if (expected !== undefined && peek() !== expected) fail(`'${peek()}' where '${expected}' should be`);
    return tokens[next++]?.text ?? '';
  };

  function primary(): Expression {
    const from = at();
    const token = take();
    if (/^\d/.test(token)) return { kind: 'number', value: Number(token), at: from };
    if (token === '-') return { kind: 'call', name: 'neg', args: [primary()], at: from };
    if (token === '(') {
      const inner = sum();
      take(')');
      return inner;
    }
    if (!/^[A-Za-z_]/.test(token)) throw new FormulaError(text, from, `'${token}' where a name or number should be`);
    if (peek() !== '(') return { kind: 'name', name: token, at: from };
    take('(');
    const args = [sum()];
    while (peek() === ',') {
      take(',');
      args.push(sum());
    }
    take(')');
    return { kind: 'call', name: token, args, at: from };
  }

  function chain(operand: () => Expression, operators: Readonly<Record<string, string>>): Expression {
    let left = operand();
    while (Object.hasOwn(operators, peek())) {
      const from = at();
      const name = operators[take()] ?? '';
      left = { kind: 'call', name, args: [left, operand()], at: from };
    }
    return left;
  }
  const product = (): Expression => chain(primary, { '*': 'mul', '/': 'div' });
  const sum = (): Expression => chain(product, { '+': 'add', '-': 'sub' });

  function statement(): Statement {
    const from = at();
    const name = take();
    if (!/^[A-Za-z_]/.test(name)) throw new FormulaError(text, from, `a statement starts with a name, not '${name}'`);
    const parameters: string[] = [];
    const defines = peek() === '(';
    if (defines) {
      do {
        take();
        parameters.push(take());
      } while (peek() === ',');
      take(')');
    }
    take('=');
    const body = sum();
    return defines ? { name, parameters, body, at: from } : { name, body, at: from };
  }

  const statements: Statement[] = [];
  while (next < tokens.length) {
    statements.push(statement());
    if (next < tokens.length) take(';');
  }
  return statements;
}
