/**
 * A formula read as the range that fp32 evaluation may reach. Inputs are exact. Each fp32 step widens its interval by its own
 * rounding; a sum of depth d over terms t gives [Σlo - γ(d)·Σ|t|, Σhi + γ(d)·Σ|t|]; a rounding point rounds both ends.
 */
import { round } from '../../numerics/codec.ts';
import { U32, gamma } from '../../numerics/bound.ts';
import type { DType } from '../../numerics/dtype.ts';
import { formatOf } from '../../numerics/dtype.ts';
import type { Limit } from '../libraries/limit.ts';
import type { MapName } from './functions.ts';
import { MAPS } from './functions.ts';
import type { Graph, Node } from './graph.ts';
import type { RowBinding } from './value.ts';
import { UNARY, extreme, plainSum } from './value.ts';

/** What a kernel's arithmetic may do. */
export interface Arithmetic {
  /** Roundings on the longest chain of a sum. */
  readonly depth: number;
  /** The largest error of a map's fp32 function. */
  readonly error: (op: MapName) => Limit;
  /** Subnormals may become zero. */
  readonly flush: boolean;
  /** Sums of integers below 2^24 are exact in fp32 in any order: gate 4's claim. Other sums keep their depth. */
  readonly exactIntegerSums?: boolean;
}

/** Both ends of every node, [lo, hi], a row at a time. */
export interface Ends {
  readonly lo: Float64Array;
  readonly hi: Float64Array;
}

/** Float64's own rounding in a sum of n terms, as a share of their magnitude. */
const U64 = 2 ** -53;
/** fp32's gradual underflow rounds to a multiple of 2^-149; a flushing device loses everything below 2^-126. */
const LEAST_STEP = 2 ** -150;
const LEAST_NORMAL = 2 ** -126;
/** Half an ulp past fp32's largest finite value: from here on a result rounds to an infinity. */
const OVERFLOW = (2 - 2 ** -24) * 2 ** 127;
/** exp of more is near fp32's largest value: ln(2^127). */
const LARGEST_EXPONENT = 88;
/** exp of less is below half of fp32's least subnormal by many binades. */
const NO_EXPONENTIAL = -1000;
/** Integers whose magnitudes sum to less are exact in fp32 whatever the order. */
const EXACT_LIMIT = 2 ** 24;

/** Prepares the ranges of rows of `width` elements; the buffers are reused for every row. */
export function rangeReader(graph: Graph, width: number): (row: RowBinding, arithmetic: Arithmetic) => readonly Ends[] {
  const ends = graph.nodes.map((node) => emptyEnds(node.rank === 'element' ? width : 1));
  return (row, arithmetic) => {
    for (const node of graph.nodes) {
      evaluate(node, graph, row, ends, arithmetic);
      if (arithmetic.flush) flushEnds(node.kind === 'point' ? node.type : 'f32', at(ends, node.id));
    }
    return ends;
  };
}

function emptyEnds(length: number): Ends {
  return { lo: new Float64Array(length), hi: new Float64Array(length) };
}

function evaluate(node: Node, graph: Graph, row: RowBinding, all: readonly Ends[], arithmetic: Arithmetic): void {
  const out = at(all, node.id);
  switch (node.kind) {
    case 'input': {
      const range = row.ranges?.[node.name];
      out.lo.set(range?.lo ?? row.inputs[node.name] ?? []);
      return out.hi.set(range?.hi ?? row.inputs[node.name] ?? []);
    }
    case 'size':
      return both(out, [row.sizes[node.name] ?? Number.NaN]);
    case 'scalar':
      return both(out, [row.scalars[node.name] ?? Number.NaN]);
    case 'constant':
      both(out, [node.value]);
      return widen(out, ROUNDED, arithmetic.flush);
    case 'point':
      return roundEnds(node.type, at(all, node.arg), out);
    case 'reduce':
      return reduce(node, at(all, node.arg), out, arithmetic);
    case 'map':
      return map(node, graph, all, out, arithmetic);
  }
}

function at(all: readonly Ends[], id: number): Ends {
  const ends = all[id];
  if (!ends) throw new Error(`formula node ${id} does not exist`);
  return ends;
}

/** What flushing may do to values of a type: those below its least normal may be 0, of either sign. */
export function flushEnds(type: DType, ends: Ends): void {
  const least = 2 ** formatOf(type).minExponent;
  for (let i = 0; i < ends.lo.length; i++) {
    const lo = ends.lo[i] as number;
    const hi = ends.hi[i] as number;
    if (lo >= 0 && lo < least) ends.lo[i] = -0;
    if (hi <= 0 && hi > -least) ends.hi[i] = 0;
  }
}

function both(out: Ends, values: ArrayLike<number>): void {
  out.lo.set(values);
  out.hi.set(values);
}

