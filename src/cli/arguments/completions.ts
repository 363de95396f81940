/** Completions of bash, zsh and fish, made from the tables of commands and flags. */
import type { CommandPage } from './commands.ts';
import { COMMANDS, TOPICS } from './commands.ts';
import { UsageError } from '../errors.ts';
import type { Flag } from './flag.ts';
import { suggestion } from './values.ts';
import { PROGRAM } from '../version.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** The completions of a shell; throws a UsageError where it is none of SHELLS. */
export function completionsOf(name: string | undefined): string {
  const shell = SHELLS.find((one) => one === name);
  if (shell) return MAKERS[shell]();
  const hint = name === undefined ? '' : suggestion(name, SHELLS);
  throw new UsageError(
    `completions takes a shell${hint}: ${SHELLS.join(', ')}.\n  tf-kernel-contract completions bash > FILE`,
  );
}

const MAKERS: Readonly<Record<Shell, () => string>> = { bash: bashText, zsh: zshText, fish: fishText };

/** Commands that are a word, first on the line: what stands behind the program's name begins with it. */
const wordOf = ({ call }: CommandPage): string => /^[a-z]\S*/.exec(call)?.[0] ?? '';
const WORDS = [...COMMANDS.map(wordOf).filter(Boolean), 'help'];
const PAGES = [...COMMANDS, ...TOPICS].map(({ name }) => name);

/** What may stand first on the line, before any flag: `offline` where its call begins with `--offline`. */
const flagOf = ({ call }: CommandPage): string => /^--(\S+)/.exec(call)?.[1] ?? '';

const isPath = ({ value }: Flag): boolean => value === 'FILE' || value === 'DIR';

/** Flags by name, of all commands: where two have one name, their words are both's. */
function allFlags(): Map<string, Flag> {
  const flags = new Map<string, Flag>();
  for (const { flags: own } of COMMANDS)
    for (const [name, flag] of Object.entries(own)) {
      const words = [...new Set([...(flags.get(name)?.words ?? []), ...(flag.words ?? [])])];
      flags.set(name, words.length > 0 ? { ...flag, words } : flag);
    }
  return flags;
}

// --- bash ---

function bashText(): string {
  const valued = [...allFlags()].filter(([, { value }]) => value !== undefined);
  const values = valued.map(([name, flag]) => `    --${name}) ${bashValue(flag)} ;;`);
  return `# Completions of ${PROGRAM} for bash: source this file, or put it where bash-completion looks.
# Of words by commas the last one is completed.
_tf_kernel_contract_words() {
  local before=""
  [[ $word != *,* ]] || before="\${word%,*},"
  COMPREPLY=($(compgen -P "$before" -W "$1" -- "\${word##*,}"))
}
# A path may have spaces.
_tf_kernel_contract_paths() {
  local path
  while IFS= read -r path; do COMPREPLY+=("$path"); done < <(compgen "$1" -- "$word")
}
_tf_kernel_contract() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" flags
  COMPREPLY=()
  # bash splits --flag=value in three words
  if [[ $word == "=" ]]; then word=""; elif [[ $before == "=" ]]; then before="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  case "$COMP_CWORD \${COMP_WORDS[1]}" in
    "2 help") _tf_kernel_contract_words "${PAGES.join(' ')}"; return ;;
    "2 completions") _tf_kernel_contract_words "${SHELLS.join(' ')}"; return ;;
  esac
  case "$before" in
${values.join('\n')}
  esac
  case "\${COMP_WORDS[1]}" in
${bashCommands(wordOf, (word) => word)}
    *) case " \${COMP_WORDS[*]} " in
${bashCommands(flagOf, (flag) => `*" --${flag} "*`)}
    *) flags="${bashFlags(COMMANDS[0])}" ;;
    esac ;;
  esac
  if [[ $word == -* ]]; then
    _tf_kernel_contract_words "$flags"
  else
    [[ $COMP_CWORD != 1 ]] || _tf_kernel_contract_words "${WORDS.join(' ')}"
    _tf_kernel_contract_paths -f
  fi
}
complete -o filenames -F _tf_kernel_contract ${PROGRAM}
`;
}

