/** The lines of `--repro` and of `--replay`: the smallest input behind a failure, and what is known of it. No times: equal runs, equal text. */
import { elementCodes } from '../families/codes.ts';
import { bytesFor } from '../families/inputs.ts';
import type { Inputs } from '../families/inputs.ts';
import { coordinates, shapeText } from '../families/tensor.ts';
import { count } from '../numerics/digits.ts';
import type { Finding } from '../gates/finding.ts';
import type { Aim } from '../repro/aims.ts';
import type { Coded, ElementFacts, Explanation } from '../repro/explain.ts';
import type { Minimal } from '../repro/minimise.ts';
import type { Replayed } from '../repro/replay.ts';
import type { ReplayRow } from '../repro/session.ts';
import type { Cell } from '../repro/values.ts';
import type { Cause } from '../spec/cause.ts';
import type { Contract } from '../spec/contract.ts';
import type { Fixture } from '../spec/fixture.ts';
import { bitsText, codeText } from '../spec/fixture-inputs.ts';
import { modeLabel } from '../spec/modes.ts';
import { warpLabel } from '../spec/warps.ts';
import { registrationName } from '../spec/registration.ts';
import { rerun, rerunCommand } from './lines.ts';
import type { Style } from './style.ts';
import { counted } from './words.ts';

const INDENT = '      ';
/** Inputs that are written out. */
const WRITTEN = 8;

export interface ReproContext {
  readonly style: Style;
  readonly seed: string;
  readonly device: string;
  readonly command: string;
  /** Flags that a verdict depends on, beside its address and the seed. */
  readonly flags?: string;
}

const HEADS = { fail: 'FAIL', known: 'KNOWN', control: 'RED' } as const;

/** `KNOWN  relu2_rows@cuda:nonfinite  host  relu by fmax gives 0 for a NaN (docs/known-findings.md#relu2_rows)`. */
export function aimLine({ kind, target, address, what, known }: Aim, { style, device }: ReproContext): string {
  const paint = kind === 'fail' ? style.bad : kind === 'known' ? style.warn : style.good;
  const short = `${registrationName(target.kernel.name, target.dialect)}:${target.gate}`;
  const link = known ? ` (${known.link})` : '';
  return `${paint(HEADS[kind])}  ${kind === 'control' ? address : short}  ${device}  ${what.split('\n')[0]}${link}`;
}

/** Everything about a smallest input, below its aim's line. `again`: how the input itself is run again. */
export function minimalLines(
  aim: Aim,
  small: Minimal,
  explained: Explanation,
  context: ReproContext,
  again: string,
): string[] {
  const { target, inputs, finding, nonzero } = small;
  return [
    `smallest input: ${sizeLine(small)}`,
    ...cellLines(inputs, target.kernel.contract, nonzero),
    `formula: ${explained.formula}`,
    ...findingText(finding),
    ...explanationLines(explained),
    ...(small.schedules
      ? [`orders: ${small.schedules.join(' and ')} differ (--schedules ${small.schedules.join(',')})`]
      : []),
    `found at ${small.label}`,
    `Rerun as found: ${rerunCommand(aim.address, withOrders(context, small))}`,
    `Rerun the smallest: ${again}`,
  ].map((line) => INDENT + line);
}

/** Orders that were asked for belong to what was found. */
function withOrders(context: ReproContext, { schedules }: Minimal): ReproContext {
  const orders = schedules && `--schedules ${schedules.join(',')}`;
  return { ...context, flags: [context.flags, orders].filter(Boolean).join(' ') };
}

/** `rows=1,width=1; 1 of 1 elements is not zero, and it is needed; a step less along any dimension passes`. */
function sizeLine({ inputs, nonzero, needsAll, isLeast, isSpent, target, way }: Minimal): string {
  const all = totalOf(inputs, target.kernel.contract);
  const zero = `${count(nonzero.length)} of ${counted(all, 'element')} not zero`;
  const needed = needsAll ? NEEDED[Math.min(nonzero.length, 2)] : ', not proven to be fewest';
  const least = isLeast ? '' : '; a smaller shape may show it too';
  const spent = isSpent ? '; the time was up (--shrink-time)' : '';
  return `${modeLabel(warpLabel(shapeText(inputs.shape), way.warp), way.mode)}; ${zero}${needed}${least}${spent}`;
}

const NEEDED = [
  '',
  ', and it is needed: with zero in its place it passes',
  ', each of them needed: with any one zero it passes',
];

const totalOf = (inputs: Inputs, { inputs: tensors }: Contract): number =>
  Object.entries(tensors).reduce(
    (sum, [name, tensor]) => sum + elementCodes(tensor, inputs.shape, bytesFor(inputs, name)).length,
    0,
  );

/** `x[0, 0] = NaN (0x7fc0)`, a line each. */
export function cellLines(inputs: Inputs, { inputs: tensors }: Contract, cells: readonly Cell[]): string[] {
  const lines = cells.slice(0, WRITTEN).map((cell) => cellText(inputs, tensors, cell));
  const more = cells.length - lines.length;
  return more > 0 ? [...lines, `and ${count(more)} more, which a fixture has all of`] : lines;
}

export function cellText({ shape, ...inputs }: Inputs, tensors: Contract['inputs'], { name, index }: Cell): string {
  const tensor = tensors[name];
  if (!tensor) return name;
  const code = elementCodes(tensor, shape, bytesFor({ shape, ...inputs }, name))[index] ?? 0;
  return `${name}[${coordinates(tensor, shape, index).join(', ')}] = ${codeText(tensor, code)} (${bitsText(tensor, code)})`;
}