function roundEnds(type: 'bf16' | 'f16' | 'f32', arg: Ends, out: Ends): void {
  for (let i = 0; i < out.lo.length; i++) {
    out.lo[i] = round(type, arg.lo[i] as number);
    out.hi[i] = round(type, arg.hi[i] as number);
  }
}

// --- reductions

interface TermSums {
  readonly lo: number;
  readonly hi: number;
  /** The most that rounding moves the sum, absolute. */
  readonly error: number;
}

function termSums(terms: Ends, arithmetic: Arithmetic): TermSums {
  let magnitude = 0;
  let integers = arithmetic.exactIntegerSums === true;
  for (let i = 0; i < terms.lo.length; i++) {
    const lo = terms.lo[i] as number;
    const hi = terms.hi[i] as number;
    magnitude += Math.max(Math.abs(lo), Math.abs(hi));
    if (integers && !(lo === hi && Number.isInteger(lo))) integers = false;
  }
  const exact = integers && magnitude < EXACT_LIMIT;
  const share = exact ? 0 : gamma(arithmetic.depth) + terms.lo.length * U64;
  const flushed = arithmetic.flush ? terms.lo.length * LEAST_NORMAL : 0;
  return { lo: plainSum(terms.lo), hi: plainSum(terms.hi), error: share * magnitude + flushed };
}

function reduce(node: Node & { kind: 'reduce' }, terms: Ends, out: Ends, arithmetic: Arithmetic): void {
  if (node.op === 'max' || node.op === 'min') {
    out.lo[0] = extreme(node.op, terms.lo);
    out.hi[0] = extreme(node.op, terms.hi);
    if (arithmetic.flush) anySubnormal(out, terms);
    return eitherZero(out);
  }
  const sums = termSums(terms, arithmetic);
  out.lo[0] = sums.lo - sums.error;
  out.hi[0] = sums.hi + sums.error;
  eitherZero(out);
  overflow(out);
  if (node.op !== 'mean') return;
  out.lo[0] /= terms.lo.length;
  out.hi[0] /= terms.lo.length;
  widen(out, arithmetic.error('div'), arithmetic.flush);
}

/** A zero of either sign: of two zeros max and min may give either, and a sum may start at its first term or at 0. */
function eitherZero(out: Ends): void {
  for (let i = 0; i < out.lo.length; i++) {
    if (out.lo[i] === 0) out.lo[i] = -0;
    if (out.hi[i] === 0) out.hi[i] = 0;
  }
}

/** Maps that compare and return an operand, or 0. */
const COMPARES: ReadonlySet<MapName> = new Set<MapName>(['max', 'min', 'relu']);

/**
 * Where subnormals are read as 0 they compare equal, so of several the one that is returned may be any, and it keeps its bits:
 * an end among them widens to all of them. Operands of one row are compared with each other, others elementwise.
 */
function anySubnormal(out: Ends, ...operands: readonly Ends[]): void {
  for (const { lo, hi } of operands) {
    for (let i = 0; i < Math.max(lo.length, out.lo.length); i++) {
      const [low, high] = [lo[i % lo.length] as number, hi[i % lo.length] as number];
      if (!(low < LEAST_NORMAL && high > -LEAST_NORMAL)) continue;
      const at = i % out.lo.length;
      if (Math.abs(out.lo[at] as number) < LEAST_NORMAL)
        out.lo[at] = Math.min(out.lo[at] as number, Math.max(low, -LEAST_NORMAL));
      if (Math.abs(out.hi[at] as number) < LEAST_NORMAL)
        out.hi[at] = Math.max(out.hi[at] as number, Math.min(high, LEAST_NORMAL));
    }
  }
}

// --- elementwise steps

const ROUNDED: Limit = { ulps: 0.5 };

/**
 * One rounding of `ulps` ulps: an ulp of fp32 is at most 2u of the value. A correctly rounded step whose exact result fp32
 * holds adds nothing. A limit that varies with the operand is taken at the operand's own ends.
 */
function widen(out: Ends, limit: Limit, flush: boolean, operand?: Ends): void {
  const varies = operand !== undefined && (limit.slope !== undefined || limit.absolute !== undefined);
  for (let i = 0; i < out.lo.length; i++) {
    const lo = out.lo[i] as number;
    const hi = out.hi[i] as number;
    const ulps = varies ? limit.ulps + moreUlps(limit, operand, i) : limit.ulps;
    if (ulps <= 0.5 && lo === hi && Math.fround(lo) === lo && !varies) continue;
    const relative = 2 * ulps * U32 * (1 + U32);
    const least = flush ? LEAST_NORMAL : Math.max(1, 2 * ulps) * LEAST_STEP;
    const absolute = varies ? Math.max(least, absoluteError(limit, operand, i)) : least;
    if (Number.isFinite(lo)) out.lo[i] = lo - relative * Math.abs(lo) - absolute;
    if (Number.isFinite(hi)) out.hi[i] = hi + relative * Math.abs(hi) + absolute;
  }
}

