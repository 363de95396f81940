/** The commands and the pages of the help: what each does, its flags, examples. Loaded by the help and by completions alone. */
import { DIFF_FLAGS } from '../reports/diff-flags.ts';
import { FAULTS_FLAGS } from '../faults/flags.ts';
import type { FlagTable } from './flag.ts';
import { FLAGS } from './flags.ts';
import { FINDING_CLASSES } from '../../spec/contract.ts';
import { FIELD_TABLES } from '../../spec/contract-fields.ts';
import { LIMITS_FLAGS } from '../limits/flags.ts';
import { NEW_FLAGS } from '../new/flags.ts';
import { MERGE_FLAGS } from '../reports/merge-flags.ts';
import { OFFLINE_FLAGS } from '../offline/flags.ts';
import { REPLAY_FLAGS, REPRO_FLAGS } from '../repro/flags.ts';

export interface CommandPage {
  /** As in `help NAME`. */
  readonly name: string;
  /** What stands behind the program's name: `limits DIR`. */
  readonly call: string;
  /** Its line among the commands: 41 columns at most. */
  readonly summary: string;
  /** Paragraphs of at most 80 columns. */
  readonly about: string;
  readonly flags: FlagTable;
  /** What `--help` leaves to its list of pages. */
  readonly rare?: true;
  /** What stands behind the program's name, and what it does. */
  readonly examples: readonly (readonly [call: string, what: string])[];
}

/** A page that is no command's. */
export interface Topic {
  readonly name: string;
  /** What its section of the man page is called, by the names that those have. */
  readonly heading: string;
  readonly summary: string;
  readonly about: string;
}

export const COMMANDS: readonly CommandPage[] = [
  {
    name: 'run',
    call: '[PATH...] [flags]',
    summary: 'holds kernels to their contracts',
    about: `Runs every kernel at PATH through the gates, and every planted control that must
turn a gate red; without a PATH the program's own kernels. A PATH is a contract
file, a kernel's folder or a folder of these: a contract is code, and naming it
runs it. Its records lie in records/ beside the kernel's folder. Without a GPU,
sources run on the host device, compiled by clang 19.

A case has one address, the same in filters, output and reports:
kernel@dialect:gate:shape. A control's is kernel@dialect!id. A filter is a part
of an address, or a whole one where it has a *.`,
    flags: FLAGS,
    examples: [
      ['./softmax', 'the kernel in the folder softmax'],
      ['--only rms_rows', 'every case of one kernel'],
      ["--only 'rms_rows@*:sums:*'", 'one gate of it, in every dialect'],
      ['--gate shapes,sums --dialect hip', 'two gates of every HIP kernel'],
      ['--list --only rms_rows', 'the addresses that this selects'],
    ],
  },
  {
    name: 'new',
    call: 'new NAME',
    summary: 'writes a kernel to start from',
    about: `Writes the folder NAME here, with a kernel that passes in each dialect asked for
and a contract that explains itself, and beside it the types by which an editor
completes and checks contracts. Overwrites nothing.`,
    flags: NEW_FLAGS,
    examples: [
      ['new row_scale --dialect cuda', 'a kernel in CUDA'],
      ['new row_scale --dialect cuda,hip,metal,xpu', 'the same in all four'],
    ],
  },
  {
    name: 'limits',
    call: 'limits DIR',
    summary: 'audits images that another host built',
    about: `May the launches of these images run? Reads every image below DIR (fatbins,
cubins, code objects, bundles, zebins, and host binaries that hold them) without
any vendor's tool. Registered kernels are held to their launches and records; of
the others it tells which chips could run them, and at how many threads.`,
    flags: LIMITS_FLAGS,
    examples: [
      ['limits build/', 'every image below build/'],
      ['limits build/ --threads 1024', 'at 1,024 threads a group'],
    ],
  },
  {
    name: 'offline',
    call: '--offline DIR',
    summary: 'compiles for every chip, and compares',
    about: `Compiles every kernel, or every one at the PATHs that are given, for every
served chip with the compilers found here, reads the images back, prints a
RECORD line a launch, and the difference to the records that gate 5 audits.
Needs no GPU. Sources and images stay in DIR, and what is there already is not
compiled again.`,
    flags: OFFLINE_FLAGS,
    examples: [
      ['--offline build/offline', 'what differs from the records'],
      ['--offline build/offline --only rms_rows --write', 'records one kernel anew'],
    ],
  },
  {
    name: 'faults',
    call: '--faults',
    summary: 'plants faults: which gate kills each?',
    about: `Plants every fault that the rules make, one at a time, and says which gate kills
it. Takes minutes, and compiles, so it works from source alone. A fault that
survives is a missing case, or one that changes nothing, with its argument.`,
    flags: FAULTS_FLAGS,
    examples: [['--faults --only rms_rows', 'the faults of one kernel']],
  },
  {
    name: 'repro',
    call: '--repro [REPORT]',
    summary: 'the smallest input behind each failure',
    about: `Runs the gates, or reads a report that --json wrote, and shrinks what fails and
what is known to: least sizes, then fewest inputs that are not zero, then the
simplest values, for the same reason. On a terminal it is an explorer: change a
value, a size or the order and run again at once, compare dialects, write a
fixture. Elsewhere it prints a list, and --fixtures writes the inputs. The
address of a control shrinks that. Contracts from outside are named by PATHs.`,
    flags: REPRO_FLAGS,
    examples: [
      ['--repro --only relu2_rows', 'what one kernel fails by'],
      ['--repro report.json', 'what a run found before'],
      ["--repro --only 'row_sum@cuda!standing5'", 'a planted control'],
    ],
  },
  {
    name: 'replay',
    call: '--replay FILE',
    rare: true,
    summary: 'runs a fixture again: the same verdict?',
    about: `A fixture is a small input and what a gate says of it, as --repro writes it. A
contract may name it, in its regressions: it then runs as a case of its gate.`,
    flags: REPLAY_FLAGS,
    examples: [
      ['--replay relu2-nan.json', 'in its own dialect'],
      ['--replay relu2-nan.json --dialect hip,metal', 'in others'],
    ],
  },
  {
    name: 'completions',
    call: 'completions SHELL',
    rare: true,
    summary: 'completions of bash, zsh or fish',
    about: `Prints what completes commands, flags and their values in a shell. An installed
release has them in place already.`,
    flags: {},
    examples: [
      ['completions bash', 'source it, or keep it in a file'],
      ['completions fish', 'for ~/.config/fish/completions'],
    ],
  },
  {
    name: 'man',
    call: 'man',
    rare: true,
    summary: 'the man page: every page of this help',
    about: `Prints the man page. An installed release has it in place, and so has a global
installation by npm: man tf-kernel-contract shows it.`,
    flags: {},
    examples: [
      ['man | man -l -', 'reads it, with the man of Linux'],
      ['man > tf-kernel-contract.1', 'man ./tf-kernel-contract.1 reads it anywhere'],
    ],
  },
  {
    name: 'merge',
    call: 'merge FILE...',
    summary: 'joins JSON reports of several machines',
    about: `One SUMMARY, and one report in every form that is asked for, of the JSON reports
that several machines, or the shards of one run, wrote. They must be of one
program, one state of the kernels and one seed. A shard that is missing, and
what two reports both hold, is named, and then nothing is merged.`,
    rare: true,
    flags: MERGE_FLAGS,
    examples: [
      ['--shard 1/3 --json 1.json', 'the first third of a run'],
      ['merge 1.json 2.json 3.json --html page.html', 'all of it, as one page'],
    ],
  },
  {
    name: 'diff',
    call: 'diff A B',
    rare: true,
    summary: 'what changed between two JSON reports',
    about: `What changed from report A to report B: verdicts, margins, limits, and what is
in one of them alone. Ends with 1 where something is worse: a verdict, fewer
cases, a share of a bound or a limit that rose by more than 0.05, or what is
gone.`,
    flags: DIFF_FLAGS,
    examples: [['diff main.json branch.json --markdown diff.md', 'a comment for a pull request']],
  },
];

