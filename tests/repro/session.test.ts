/** An input in a person's hands: whatever form the output has is taken back. */
import { expect, test } from 'bun:test';
import { Session, SessionError } from '../../src/repro/session.ts';
import { Suspect } from '../../src/repro/suspect.ts';
import { SETTINGS, STATED, each, shopOf, smallestOf } from './kit.ts';

const shop = shopOf(STATED, each('fmaxf(v, 0.0f)'));
const small = await smallestOf(shop, 'nonfinite');
if (!small) throw new Error('nothing is found');
const suspect = await Suspect.prepare(shop, small.target, [small.way], SETTINGS);

const opened = (): Session => {
  const session = new Session(suspect, small);
  session.setShape('rows=2,width=3');
  return session;
};
/** The one input that is not zero, and its value in hex, once the NaN is gone. */
const put = (place: string, value: string): unknown => {
  const session = opened();
  session.setValue('x', '0, 0', '0');
  session.setValue('x', place, value);
  const bytes = session.inputs.bytes['x'] ?? new Uint8Array(0);
  return [session.cells.map(({ index }) => index), new DataView(bytes.buffer).getUint32(4 * 5, true).toString(16)];
};

test.each(['x[1, 2]', 'x[1,2]', '[1, 2]', '1, 2', ' 1,2 ', 'x[1, 2] = 1 (0x3f800000)'])('a place as %j', (place) => {
  expect(put(place, '1')).toEqual([[5], '3f800000']);
});

test.each(['-0', '-0 (0x80000000)', '0x80000000', '-0 (0X80000000)'])('a value as %j', (value) => {
  expect(put('x[1, 2]', value)).toEqual([[5], '80000000']);
});

test('sizes with the mode behind them, and orders as a finding names them', () => {
  const session = opened();
  session.setShape('rows=1,width=2,mode=plain');
  expect(session.shapeText).toBe('rows=1,width=2');
  session.setSchedules('--schedules 7');
  expect(session.schedules).toEqual([7]);
});

test.each<[string, (session: Session) => void, string]>([
  ['a place of another input', (session) => session.setValue('x', 'w[0, 0]', '1'), 'w[0, 0] is a place in w, not in x'],
  [
    'a place outside',
    (session) => session.setValue('x', 'x[2, 0]', '1'),
    'x has the sizes 2, 3: write a place in it as x[0, 0]',
  ],
  [
    'a value that is not its bits',
    (session) => session.setValue('x', '0, 0', '2 (0x3f800000)'),
    '0x3f800000 is 1, not 2',
  ],
  ['another mode', (session) => session.setShape('rows=1,width=2,mode=fused'), 'leave mode=fused out'],
  ['another width', (session) => session.setShape('rows=1,width=2,warp=64'), 'leave warp=64 out'],
  ['two orders of a gate that has one', (session) => session.setSchedules('0 and 3'), 'an order is a whole number'],
])('%s is refused in words', (_what, ask, words) => {
  const session = opened();
  expect(() => ask(session)).toThrow(SessionError);
  expect(() => ask(session)).toThrow(words);
});
