/**
 * `--repro` on a terminal: what fails in a list, the smallest input of what is chosen, and that input in the person's hands. Ctrl-C
 * ends it at any prompt; an input that was changed and not written goes to a file first.
 */
import { SubjectError } from '../../gates/subject.ts';
import type { Aim } from '../../repro/aims.ts';
import type { Pursued } from '../../repro/pursue.ts';
import type { SearchState } from '../../repro/search.ts';
import { Session, SessionError } from '../../repro/session.ts';
import { aimLine, explanationLines, findingText, minimalLines } from '../../report/repro.ts';
import type { ReproContext } from '../../report/repro.ts';
import type { Style } from '../../report/style.ts';
import { registrationName } from '../../spec/registration.ts';
import { styleFor } from '../colour.ts';
import { interruptibly } from '../interrupt.ts';
import { shownOn } from '../print.ts';
import { ACTIONS, saveChanged } from './explorer-actions.ts';
import { Left, ask, loadClack, tellBlock } from './explorer-prompts.ts';
import { attempted, contextFor, searchText, settingsFor } from './repro.ts';
import type { Aims } from './aims.ts';
import type { ReproOptions } from './flags.ts';
import type { Workshops } from './workshop.ts';

export interface Explorer {
  readonly shops: Workshops;
  readonly options: ReproOptions;
  readonly seed: string;
  readonly contextOf: (aim: Aim) => ReproContext;
}

/** Runs until the person leaves. */
export async function explore(shops: Workshops, { aims, seed }: Aims, options: ReproOptions): Promise<void> {
  const { intro, outro } = await loadClack();
  const style = await styleFor(process.stdout, process.env);
  const explorer: Explorer = {
    shops,
    options,
    seed,
    contextOf: (aim) => contextFor(aim, { shops, options, seed, style }),
  };
  intro(`${aims.length} to look at: failures, known findings and controls`);
  try {
    for (let at = 0; ;) {
      const chosen = await chooseAim(aims, at, style);
      if (chosen === undefined) break;
      at = chosen;
      const aim = aims[chosen];
      if (aim) await exploreAim(explorer, aim);
    }
  } catch (error) {
    if (!(error instanceof Left)) throw error;
  }
  outro('Left the explorer.');
}

async function chooseAim(aims: readonly Aim[], at: number, style: Style): Promise<number | undefined> {
  const options = aims.map((aim, value) => ({
    value,
    label: labelOf(aim, style),
    hint: shownOn(process.stdout, cut(aim.what)),
  }));
  const chosen = await ask(({ select }) =>
    select({
      message: 'What fails',
      options: [...options, { value: -1, label: 'Leave' }],
      initialValue: at,
      maxItems: 12,
    }),
  );
  return chosen < 0 ? undefined : chosen;
}

function labelOf({ kind, target, address }: Aim, style: Style): string {
  const paint = kind === 'fail' ? style.bad : kind === 'known' ? style.warn : style.good;
  const name = kind === 'control' ? address : `${registrationName(target.kernel.name, target.dialect)}:${target.gate}`;
  return `${paint({ fail: 'FAIL', known: 'KNOWN', control: 'RED' }[kind])} ${name}`;
}

const cut = (text: string): string => (text.split('\n')[0] ?? '').slice(0, 60);

const WRITE_IT = 'write the fixture here, then --replay it';

/** The smallest input of an aim, then what the person does with it. */
async function exploreAim(explorer: Explorer, aim: Aim): Promise<void> {
  const pursued = await shrink(explorer, aim);
  if (pursued === undefined) return;
  if ('missed' in pursued) {
    await tellBlock('No smallest input', [aimLine(aim, explorer.contextOf(aim)), pursued.missed]);
    return;
  }
  const { suspect, small } = pursued;
  const session = new Session(suspect, small);
  try {
    const explained = await session.explain(small.finding);
    await tellBlock(
      'The smallest input',
      minimalLines(aim, small, explained, explorer.contextOf(aim), WRITE_IT).map((line) => line.trimStart()),
    );
    // At a prompt Ctrl-C is a key; while something runs it is a signal, as it is from elsewhere.
    await interruptibly(
      () => lastWords(session, aim),
      () => act(explorer, aim, session),
    );
  } finally {
    session.close();
    suspect.release();
  }
}

/** What was changed and not written goes to a file. */
async function lastWords(session: Session, aim: Aim): Promise<string> {
  if (session.isChanged) await saveChanged(session, aim);
  return 'Left the explorer.';
}

/** Ctrl-C stops the search alone: then there is nothing to show, and the list comes back. */
async function shrink({ shops, options, seed }: Explorer, aim: Aim): Promise<Pursued | undefined> {
  const stopped = new Error('stopped');
  let isStopped = false;
  const stop = (): void => {
    isStopped = true;
  };
  const line = (text: string): void => {
    process.stdout.write(`\r\u001b[K${text.slice(0, (process.stdout.columns || 80) - 1)}`);
  };
  const watch = (state: SearchState): void => {
    if (isStopped) throw stopped;
    line(`Shrinking (Ctrl-C stops): ${searchText(state)}`);
  };
  process.on('SIGINT', stop);
  line('Shrinking: its images are loaded');
  try {
    return await attempted(shops, aim, settingsFor(options, seed), { timeMs: options['shrink-time'] * 1000, watch });
  } catch (error) {
    if (error === stopped) return undefined;
    throw error;
  } finally {
    line('');
    process.off('SIGINT', stop);
  }
}

/** One action after another, until the person goes back to the list. */
async function act(explorer: Explorer, aim: Aim, session: Session): Promise<void> {
  try {
    for (;;) {
      const chosen = await ask(({ select }) =>
        select({
          message: `${session.shapeText}, ${session.cells.length} not zero${session.isChanged ? ', changed' : ''}`,
          options: [
            ...ACTIONS.filter(({ applies }) => applies?.(session) ?? true).map(({ name, label }) => ({
              value: name,
              label,
            })),
            { value: 'back', label: 'Back to the list' },
          ],
        }),
      );
      const action = ACTIONS.find(({ name }) => name === chosen);
      if (!action) break;
      await attemptAction(() => action.run(session, explorer, aim));
      if (action.changes) await verdictOf(session);
    }
    if (session.isChanged) await saveChanged(session, aim);
  } catch (error) {
    if (error instanceof Left && session.isChanged) await saveChanged(session, aim);
    throw error;
  }
}

/** What cannot be done is told, and the prompt comes back. */
async function attemptAction(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof SessionError || error instanceof SubjectError)) throw error;
    await tellBlock('Not done', [error.message]);
  }
}

/** The verdict on the input as it stands. */
async function verdictOf(session: Session): Promise<void> {
  const verdict = session.judge();
  const { finding, notRun, isSame } = verdict;
  const explained = await session.explain(finding);
  const head =
    notRun !== undefined
      ? `not run: ${notRun}`
      : finding
        ? isSame
          ? 'FAILS, for the same reason'
          : 'FAILS, for another reason'
        : 'PASSES';
  await tellBlock(head, [...(finding ? findingText(finding) : []), ...explanationLines(explained)]);
}