/** What is matched and the flags then, of each command that has such a name. */
const bashCommands = (nameOf: (page: CommandPage) => string, pattern: (name: string) => string): string =>
  COMMANDS.filter(nameOf)
    .map((page) => `    ${pattern(nameOf(page))}) flags="${bashFlags(page)}" ;;`)
    .join('\n');

const bashFlags = (page: CommandPage | undefined): string =>
  Object.keys(page?.flags ?? {})
    .map((name) => `--${name}`)
    .join(' ');

function bashValue(flag: Flag): string {
  if (flag.words) return `_tf_kernel_contract_words "${flag.words.join(' ')}"; return`;
  if (isPath(flag)) return `_tf_kernel_contract_paths ${flag.value === 'DIR' ? '-d' : '-f'}; return`;
  return 'return';
}

// --- zsh ---

function zshText(): string {
  const flags = [...allFlags()].map(([name, flag]) => `    ${zshFlag(name, flag)}`);
  return `#compdef ${PROGRAM}
# Completions of ${PROGRAM} for zsh: source this file, or put it as _${PROGRAM} in a folder of $fpath.
_${PROGRAM}() {
  local -a flags
  flags=(
${flags.join('\n')}
  )
  if (( CURRENT == 3 )) && [[ $words[2] == help ]]; then
    compadd -- ${PAGES.join(' ')}
  elif (( CURRENT == 3 )) && [[ $words[2] == completions ]]; then
    compadd -- ${SHELLS.join(' ')}
  else
    _arguments -S $flags '1:command:(${WORDS.join(' ')})' '*:file:_files'
  fi
}
if [[ $funcstack[1] == _${PROGRAM} ]]; then _${PROGRAM} "$@"; else compdef _${PROGRAM} ${PROGRAM}; fi
`;
}

function zshFlag(name: string, flag: Flag): string {
  const text = flag.help.replace(/[\\[\]':]/g, (sign) => (sign === "'" ? "'\\''" : `\\${sign}`));
  const repeated = flag.multiple ? '*' : '';
  const value = flag.value === undefined ? '' : `:${flag.value}:${zshValue(flag)}`;
  return `'${repeated}--${name}${value === '' ? '' : '='}[${text}]${value}'`;
}

function zshValue(flag: Flag): string {
  if (flag.words && flag.multiple) return `_values -s , ${flag.value} ${flag.words.join(' ')}`;
  if (flag.words) return `(${flag.words.join(' ')})`;
  if (isPath(flag)) return flag.value === 'DIR' ? '_files -/' : '_files';
  return ' ';
}

// --- fish ---

function fishText(): string {
  const flags = [...allFlags()].map(([name, flag]) => fishFlag(name, flag));
  const words = COMMANDS.filter(wordOf).map(
    (page) => `complete -c ${PROGRAM} -n __fish_use_subcommand -a ${wordOf(page)} -d ${fishQuoted(page.summary)}`,
  );
  return [
    `# Completions of ${PROGRAM} for fish: put this file in ~/.config/fish/completions.`,
    ...words,
    `complete -c ${PROGRAM} -n __fish_use_subcommand -a help -d 'explains a command'`,
    `complete -c ${PROGRAM} -n '__fish_seen_subcommand_from help' -f -a ${fishQuoted(PAGES.join(' '))}`,
    `complete -c ${PROGRAM} -n '__fish_seen_subcommand_from completions' -f -a ${fishQuoted(SHELLS.join(' '))}`,
    ...flags,
    '',
  ].join('\n');
}

function fishFlag(name: string, flag: Flag): string {
  const short = flag.short ? ` -s ${flag.short}` : '';
  const list = flag.words?.join(' ') ?? '';
  const words = flag.words ? ` -f -a ${fishQuoted(flag.multiple ? `(__fish_append , ${list})` : list)}` : '';
  const value = flag.value === undefined ? '' : ` -r${isPath(flag) ? ' -F' : words || ' -f'}`;
  return `complete -c ${PROGRAM} -l ${name}${short}${value} -d ${fishQuoted(flag.help)}`;
}

const fishQuoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`;
