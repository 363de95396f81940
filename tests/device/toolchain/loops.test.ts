/** Which accesses of loops are settled before them: those that step by one distance, in loops that do nothing else to be seen. */
import { expect, test } from 'bun:test';
import { withSettledLoops } from '../../../src/device/toolchain/loops/pass.ts';

const RANGE = 'ptr getelementptr inbounds (i8, ptr @tf_ranges, i64 32)';
const load = (pointer: string, name = 'v'): string[] => [
  `%${name}.at = ptrtoint ptr ${pointer} to i64`,
  `call void @tf_check_load(i64 %${name}.at, i64 4, i64 4, ${RANGE}), !dbg !7`,
  `%${name} = load float, ptr ${pointer}, align 4`,
];
const store = (pointer: string, name = 'w'): string[] => [
  `%${name}.at = ptrtoint ptr ${pointer} to i64`,
  `call void @tf_check_store(i64 %${name}.at, i64 4, i64 4, ${RANGE}), !dbg !8`,
  `store float 0.0, ptr ${pointer}, align 4`,
];
const ELEMENT = '%e = getelementptr inbounds float, ptr %p, i64 %i';

interface Shape {
  readonly step?: string;
  readonly exit?: string;
  readonly condition?: string;
}

/** A function with one loop of these lines, counted by %i. */
function loop(lines: readonly string[], { step, exit, condition }: Shape = {}): string {
  return `define void @f(ptr %p, ptr %q, i64 %n, i1 %same) {
entry:
  br label %body

body:                                             ; preds = %body, %entry
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
${lines.map((line) => `  ${line}`).join('\n')}
  %next = ${step ?? 'add nuw nsw i64 %i, 1'}
  %goes = icmp ${condition ?? 'ult i64 %next, %n'}
  br i1 %goes, label ${exit === undefined ? '%body, label %end' : `${exit}, label %body`}

end:                                              ; preds = %body
  ret void
}`;
}

/** What is settled before the loop, each by its kind and what it waits for, and what is left as it was. */
function settledOf(text: string): string[] {
  const made = withSettledLoops(text);
  const runs = [...made.matchAll(/= call i64 @tf_check_(\w+)_run\(i64 (\S+),.*i64 (\d)\)/g)].map(
    ([, kind = '', after = '', any = '']) =>
      `${kind} after ${after === '1' ? 'nothing' : 'others'}${any === '1' ? ', any' : ''}`,
  );
  const left = [...made.matchAll(/call void @tf_check_(load|store)\(/g)].map(([, kind]) => `${kind} in the loop`);
  return [...runs, ...left];
}

test('reads that step are settled where nothing is written', () => {
  expect(settledOf(loop([ELEMENT, ...load('%e')]))).toEqual(['load after nothing, any']);
  const rows = ['%m = mul nuw nsw i64 %i, 272', '%e = getelementptr inbounds i8, ptr %p, i64 %m'];
  expect(settledOf(loop([...rows, ...load('%e')]))).toEqual(['load after nothing, any']);
});

test('what is written waits for what is read, which must be what nobody writes', () => {
  const copy = [ELEMENT, '%t = getelementptr inbounds float, ptr %q, i64 %i', ...load('%e'), ...store('%t')];
  expect(settledOf(loop(copy))).toEqual(['load after nothing', 'store after others']);
  const apart = [ELEMENT, '%j = xor i64 %i, 5', '%t = getelementptr inbounds float, ptr %q, i64 %j'];
  expect(settledOf(loop([...apart, ...load('%e'), ...store('%t')]))).toEqual([
    'load after nothing',
    'store in the loop',
  ]);
});

test('the first two addresses and the turns are made before the loop, without what holds only inside it', () => {
  const text = withSettledLoops(loop([ELEMENT, ...load('%e')]));
  const before = text.slice(text.indexOf('entry:'), text.indexOf('br label %body')).split('\n').slice(1, -1);
  expect(before.map((line) => line.trim())).toEqual([
    '%tf.loop.0 = add i64 0, 1',
    '%tf.loop.1 = call i64 @tf_check_turns(i64 %tf.loop.0, i64 %n, i64 1, i64 1)',
    '%tf.loop.2 = getelementptr float, ptr %p, i64 0',
    '%tf.loop.3 = ptrtoint ptr %tf.loop.2 to i64',
    '%tf.loop.4 = add i64 0, 1',
    '%tf.loop.5 = getelementptr float, ptr %p, i64 %tf.loop.4',
    '%tf.loop.6 = ptrtoint ptr %tf.loop.5 to i64',
    `%tf.loop.7 = call i64 @tf_check_load_run(i64 1, i64 %tf.loop.3, i64 %tf.loop.6, i64 %tf.loop.1, i64 4, i64 4, ${RANGE}, i64 1), !dbg !7`,
  ]);
  expect(text).toContain(`call void @tf_check_load_unless(i64 %tf.loop.7, i64 %v.at, i64 4, i64 4, ${RANGE}), !dbg !7`);
});

test('counts by what a loop goes on for, and is left by', () => {
  const turns = (shape: Shape): string =>
    /= call i64 @tf_check_turns\((.*)\)/.exec(withSettledLoops(loop([ELEMENT, ...load('%e')], shape)))?.[1] ?? 'none';
  expect(turns({ condition: 'eq i64 %next, %n', exit: '%end' })).toBe('i64 %tf.loop.0, i64 %n, i64 1, i64 0');
  expect(turns({ condition: 'ugt i64 %i, %n', exit: '%end' })).toBe('i64 %tf.loop.0, i64 %n, i64 1, i64 2');
  expect(turns({ condition: 'ne i64 %next, 0', step: 'add nsw i64 %i, -2' })).toBe(
    'i64 0, i64 %tf.loop.0, i64 2, i64 0',
  );
  expect(turns({ condition: 'ult i64 %next, %n', exit: '%end' })).toBe('none');
  expect(turns({ step: 'mul i64 %i, 2' })).toBe('none');
});

test('a loop that does more is left alone', () => {
  const left = ['load in the loop'];
  expect(settledOf(loop([ELEMENT, ...load('%e'), 'call void @g()']))).toEqual(left);
  expect(settledOf(loop([ELEMENT, ...load('%e'), 'fence seq_cst']))).toEqual(left);
  expect(settledOf(loop([ELEMENT, ...load('%e'), '%a = load volatile i32, ptr %q, align 4']))).toEqual(left);
  expect(settledOf(loop([ELEMENT, ...load('%e'), '%a = atomicrmw add ptr %q, i32 1 seq_cst, align 4']))).toEqual(left);
  const chased = ['%j = load i64, ptr %q, align 8', '%e = getelementptr inbounds float, ptr %p, i64 %j'];
  expect(settledOf(loop([...chased, ...load('%e')]))).toEqual(left);
});

test('a loop that is left in its midst is settled where what leaves it is the same in every turn', () => {
  const twice = (condition: string): string =>
    loop([ELEMENT, ...load('%e')])
      .replace(
        '  %next',
        `  br i1 ${condition}, label %rest, label %stop\n\nstop:${' '.repeat(44)}; preds = %body\n  unreachable\n\nrest:${' '.repeat(44)}; preds = %body\n  %next`,
      )
      .replaceAll('%next, %body ]', '%next, %rest ]')
      .replace('preds = %body, %entry', 'preds = %rest, %entry');
  expect(settledOf(twice('%same'))).toEqual(['load after nothing, any']);
  expect(settledOf(twice('%v.is').replace('  %v = load', '  %v.is = icmp eq i64 %i, 3\n  %v = load'))).toEqual([
    'load in the loop',
  ]);
});