/** `  symbol           the kernel's name in the source`. */
const fieldLines = (texts: Readonly<Record<string, string>>): string[] =>
  Object.entries(texts).map(([name, text]) => `  ${name.padEnd(15)} ${text}`);

/** Words in lines of 80 columns at most. */
export const wrapped = (text: string, indent = ''): string =>
  text.replace(new RegExp(`(.{1,${79 - indent.length}})(?: |$)`, 'g'), `${indent}$1\n`).trimEnd();

const contractText = (): string =>
  FIELD_TABLES.map(([heading, { needed, optional }]) => {
    const may = fieldLines(optional);
    return [heading, ...fieldLines(needed), ...(may.length > 0 ? ['  and, if need be', ...may] : [])].join('\n');
  }).join('\n\n');

export const TOPICS: readonly Topic[] = [
  {
    name: 'contract',
    heading: 'CONTRACT',
    summary: 'the fields of a contract',
    about: `A contract is a file NAME.contract.ts in its kernel's folder, beside its source:

  import { edit, f32, kernel, rows } from 'tf-kernel-contract';
  export default kernel({ name: 'softmax', ... });

tf-kernel-contract new NAME --dialect cuda writes one that explains itself.

${contractText()}

Findings
${wrapped(FINDING_CLASSES.join(', '), '  ')}`,
  },
  {
    name: 'environment',
    heading: 'ENVIRONMENT',
    summary: 'variables that are read',
    about: `  NO_COLOR         no colours
  FORCE_COLOR      colours, also where the output is no terminal
  TF_CLANG         the clang 19 that compiles for the host device
  TF_NVCC          CUDA's compiler, for --offline
  TF_HIPCC         HIP's compiler, or a clang with its libraries
  TF_OCLOC         XPU's compiler
  TF_METAL         xcrun, which finds Metal's tools
  TF_CUDA_DRIVER   CUDA's driver; TF_HIP_DRIVER, TF_XPU_DRIVER, TF_METAL_DRIVER
  TF_NVRTC         CUDA's compiler at run time; TF_CUDA_INCLUDE its headers
  TF_HIPRTC        HIP's compiler at run time; TF_LIBOCLOC that of XPU
  TF_RECORDS       the folder of records, in place of the program's own
  TF_CACHE_DIR     where headers, and images of contracts from outside are kept
  TF_KERNELS       the folder of kernels, when run from source`,
  },
  {
    name: 'exit-codes',
    heading: 'EXIT STATUS',
    summary: 'what the codes mean',
    about: `  0    all as promised
  1    a failed gate, a missed or broken control, a known finding that passes, a
       launch that does not fit, or nothing run; of merge, reports that are not
       one; of diff, something that is worse
  2    a wrong command
  70   a fault of this program: please report it
  130  Ctrl-C; 143: terminated; --watch, which they end, has the code of its
       last run`,
  },
];