/** What is found, and where: as a run tells it. */
export const findingText = ({ class: kind, what, worst }: Finding): string[] => [
  ...(what.startsWith(`${kind}: `) ? what : `${kind}: ${what}`).split('\n'),
  ...(worst === undefined ? [] : [worst]),
];

/** What float64 wants, the range, the replays, and where the element is made. */
export function explanationLines({ symbol, grid, group, lanes, element }: Explanation): string[] {
  const launch = `${symbol}, ${shapeOf(grid)} groups of ${shapeOf(group)} threads`;
  return element
    ? [...elementLines(element), ...writerLines(element, group, lanes), `launch: ${launch}`]
    : [`launch: ${launch}`];
}

const shapeOf = (sizes: readonly number[]): string => sizes.join('x');
const coded = ({ text, bits }: Coded): string => `${text} (${bits})`;

function elementLines({ want, range, got, place, replays, tiles, writer }: ElementFacts): string[] {
  const replayed = replays.map(({ accumulator, value }) => `${accumulator} ${numeric(value)}`).join(', ');
  return [
    ...(writer === 'none'
      ? [`${place}: no thread writes it; float64 wants ${want ? numeric(want.exact) : 'a value'}`]
      : []),
    ...(got && want && writer !== 'none'
      ? [
          `${place}: the kernel gives ${coded(got)}; float64 wants ${numeric(want.exact)}, rounded ${coded(want.rounded)}`,
        ]
      : []),
    ...(range && want && Number.isFinite(want.exact) && !Number.isNaN(range.lo)
      ? [`passes from ${numeric(range.lo)} to ${numeric(range.hi)}, each rounded to the output's type`]
      : []),
    ...(replayed === '' ? [] : [`with sums held in ${replayed}`]),
    ...tiles.map(
      ({ dim, at, size, tile, within }) => `${dim} ${at} is element ${within} of tile ${tile}, of ${size} a tile`,
    ),
  ];
}

function writerLines({ writer }: ElementFacts, [x, y]: Explanation['group'], lanes: number): string[] {
  if (writer === undefined || writer === 'none') return [];
  const { group, thread, line } = writer;
  const linear = thread[0] + x * (thread[1] + y * thread[2]);
  const at = line === undefined ? '' : `, at ${line}`;
  return [
    `written first by thread (${thread.join(', ')}), lane ${linear % lanes} of warp ${Math.floor(linear / lanes)}, of group (${group.join(', ')})${at}`,
  ];
}

/** All digits that tell a float64 from its neighbours. */
const numeric = (value: number): string =>
  Number.isNaN(value)
    ? 'NaN'
    : !Number.isFinite(value)
      ? value > 0
        ? '+Inf'
        : '-Inf'
      : Object.is(value, -0)
        ? '-0'
        : String(value);

/** `y[0]  f16 lanes  65504  float64 65535.5`, a line for each accumulator and order. */
export const replayTable = (rows: readonly ReplayRow[]): string[] =>
  rows.map(
    ({ place, accumulator, order, value, want }) =>
      `${place}  ${accumulator.padEnd(4)} ${order.padEnd(6)}  ${numeric(value)}  float64 ${numeric(want)}`,
  );

/** An aim that no input was found for. */
export const missedLines = (aim: Aim, missed: string, context: ReproContext): string[] => [
  ...aim.what
    .split('\n')
    .slice(1)
    .map((line) => INDENT + line),
  `${INDENT}no smallest input: ${missed}`,
  INDENT + rerun(aim.address, context),
];

/** `REPRO 2 known findings, 0 failures: 2 smallest inputs, of 1 element that is not zero at most`. */
export function reproSummary(aims: readonly Aim[], smalls: readonly Minimal[]): string {
  const of = (kind: Aim['kind']): number => aims.filter((aim) => aim.kind === kind).length;
  const most = smalls.reduce((max, { nonzero }) => Math.max(max, nonzero.length), 0);
  const controls = of('control') > 0 ? `, ${counted(of('control'), 'control')}` : '';
  const kinds = `${counted(of('fail'), 'failure')}, ${counted(of('known'), 'known finding')}${controls}`;
  return `REPRO ${kinds}: ${counted(smalls.length, 'smallest input')}, ${counted(most, 'element')} not zero at most`;
}

/** `race`, `value of y`. */
const causeText = ({ code, of }: Cause): string => (of === undefined ? code : `${code} of ${of}`);

/** A fixture run again: is the verdict the same? */
export function replayLines(
  file: string,
  fixture: Fixture,
  replayed: Replayed,
  { style, device }: ReproContext,
): string[] {
  const { target, isSame, findings, isStale, notRun } = replayed;
  const control = target.control ? `!${target.control.id}` : '';
  const name = `${registrationName(target.kernel.name, target.dialect)}${control}:${target.gate}`;
  const wanted = fixture.expect.verdict === 'pass' ? 'a pass' : causeText(fixture.expect.cause);
  const [first] = findings;
  const now =
    notRun === undefined ? (first ? `it fails: ${causeText(first.cause)}` : 'it passes') : `it was not run: ${notRun}`;
  const head = isSame ? style.good('SAME') : style.bad('CHANGED');
  return [
    `${head}  ${name}  ${device}  ${file}: expected ${wanted}, and ${now}`,
    ...findings.flatMap(findingText).map((line) => INDENT + line),
    ...(isStale ? [`${INDENT}The kernel's sources are not those that the fixture was made of.`] : []),
  ];
}