function moreUlps({ slope = 0 }: Limit, { lo, hi }: Ends, i: number): number {
  const at = i % lo.length;
  const size = Math.max(Math.abs(lo[at] as number), Math.abs(hi[at] as number));
  return slope > 0 && size < Infinity ? Math.floor(slope * size) : 0;
}

function absoluteError({ absolute }: Limit, { lo, hi }: Ends, i: number): number {
  const at = i % lo.length;
  if (!absolute || (hi[at] as number) < absolute.from || (lo[at] as number) > absolute.to) return 0;
  return absolute.error;
}

function map(
  node: Node & { kind: 'map' },
  graph: Graph,
  all: readonly Ends[],
  out: Ends,
  arithmetic: Arithmetic,
): void {
  const a = at(all, node.args[0] ?? 0);
  const b = at(all, node.args[1] ?? node.args[0] ?? 0);
  const shared = sharedSum(node, graph);
  if (shared !== undefined && nonNegative(at(all, shared))) {
    return quotientOfShared(at(all, shared), out, arithmetic, node.op === 'mul');
  }
  if (node.op === 'mul' && node.args[0] === node.args[1]) square(a, out);
  else if (isBinary(node.op)) binary(node.op, a, b, out);
  else unary(node.op, a, out);
  if (node.significand > 24) widen(out, arithmetic.error(node.op), arithmetic.flush, a);
  if (node.op === 'exp') exactExponentials(a, out);
  if (COMPARES.has(node.op)) {
    if (arithmetic.flush) anySubnormal(out, a, b);
    eitherZero(out);
  }
  if (node.op === 'sigmoid') overflowedSigmoids(a, out);
  overflow(out);
}

/** An end past fp32's largest value is an infinity, and both may be. */
function overflow(out: Ends): void {
  for (let i = 0; i < out.lo.length; i++) {
    const lo = out.lo[i] as number;
    const hi = out.hi[i] as number;
    if (hi >= OVERFLOW) out.hi[i] = Infinity;
    if (lo >= OVERFLOW) out.lo[i] = Infinity;
    if (lo <= -OVERFLOW) out.lo[i] = -Infinity;
    if (hi <= -OVERFLOW) out.hi[i] = -Infinity;
  }
}

/** exp(0) is 1 and exp of what no type can hold is 0 in every dialect's library, whatever its ulps elsewhere. */
function exactExponentials(a: Ends, out: Ends): void {
  for (let i = 0; i < out.lo.length; i++) {
    if (a.lo[i] === 0 && a.hi[i] === 0) out.lo[i] = out.hi[i] = 1;
    else if ((a.hi[i] as number) < NO_EXPONENTIAL) out.lo[i] = out.hi[i] = 0;
  }
}

/** Where fp32's exp(-x) overflows, 1 / (1 + exp(-x)) is 0. */
function overflowedSigmoids(a: Ends, out: Ends): void {
  for (let i = 0; i < out.lo.length; i++) if ((a.lo[i] as number) < -LARGEST_EXPONENT) out.lo[i] = 0;
}

const isBinary = (op: MapName): op is BinaryOp => MAPS[op] === 2;

type BinaryOp = 'add' | 'sub' | 'mul' | 'div' | 'max' | 'min';

/**
 * [a, b] op [c, d], elementwise. Every output of every case passes here, so each operation is its own loop and no index,
 * which masks keep inside, is checked.
 */
function binary(op: BinaryOp, x: Ends, y: Ends, out: Ends): void {
  const p = x.lo.length === 1 ? 0 : -1;
  const q = y.lo.length === 1 ? 0 : -1;
  if (op === 'add') addEnds(x, p, y, q, out);
  else if (op === 'sub') subtractEnds(x, p, y, q, out);
  else if (op === 'mul') multiplyEnds(x, p, y, q, out);
  else if (op === 'div') divideEnds(x, p, y, q, out);
  else {
    const f = op === 'max' ? Math.max : Math.min;
    for (let i = 0; i < out.lo.length; i++) {
      out.lo[i] = f(x.lo[i & p] as number, y.lo[i & q] as number);
      out.hi[i] = f(x.hi[i & p] as number, y.hi[i & q] as number);
    }
  }
}

function addEnds(x: Ends, p: number, y: Ends, q: number, out: Ends): void {
  for (let i = 0; i < out.lo.length; i++) {
    out.lo[i] = (x.lo[i & p] as number) + (y.lo[i & q] as number);
    out.hi[i] = (x.hi[i & p] as number) + (y.hi[i & q] as number);
  }
}

