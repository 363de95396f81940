/** Faults of order and of what threads tell each other: barriers, shuffles, partials, atomics. */
import type { Span } from '../../device/toolchain/lower/unit.ts';
import { isName, textAt } from '../../device/toolchain/lower/unit.ts';
import type { Dialect } from '../../families/formula/functions.ts';
import type { Kernel } from '../../spec/registration.ts';
import type { Call, Code } from '../code.ts';
import { bodyTokens, calls, functionAround, indices, statementAround, textOf } from '../code.ts';
import type { Site, SourceRule } from '../rule.ts';
import { loops, mentions, site } from '../sites.ts';
import { BARRIER, KEEPS_PARTIAL, LOCAL, SHUFFLES, WARP_SUM } from '../words.ts';

const hasLocal = (code: Code): boolean =>
  bodyTokens(code).some((i) => LOCAL[code.dialect].includes(textAt(code.unit, i)));

const barrierDropped: SourceRule = {
  name: 'barrier-dropped',
  stands: 'a barrier is left out',
  applies: (_kernel, _dialect, code) => hasLocal(code),
  sites: ({ code, dialect }) =>
    calls(code, (name) => name === BARRIER[dialect]).map(({ name, close }) =>
      site(code.unit, { first: name, last: close }, '(void)0'),
    ),
};

/** Whether a kernel reduces over lanes: its formula has a sum, a mean or a maximum, or its rule picks among threads. */
const reduces = ({ contract }: Kernel, code: Code): boolean =>
  contract.formula.family === 'rule' ? hasLocal(code) : /\b(sum|mean|max|min)\(/.test(contract.formula.text);

const laneLost: SourceRule = {
  name: 'lane-lost',
  stands: 'a step of a shuffle tree is left out, or a lane of a warp’s sum',
  applies: (kernel, _dialect, code) => reduces(kernel, code),
  sites: ({ code, dialect }) => [...treeSites(code), ...warpSumSites(code, dialect)],
};

/** The last and the first step of every loop that shuffles. */
function treeSites(code: Code): Site[] {
  const { unit } = code;
  return loops(code).flatMap(({ start, bound, step }) => {
    const body = { first: step.last + 2, last: bodyEnd(code, step.last + 2) };
    if (!SHUFFLES[code.dialect].some((shuffle) => mentions(unit, body, shuffle))) return [];
    return [site(unit, bound, '1'), site(unit, start, `${textOf(unit, start)} / 2`)];
  });
}

const bodyEnd = ({ unit }: Code, first: number): number =>
  textAt(unit, first) === '{' ? (unit.pairs[first] ?? first) : statementAround(unit, first).last;

function warpSumSites(code: Code, dialect: Dialect): Site[] {
  const words = WARP_SUM[dialect];
  if (!words) return [];
  return calls(code, (name) => name === words.sum).flatMap(({ name, close, args: [value] }) => {
    const whole = { first: name, last: close };
    const own = textOf(code.unit, value ?? whole);
    return value ? [site(code.unit, whole, `(${textOf(code.unit, whole)} - ${words.of}(${own}, 31))`)] : [];
  });
}

/** A loop from 1 over the warps' partials, the first of which is taken before it. */
const partialLost: SourceRule = {
  name: 'partial-lost',
  stands: 'the partial of the last warp is left out',
  applies: (kernel, _dialect, code) =>
    reduces(kernel, code) && hasLocal(code) && kernel.contract.formula.family !== 'dense',
  sites: ({ code }) =>
    loops(code)
      .filter(({ start }) => textAt(code.unit, start.last) === '1')
      .map(({ bound }) => site(code.unit, bound, `${textOf(code.unit, bound)} - 1`)),
};

/** Partials in the order in which warps come: a ticket from an atomic counter is a warp's place. */
const orderByAtomics: SourceRule = {
  name: 'order-by-atomics',
  stands: 'partials are summed in the order in which an atomic counter hands out places',
  applies: (kernel, _dialect, code) => ownSums(code).length > 0 && kernel.contract.accumulator === 'f32',
  sites: ({ code, dialect }) =>
    ownSums(code).flatMap(({ name, close, args }) => {
      const [partials = EMPTY, value = EMPTY] = args;
      const text = TICKET[dialect](textOf(code.unit, partials), textOf(code.unit, value));
      return [site(code.unit, { first: name, last: close + 1 }, text)];
    }),
};

const EMPTY: Span = { first: 0, last: -1 };

/** Statements that keep a warp's sum, where local memory may be declared. */
function ownSums(code: Code): Call[] {
  const { unit, dialect } = code;
  return calls(code, (name) => name === KEEPS_PARTIAL).filter(({ name, args }) => {
    const around = functionAround(code, name);
    const declares = around && indices(around.body).some((i) => LOCAL[dialect].includes(textAt(unit, i)));
    const [, value] = args;
    return (
      declares &&
      value !== undefined &&
      indices(value).some((i) => isName(unit, i) && /sum$|_add$/.test(textAt(unit, i)))
    );
  });
}

const TICKET: Readonly<Record<Dialect, (partials: string, value: string) => string>> = {
  cuda: (partials, value) => cudaTicket(partials, value),
  hip: (partials, value) => cudaTicket(partials, value),
  metal: (partials, value) =>
    'threadgroup atomic_uint tf_ticket; if (lane == 0 && simd == 0) atomic_store_explicit(&tf_ticket, 0u, memory_order_relaxed); ' +
    `threadgroup_barrier(mem_flags::mem_threadgroup); { const float tf_value = ${value}; ` +
    `if (lane == 0) ${partials}[atomic_fetch_add_explicit(&tf_ticket, 1u, memory_order_relaxed)] = tf_value; }`,
  xpu: (partials, value) =>
    'local uint tf_ticket; if (get_local_id(0) == 0) tf_ticket = 0; barrier(CLK_LOCAL_MEM_FENCE); ' +
    `{ const float tf_value = ${value}; if (get_sub_group_local_id() == 0) ${partials}[atomic_inc(&tf_ticket)] = tf_value; }`,
};

const cudaTicket = (partials: string, value: string): string =>
  '__shared__ unsigned tf_ticket; if (threadIdx.x == 0) tf_ticket = 0; __syncthreads(); ' +
  `{ const float tf_value = ${value}; if (threadIdx.x % LANES == 0) ${partials}[atomicAdd(&tf_ticket, 1u)] = tf_value; }`;

export const ORDER: readonly SourceRule[] = [barrierDropped, laneLost, partialLost, orderByAtomics];
