/**
 * argv in words: flags with their values, and what is no flag. `parseArgs` of node:util does the same, but loading that module
 * takes a third of the time in which gate 5 audits everything.
 */

/** What splitting needs of a table of flags: which take a value, and their letters. */
type FlagShapes = Readonly<Record<string, { readonly value?: string; readonly short?: string }>>;

/** A flag as it was given; value: undefined where there is none. */
export interface FlagWord {
  readonly kind: 'flag';
  readonly name: string;
  /** `--name` or `-n`. */
  readonly rawName: string;
  readonly value: string | undefined;
  /** The places in argv that it takes. */
  readonly from: number;
  readonly to: number;
}

export interface PlainWord {
  readonly kind: 'plain';
  readonly value: string;
}

/** Reads `--name value`, `--name=value`, `-n` and plain words; after `--` all words are plain. A flag not in the table has no value beside it. */
export function wordsOf(argv: readonly string[], table: FlagShapes): (FlagWord | PlainWord)[] {
  const words: (FlagWord | PlainWord)[] = [];
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? '';
    if (word === '--') return [...words, ...argv.slice(at + 1).map((value): PlainWord => ({ kind: 'plain', value }))];
    if (!word.startsWith('-') || word === '-') words.push({ kind: 'plain', value: word });
    else {
      const flag = flagAt(argv, at, table);
      words.push(flag);
      at = flag.to - 1;
    }
  }
  return words;
}

function flagAt(argv: readonly string[], from: number, table: FlagShapes): FlagWord {
  const word = argv[from] ?? '';
  const equals = word.startsWith('--') ? word.indexOf('=') : -1;
  const rawName = equals < 0 ? word : word.slice(0, equals);
  const name = rawName.startsWith('--') ? rawName.slice(2) : longName(rawName.slice(1), table);
  const flag = { kind: 'flag', name, rawName, from } as const;
  if (equals >= 0) return { ...flag, value: word.slice(equals + 1), to: from + 1 };
  const takes = Object.hasOwn(table, name) && table[name]?.value !== undefined && from + 1 < argv.length;
  return takes ? { ...flag, value: argv[from + 1], to: from + 2 } : { ...flag, value: undefined, to: from + 1 };
}

function longName(short: string, table: FlagShapes): string {
  for (const name in table) if (table[name]?.short === short) return name;
  return short;
}
