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
    /** The mistake, less its place. */
    readonly what: string,
  ) {
    super(`${what}\n  ${text.replace(/\n/g, ' ')}\n  ${' '.repeat(at)}^`);
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
  return new Parser(text).statements();
}

const PRODUCTS: Readonly<Record<string, string>> = { '*': 'mul', '/': 'div' };
const SUMS: Readonly<Record<string, string>> = { '+': 'add', '-': 'sub' };
const NAME = /^[A-Za-z_]/;

/** Recursive descent over the tokens; sums bind looser than products. */
class Parser {
  private readonly tokens: readonly Token[];
  private next = 0;

  constructor(private readonly text: string) {
    this.tokens = tokenize(text);
  }

  statements(): Statement[] {
    const out: Statement[] = [];
    while (this.next < this.tokens.length) {
      out.push(this.statement());
      if (this.next < this.tokens.length) this.take(';');
    }
    return out;
  }

  private statement(): Statement {
    const at = this.at();
    const name = this.take();
    if (!NAME.test(name)) throw new FormulaError(this.text, at, `a statement starts with a name, not '${name}'`);
    const parameters = this.peek() === '(' ? this.parameters() : undefined;
    this.take('=');
    const body = this.sum();
    return parameters ? { name, parameters, body, at } : { name, body, at };
  }

  private parameters(): string[] {
    const out: string[] = [];
    do {
      this.take();
      out.push(this.take());
    } while (this.peek() === ',');
    this.take(')');
    return out;
  }

  private sum(): Expression {
    return this.chain(() => this.product(), SUMS);
  }

  private product(): Expression {
    return this.chain(() => this.primary(), PRODUCTS);
  }

  private chain(operand: () => Expression, operators: Readonly<Record<string, string>>): Expression {
    let left = operand();
    while (Object.hasOwn(operators, this.peek())) {
      const at = this.at();
      const name = operators[this.take()] ?? '';
      left = { kind: 'call', name, args: [left, operand()], at };
    }
    return left;
  }

  private primary(): Expression {
    const at = this.at();
    const token = this.take();
    if (/^\d/.test(token)) return { kind: 'number', value: Number(token), at };
    if (token === '-') return { kind: 'call', name: 'neg', args: [this.primary()], at };
    if (token === '(') {
      const inner = this.sum();
      this.take(')');
      return inner;
    }
    if (!NAME.test(token)) throw new FormulaError(this.text, at, `'${token}' where a name or number should be`);
    return this.peek() === '('
      ? { kind: 'call', name: token, args: this.arguments(), at }
      : { kind: 'name', name: token, at };
  }

  private arguments(): Expression[] {
    this.take('(');
    const out = [this.sum()];
    while (this.peek() === ',') {
      this.take(',');
      out.push(this.sum());
    }
    this.take(')');
    return out;
  }

  private peek(): string {
    return this.tokens[this.next]?.text ?? '';
  }

  private at(): number {
    return this.tokens[this.next]?.at ?? this.text.trimEnd().length;
  }

  private take(expected?: string): string {
    const token = this.tokens[this.next];
    const wanted = expected === undefined ? 'a name or number' : `'${expected}'`;
    if (!token) throw new FormulaError(this.text, this.at(), `the formula ends where ${wanted} should be`);
    if (expected !== undefined && token.text !== expected) {
      throw new FormulaError(this.text, token.at, `'${token.text}' where ${wanted} should be`);
    }
    this.next++;
    return token.text;
  }
}
