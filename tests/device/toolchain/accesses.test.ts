/** The sanitizer's calls as the image's own: neighbours become one, and nothing that could tell their order is passed over. */
import { expect, test } from 'bun:test';
import { withOwnAccesses } from '../../../src/device/toolchain/accesses.ts';
import { withNumbers } from '../../../src/device/toolchain/numbers.ts';

/** The calls that a function of these lines ends up with: kind, bytes, bytes of each. */
function callsOf(lines: readonly string[]): string[] {
  const text = ['define void @f(ptr %p, ptr %q) {', ...lines.map((line) => `  ${line}`), '}'].join('\n');
  return [...withOwnAccesses(text).matchAll(/call void @tf_check_(load|store)\(i64 \S+ i64 (\d+), i64 (\d+)/g)].map(
    ([, kind = '', bytes = '', each = '']) => `${kind} ${bytes} of ${each}`,
  );
}

const at = (offset: number, base = '%p'): string[] => [
  `%g${base.slice(1)}${offset} = getelementptr inbounds i8, ptr ${base}, i64 ${offset}`,
  `%i${base.slice(1)}${offset} = ptrtoint ptr %g${base.slice(1)}${offset} to i64`,
];
const load = (offset: number, base = '%p', debug = 7): string[] => [
  ...at(offset, base),
  `call void @__asan_load2_noabort(i64 %i${base.slice(1)}${offset}), !dbg !${debug}`,
  `%v${base.slice(1)}${offset} = load i16, ptr %g${base.slice(1)}${offset}, align 2, !dbg !${debug}`,
];
const store = (offset: number): string[] => [
  ...at(offset),
  `call void @__asan_store2_noabort(i64 %ip${offset}), !dbg !7`,
  `store i16 0, ptr %gp${offset}, align 2, !dbg !7`,
];

test('neighbours of one size are one', () => {
  expect(callsOf([0, 2, 4, 6].flatMap((offset) => load(offset)))).toEqual(['load 8 of 2']);
  expect(callsOf([0, 2, 4].flatMap(store))).toEqual(['store 6 of 2']);
  expect(callsOf(Array.from({ length: 33 }, (_, i) => load(2 * i)).flat())).toEqual(['load 64 of 2', 'load 2 of 2']);
});

test('what stands between, a gap, another base and another direction keep them apart', () => {
  const apart = ['load 2 of 2', 'load 2 of 2'];
  expect(callsOf([...load(0), 'call void @g()', ...load(2)])).toEqual(apart);
  expect(callsOf([...load(0), 'store i32 0, ptr %q', ...load(2)])).toEqual(apart);
  expect(callsOf([...load(0), 'br label %next', '', 'next:', ...load(2)])).toEqual(apart);
  expect(callsOf([...load(0), ...load(4)])).toEqual(apart);
  expect(callsOf([...load(2), ...load(0)])).toEqual(apart);
  expect(callsOf([...load(0), ...load(2, '%q')])).toEqual(apart);
  expect(callsOf([...load(0), ...load(2, '%p', 8)])).toEqual(apart); // of another line
  expect(callsOf([...load(0), '%a = load atomic i32, ptr %q seq_cst, align 4', ...load(2)])).toEqual(apart);
  expect(callsOf([...load(0), ...store(2)])).toEqual(['load 2 of 2', 'store 2 of 2']);
});

test('an access of any alignment is one, a size that only the run tells stays as it is', () => {
  expect(callsOf(['%i = ptrtoint ptr %p to i64', 'call void @__asan_loadN_noabort(i64 %i, i64 32)'])).toEqual([
    'load 32 of 0',
  ]);
  const dynamic = 'call void @__asan_loadN_noabort(i64 %i, i64 %n)';
  expect(withOwnAccesses(dynamic)).toContain(dynamic);
});

test('a constant address is an access too, and every place has a range, past the last the last', () => {
  const line = 'call void @__asan_load4_noabort(i64 ptrtoint (ptr @table to i64))';
  const text = withOwnAccesses(Array.from({ length: 1100 }, () => line).join('\n'));
  expect(text).not.toContain('__asan');
  const places = [...text.matchAll(/@tf_ranges, i64 (\d+)\)/g)].map(([, place]) => Number(place));
  expect(places.slice(0, 3)).toEqual([0, 32, 64]);
  expect(new Set(places).size).toBe(1024);
  expect(Math.max(...places)).toBe(1023 * 32);
});

test('what the runtime keeps of the thread is no access', () => {
  const thread = ['%t = call ptr @tf_current()', ...load(64, '%t')];
  expect(callsOf(thread)).toEqual([]);
  const group = ['%t = call ptr @tf_current()', '%h = getelementptr inbounds i8, ptr %t, i64 40'];
  expect(callsOf([...group, '%s = load ptr, ptr %h, align 8', ...load(8, '%s')])).toEqual([]);
  expect(
    callsOf([...group, '%s = load ptr, ptr %h, align 8', '%d = load ptr, ptr %s, align 8', ...load(8, '%d')]),
  ).toEqual(['load 2 of 2']);
});

test('names become the numbers that the compiler would give', () => {
  const text = [
    'define void @f(ptr %p) {',
    'entry:',
    '  %x = load i32, ptr %p',
    '  br label %end',
    'end:',
    '  ret void',
    '}',
  ];
  const numbered = ['define void @f(ptr %0) {', '  %2 = load i32, ptr %0', '  br label %3', '3:', '  ret void', '}'];
  expect(withNumbers(text.join('\n'))).toBe(numbered.join('\n'));
});