function subtractEnds(x: Ends, p: number, y: Ends, q: number, out: Ends): void {
  for (let i = 0; i < out.lo.length; i++) {
    out.lo[i] = (x.lo[i & p] as number) - (y.hi[i & q] as number);
    out.hi[i] = (x.hi[i & p] as number) - (y.lo[i & q] as number);
  }
}

function multiplyEnds(x: Ends, p: number, y: Ends, q: number, out: Ends): void {
  for (let i = 0; i < out.lo.length; i++) {
    const a = x.lo[i & p] as number;
    const b = x.hi[i & p] as number;
    const c = y.lo[i & q] as number;
    const d = y.hi[i & q] as number;
    out.lo[i] = Math.min(Math.min(a * c, a * d), Math.min(b * c, b * d));
    out.hi[i] = Math.max(Math.max(a * c, a * d), Math.max(b * c, b * d));
  }
}

/** A divisor that holds 0 between its ends gives no bound at all. */
function divideEnds(x: Ends, p: number, y: Ends, q: number, out: Ends): void {
  for (let i = 0; i < out.lo.length; i++) {
    const a = x.lo[i & p] as number;
    const b = x.hi[i & p] as number;
    const c = y.lo[i & q] as number;
    const d = y.hi[i & q] as number;
    const open = c <= 0 && d >= 0 && c !== d;
    out.lo[i] = open ? -Infinity : Math.min(Math.min(a / c, a / d), Math.min(b / c, b / d));
    out.hi[i] = open ? Infinity : Math.max(Math.max(a / c, a / d), Math.max(b / c, b / d));
  }
}

function square(a: Ends, out: Ends): void {
  for (let i = 0; i < out.lo.length; i++) {
    const lo = a.lo[i] as number;
    const hi = a.hi[i] as number;
    out.lo[i] = lo <= 0 && hi >= 0 ? 0 : Math.min(lo * lo, hi * hi);
    out.hi[i] = Math.max(lo * lo, hi * hi);
  }
}

const FALLING: ReadonlySet<MapName> = new Set<MapName>(['neg', 'rsqrt', 'rcp']);

/** Monotonic functions take their ends from their argument's ends; |x| turns at 0. */
function unary(op: MapName, a: Ends, out: Ends): void {
  const f = UNARY[op];
  if (!f) throw new Error(`${op} has no range`);
  const falls = FALLING.has(op);
  for (let i = 0; i < out.lo.length; i++) {
    const lo = a.lo[i] as number;
    const hi = a.hi[i] as number;
    const turns = op === 'abs' && hi > 0 && lo < 0;
    const reversed = falls || (op === 'abs' && hi <= 0);
    out.lo[i] = turns ? 0 : f(reversed ? hi : lo);
    out.hi[i] = turns ? Math.max(-lo, hi) : f(reversed ? lo : hi);
  }
}

// --- a share of a sum: numerator and denominator have the term in common

/** The node e where this one is e / sum(e) or e * rcp(sum(e)). */
function sharedSum(node: Node & { kind: 'map' }, graph: Graph): number | undefined {
  const [numerator, other] = node.args;
  if (numerator === undefined || other === undefined) return undefined;
  const divisor = graph.nodes[other];
  const inverse = node.op === 'mul' && divisor?.kind === 'map' && divisor.op === 'rcp' ? divisor.args[0] : undefined;
  const sum = graph.nodes[node.op === 'div' ? other : (inverse ?? -1)];
  return sum?.kind === 'reduce' && sum.op === 'sum' && sum.arg === numerator ? numerator : undefined;
}

/** Every term is at least 0, but for what the least rounding step may take from a 0. */
function nonNegative(terms: Ends): boolean {
  for (let i = 0; i < terms.lo.length; i++) if (!((terms.lo[i] as number) >= -2 * LEAST_NORMAL)) return false;
  return true;
}

/**
 * e_i / Σe for terms of one sign: the ends take e_i at one end and the other terms at the other, which independent interval
 * division cannot. The sum's own rounding is relative, since no term cancels.
 */
function quotientOfShared(terms: Ends, out: Ends, arithmetic: Arithmetic, byReciprocal: boolean): void {
  const sums = termSums(terms, arithmetic);
  const magnitude = Math.max(Math.abs(sums.lo), Math.abs(sums.hi));
  const relative = magnitude > 0 ? sums.error / magnitude : 0;
  for (let i = 0; i < out.lo.length; i++) {
    const lo = terms.lo[i] as number;
    const hi = terms.hi[i] as number;
    out.lo[i] = lo / ((lo + Math.max(sums.hi - hi, 0)) * (1 + relative));
    out.hi[i] = hi / ((hi + Math.max(sums.lo - lo, 0)) * (1 - relative));
  }
  widen(out, arithmetic.error('div'), arithmetic.flush);
  if (byReciprocal) widen(out, ROUNDED, arithmetic.flush);
}
