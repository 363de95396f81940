/**
 * The values and blocks of LLVM's text by number, as the compiler writes them where no sanitizer asks it to keep their names: in
 * the order of the text, a function's parameters first.
 */

const LOCAL = /%(?:"[^"]*"|[\w.$-]+)/g;
const LABEL = /^("[^"]*"|[\w.$-]+):/;
const RESULT = /^ +(%(?:"[^"]*"|[\w.$-]+)) = /;

/** The text with the local names of every function as numbers. */
export function withNumbers(text: string): string {
  const lines = text.split('\n');
  for (let i = 0; i < lines.length; i++) {
    if (!lines[i]?.startsWith('define ')) continue;
    const end = lines.indexOf('}', i);
    const body = renumbered(lines.slice(i, end));
    lines.splice(i, end - i, ...body);
    i += body.length;
  }
  return lines.join('\n');
}

function renumbered([head = '', ...body]: readonly string[]): string[] {
  const numbers = new Map<string, string>();
  const take = (name: string): void => void numbers.set(name, `%${numbers.size}`);
  const open = head.indexOf('(', head.indexOf('@'));
  for (const parameter of head.slice(open).match(/%[\w.$-]+(?=[,)])/g) ?? []) take(parameter);
  const first = LABEL.exec(body[0] ?? '')?.[1] ?? '';
  const rest = body.slice(first === '' ? 0 : 1);
  take(`%${first}`);
  for (const line of rest) {
    const name = RESULT.exec(line)?.[1] ?? `%${LABEL.exec(line)?.[1] ?? ''}`;
    if (name !== '%') take(name);
  }
  const number = (line: string): string => line.replaceAll(LOCAL, (name) => numbers.get(name) ?? name);
  return [
    number(head),
    ...rest.map((line) =>
      number(line.replace(LABEL, (label) => numbers.get(`%${label.slice(0, -1)}`)?.slice(1) + ':')),
    ),
  ];
}
