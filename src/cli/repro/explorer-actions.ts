/** What a person can do with an input in the explorer. */
import { writeWhole } from '../../device/toolchain/cache.ts';
import { coordinates } from '../../families/tensor.ts';
import type { Aim } from '../../repro/aims.ts';
import type { Session, SessionVerdict } from '../../repro/session.ts';
import { rerunCommand } from '../../report/lines.ts';
import { cellLines, replayTable } from '../../report/repro.ts';
import type { Fixture } from '../../spec/fixture.ts';
import { fixtureText } from '../../spec/fixture.ts';
import { nameFor, replayCommand } from './fixture-file.ts';
import type { Explorer } from './explorer.ts';
import { askText, ask, tellBlock } from './explorer-prompts.ts';
import { messageOf } from '../../spec/message-of.ts';

export interface Action {
  readonly name: string;
  readonly label: string;
  /** Whether the verdict is told after it. */
  readonly changes?: true;
  readonly applies?: (session: Session) => boolean;
  readonly run: (session: Session, explorer: Explorer, aim: Aim) => Promise<void>;
}

export const ACTIONS: readonly Action[] = [
  { name: 'value', label: 'Change a value', changes: true, run: changeValue },
  { name: 'shape', label: 'Change the shape', changes: true, run: changeShape },
  {
    name: 'orders',
    label: 'Change the order of execution',
    changes: true,
    run: changeOrders,
  },
  { name: 'again', label: 'Run again', changes: true, run: async () => {} },
  { name: 'dialects', label: 'Compare dialects', run: compareDialects },
  {
    name: 'replays',
    label: 'Show the sums held in fp16 and bf16',
    applies: ({ target }) => target.kernel.contract.accumulator !== 'none',
    run: async (session) =>
      tellBlock('The output, its sums held in narrower accumulators', replayTable(session.replays())),
  },
  { name: 'inputs', label: 'List the inputs that are not zero', run: listInputs },
  { name: 'write', label: 'Write the fixture', run: writeFixture },
  { name: 'copy', label: 'Copy the command that runs it again', run: copyCommand },
  {
    name: 'reset',
    label: 'Back to the smallest input',
    changes: true,
    applies: ({ isChanged }) => isChanged,
    run: async (session) => session.reset(),
  },
];

async function changeValue(session: Session): Promise<void> {
  const { inputs } = session.target.kernel.contract;
  const names = Object.keys(inputs);
  const [only = ''] = names;
  const name =
    names.length === 1
      ? only
      : await ask(({ select }) =>
          select({ message: 'Which input', options: names.map((value) => ({ value, label: value })) }),
        );
  const first = session.cells.find((cell) => cell.name === name);
  const tensor = inputs[name];
  const placeAt = (at: readonly number[]): string => `${name}[${at.join(', ')}]`;
  const start = tensor && first ? placeAt(coordinates(tensor, session.inputs.shape, first.index)) : '';
  const example = placeAt((tensor?.dims ?? []).map(() => 0));
  const question = `Place in ${name}, by ${tensor?.dims.join(', ') ?? ''}`;
  const place = await askText(question, example, start, (answer) => session.indexOf(name, answer));
  const forms = 'a number, NaN, +Inf, -Inf, or bits as 0x7fc0';
  session.setValue(name, place, await askText('Value', forms, '', (answer) => session.codeOf(name, answer)));
}

async function changeShape(session: Session): Promise<void> {
  session.setShape(await askText('Sizes', 'rows=1,width=8', session.shapeText));
}

async function changeOrders(session: Session): Promise<void> {
  session.setSchedules(
    await askText(
      'Order, a number; of gate 2 several: the first is held against the others',
      '0,3',
      session.schedules?.join(',') ?? '0',
    ),
  );
}

async function compareDialects(session: Session): Promise<void> {
  const rows: string[][] = [];
  for (const dialect of session.target.kernel.dialects) {
    const verdict = await session.inDialect(dialect);
    rows.push([dialect, wordOf(verdict), verdict.finding?.worst ?? verdict.finding?.what ?? verdict.notRun ?? '']);
  }
  const { table, getBorderCharacters } = await import('table');
  const drawn = table(rows, { border: getBorderCharacters('void'), singleLine: true, drawHorizontalLine: () => false });
  await tellBlock('The same input in each dialect', drawn.trimEnd().split('\n'));
}

function wordOf({ notRun, finding, isSame }: SessionVerdict): string {
  if (notRun !== undefined) return 'not run';
  return finding ? `${isSame ? 'fails so' : 'fails'}: ${finding.class}` : 'passes';
}

async function listInputs(session: Session): Promise<void> {
  const { cells, inputs, target } = session;
  const lines = cellLines(inputs, target.kernel.contract, cells);
  await tellBlock(`${session.shapeText}: all others are zero`, lines.length === 0 ? ['every input is zero'] : lines);
}

async function writeFixture(session: Session, _explorer: Explorer, aim: Aim): Promise<void> {
  const fixture = session.fixture();
  const file = await askText('File', nameFor(aim, fixture), nameFor(aim, fixture));
  await write(session, fixture, file.trim() || nameFor(aim, fixture));
}

async function write(session: Session, fixture: Fixture, file: string): Promise<void> {
  try {
    writeWhole(file, fixtureText(fixture));
  } catch (error) {
    return tellBlock('Not written', [messageOf(error)]);
  }
  session.isChanged = false;
  await tellBlock(`Wrote ${file}`, [
    replayCommand(file),
    `Beside the contract, and named in its regressions, it runs as a case of gate ${fixture.gate}.`,
  ]);
}

/** An input that was changed goes to a file of its own, whatever there is already. */
export async function saveChanged(session: Session, aim: Aim): Promise<void> {
  const fixture = session.fixture();
  await write(session, fixture, nameFor(aim, fixture));
}

/** OSC 52 asks the terminal to take it; the text is printed too, for terminals that do not. */
async function copyCommand(_session: Session, { contextOf }: Explorer, aim: Aim): Promise<void> {
  const command = rerunCommand(aim.address, contextOf(aim));
  process.stdout.write(`\u001b]52;c;${Buffer.from(command).toString('base64')}\u0007`);
  await tellBlock('Copied, where the terminal allows it', [command]);
}
