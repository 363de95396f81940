/** The ends of a loop over the threads of a call: what stands before a thread's blocks, and behind them. */
import type { Processor } from '../target.ts';
import { SEVERAL_RUN, THREAD, THREAD_BYTES } from './layout.ts';
import * as n from './names.ts';
import { ENTERED } from './output.ts';
import type { Locals } from './step.ts';

/** Numbers past all that the compiler gives to a module's own groups of attributes and metadata. */
const UNROLL_METADATA = 999990;
/** A loop that is unrolled whole. */
export const UNROLL = `!${UNROLL_METADATA} = distinct !{!${UNROLL_METADATA}, !${UNROLL_METADATA + 1}}\n!${UNROLL_METADATA + 1} = !{!"llvm.loop.unroll.full"}`;

/** The instruction that stores the thread that runs, by the processor. */
export const STORE: Readonly<Record<Processor, string>> = { x64: 'movq $1, $0', arm64: 'str $1, $0' };

/** Attributes of the store that only writes where it points. */
export const KEEP_GROUP = 99991;
export const KEEP_ATTRIBUTES = `attributes #${KEEP_GROUP} = { nounwind willreturn memory(argmem: write) }`;

/** A loop over threads: how its names end, and where it is entered from. */
export interface Form {
  readonly suffix: string;
  /** The label that it is entered from. */
  readonly from: string;
  /** For all lanes of a warp, each of which came. */
  readonly isWarp?: boolean;
  /** The suffix of the loop that this one takes over from. */
  readonly bail?: string;
}

export const indented = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);

/**
 * Always in memory while the thread runs, as a volatile store is; but that would keep the compiler from taking what is the same
 * for all threads out of their loop.
 */
const keepRunning = (isTogether: boolean, store: string): string[] => [
  `%thread.address = ptrtoint ptr ${n.THREAD_VALUE} to i64`,
  `%thread.number = add i64 %thread.address, ${isTogether ? SEVERAL_RUN : 0}`,
  `call void asm sideeffect "${store}", "=*m,r"(ptr nocapture elementtype(ptr) %running, i64 %thread.number) #${KEEP_GROUP}`,
];

export function laneText(
  locals: Locals,
  entry: string,
  /** Where a thread may stop: the instruction that keeps which one runs. */
  store: string | undefined,
  { from, bail }: Form,
  isTogether = false,
): string[] {
  const taken = (value: string): string => (bail === undefined ? '' : `, [ %${value}.${bail}, %bail.${bail} ]`);
  return [
    'lane:',
    ...indented([
      `%i = phi i64 [ 0, %${from} ]${taken('i')}, [ %i.next, %met ]`,
      `%apart = phi i32 [ 0, %${from} ]${taken('apart')}, [ %apart.next, %met ]`,
      `%met.all = phi i32 [ -1, %${from} ]${taken('met.all')}, [ %met.one, %met ]`,
      ...(isTogether ? [ENTERED] : []),
      '%index.wide = add nuw nsw i64 %first.wide, %i',
      '%i.short = trunc i64 %i to i32',
      `${n.LANE_VALUE} = add nuw nsw i32 %lane.first, %i.short`,
      `%thread.offset = mul nuw nsw i64 %i, ${THREAD_BYTES}`,
      `${n.THREAD_VALUE} = getelementptr inbounds i8, ptr %threads, i64 %thread.offset`,
      ...(store === undefined ? [] : keepRunning(isTogether, store)),
      ...locals.lasting,
      `br label %${entry}`,
    ]),
  ];
}

interface Met extends Form {
  /** A thread may come to one of several places. */
  readonly several: boolean;
  /** Threads that come at once. */
  readonly count: number;
}

/** A call's threads go on together where only one place can come next. */
export function metText(arrivals: readonly { id: number; label: string }[], { isWarp, several, count }: Met): string[] {
  const stores = Array.from({ length: several ? count : 0 }, (_, i) => [
    `%met.at.${i} = getelementptr inbounds i8, ptr ${n.THREAD_VALUE}, i64 ${THREAD.at + i * THREAD_BYTES}`,
    `store i32 %met.one, ptr %met.at.${i}`,
  ]);
  return [
    'met:',
    ...indented([
      `%met.one = phi i32 ${arrivals.map(({ id, label }) => `[ ${id}, %${label} ]`).join(', ')}`,
      ...stores.flat(),
      ...(several
        ? [
            '%is.first = icmp eq i64 %i, 0',
            '%met.before = select i1 %is.first, i32 %met.one, i32 %met.all',
            '%differs = xor i32 %met.before, %met.one',
            '%apart.next = or i32 %apart, %differs',
          ]
        : ['%apart.next = or i32 %apart, 0']),
      `%i.next = add nuw nsw i64 %i, ${count}`,
      '%more = icmp ult i64 %i.next, %count.wide',
      `br i1 %more, label %lane, label %last${isWarp ? `, !llvm.loop !${UNROLL_METADATA}` : ''}`,
    ]),
    'last:',
    ...indented([
      '%together = icmp eq i32 %apart.next, 0',
      '%met.signed = sext i32 %met.one to i64',
      '%result = select i1 %together, i64 %met.signed, i64 -1',
      'ret i64 %result',
    ]),
  ];
}
