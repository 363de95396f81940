/**
 * The order of a sum, found by asking. A sum of n terms by two-term additions is a binary tree whose leaves are the terms. Of
 * three terms two meet before the third joins them, and what a sum gives for planted magnitudes tells which; from such answers
 * the whole tree follows. After FPRev (Xie et al., "FPRev: Revealing the order of floating-point summation"), whose answers
 * count the terms below a meeting: an answer of one bit also serves sums of squares, and outputs that hold no count.
 */

/** Leaves are 0 to `leaves - 1`; join t has the number `leaves + t` and adds two earlier ones. The last join is the sum. */
export interface SumTree {
  readonly leaves: number;
  readonly joins: readonly (readonly [number, number])[];
}

/** Do terms `a` and `b` meet before `c` joins either? */
export interface Triple {
  readonly a: number;
  readonly b: number;
  readonly c: number;
}

/** Asks in batches, and is sent an answer for each question. */
export type Asking<T> = Generator<readonly Triple[], T, readonly boolean[]>;

/** The most additions on a term's way to the sum. */
export function longestChain({ leaves, joins }: SumTree): number {
  const heights = new Int32Array(leaves + joins.length);
  joins.forEach(([a, b], t) => {
    heights[leaves + t] = 1 + Math.max(heights[a] ?? 0, heights[b] ?? 0);
  });
  return heights.at(-1) ?? 0;
}

/**
 * The tree of a sum of `leaves` terms, or undefined where the answers are those of no binary tree: a sum that adds several terms
 * at once, or holds more bits than the planted magnitudes span. Trees of `hints` are tried first. Whatever is returned was
 * confirmed whole: each inner join by a triple that it alone explains, and by its opposite.
 */
export function* findTree(leaves: number, hints: readonly SumTree[] = []): Asking<SumTree | undefined> {
  const all = Int32Array.from({ length: leaves }, (_, i) => i);
  for (const hint of hints) if (hint.leaves === leaves && (yield* confirm(hint, all))) return hint;
  const found = yield* solve(all, new Map());
  return (yield* confirm(found, all)) ? found : undefined;
}

// --- confirming

/** Triples of a tree that are asked first and in both orders: a wrong hint, or what is no tree, fails them with near certainty. */
const FIRST = 64;

/**
 * Whether the terms `set` are summed in the order of `tree`. A triple for each inner join defines a binary tree: of the two
 * sides of any join each is connected by the triples inside it, so no other tree has them all.
 */
function* confirm(tree: SumTree, set: Int32Array): Asking<boolean> {
  const triples = triplesOf(tree, set);
  const stride = Math.max(1, Math.ceil(triples.length / FIRST));
  const first = triples.filter((_, i) => i % stride === 0);
  const opposites = first.map(({ a, b, c }) => ({ a, b: c, c: b }));
  if (first.length > 0) {
    const answers = yield [...first, ...opposites];
    if (!answers.every((answer, i) => answer === i < first.length)) return false;
  }
  const rest = triples.filter((_, i) => i % stride !== 0);
  return rest.length === 0 || (yield rest).every((answer) => answer);
}

/** For each join but the last: a term of either side, `a` and `b`, and one of what their sum meets next. */
export const meetingsOf = (tree: SumTree): Triple[] =>
  triplesOf(
    tree,
    Int32Array.from({ length: tree.leaves }, (_, i) => i),
  );

/** For each join but the last: a leaf of either side, and one of what it meets next. */
function triplesOf({ leaves, joins }: SumTree, set: Int32Array): Triple[] {
  const first = Int32Array.from({ length: leaves + joins.length }, (_, i) => i);
  const meets = new Int32Array(leaves + joins.length).fill(-1);
  joins.forEach(([a, b], t) => {
    first[leaves + t] = first[a] ?? 0;
    meets[a] = b;
    meets[b] = a;
  });
  const leaf = (id: number | undefined): number => set[first[id ?? 0] ?? 0] ?? 0;
  return joins.slice(0, -1).map(([a, b], t) => ({ a: leaf(a), b: leaf(b), c: leaf(meets[leaves + t]) }));
}

// --- finding

/** What parts of a size were found to be: threads and warps are alike, so the first one's tree is the others' best guess. */
type Shapes = Map<number, SumTree | 'being found'>;

/** The tree of the terms `set`, in positions of `set`; a guess where answers do not fit together. */
function* solve(set: Int32Array, shapes: Shapes): Asking<SumTree> {
  const size = set.length;
  if (size <= 2) return { leaves: size, joins: size === 2 ? [[0, 1]] : [] };
  while (shapes.get(size) === 'being found') yield [];
  const known = shapes.get(size);
  if (typeof known === 'object' && (yield* confirm(known, set))) return known;
  if (known === undefined) {
    shapes.set(size, 'being found');
    const chain = chainOf(size);
    if (yield* confirm(chain, set)) return (shapes.set(size, chain), chain);
  }
  const rest = set.subarray(1);
  const classes = yield* classesBy(set[0] ?? 0, rest);
  const parts = yield* together(classes.map((part) => solve(part, shapes)));
  const tree = joined(set, classes, parts);
  shapes.set(size, tree);
  return tree;
}

/** One term after the other: the commonest order, and the one that would take the most questions to find. */
function chainOf(leaves: number): SumTree {
  return {
    leaves,
    joins: Array.from({ length: leaves - 1 }, (_, t) => [t === 0 ? 0 : leaves + t - 1, t + 1] as const),
  };
}

/** The first term meets each class's sum in turn. */
function joined(set: Int32Array, classes: readonly Int32Array[], parts: readonly SumTree[]): SumTree {
  const place = new Map([...set].map((term, i) => [term, i]));
  const joins: [number, number][] = [];
  let sum = 0;
  classes.forEach((terms, k) => {
    const part = parts[k] ?? { leaves: 1, joins: [] };
    const from = set.length + joins.length - part.leaves;
    const id = (own: number): number => (own < part.leaves ? (place.get(terms[own] ?? 0) ?? 0) : from + own);
    for (const [a, b] of part.joins) joins.push([id(a), id(b)]);
    const whole = id(part.leaves + part.joins.length - 1);
    joins.push([sum, whole]);
    sum = set.length + joins.length - 1;
  });
  return { leaves: set.length, joins };
}

/** Terms that are sorted before others are put beside them. */
const SAMPLE = 64;

/**
 * Terms in classes, by the join at which the term `from` meets them, the nearest first. Neighbours mostly share a class, so of
 * many terms a sample is sorted, and the others are asked whether they are in a neighbour's; what is in none is sorted with it.
 */
function* classesBy(from: number, terms: Int32Array): Asking<Int32Array[]> {
  const stride = Math.ceil(terms.length / SAMPLE);
  const sample = terms.filter((_, i) => i % stride === 0);
  const sampled = yield* sortBy(from, sample);
  if (stride === 1 || 2 * sampled.length > sample.length) return yield* sortBy(from, terms);
  const members = sampled.map((part) => [...part]);
  const ranks = new Map(members.flatMap((part, rank) => part.map((term) => [term, rank] as const)));
  let open = [...terms].map((term, i) => ({ term, at: Math.floor(i / stride) })).filter(({ term }) => !ranks.has(term));
  for (const side of [0, 1]) {
    const guesses = open.map(({ at }) => ranks.get(sample[Math.min(at + side, sample.length - 1)] ?? 0) ?? 0);
    const isIn = yield open.map(({ term }, i) => ({ a: term, b: sampled[guesses[i] ?? 0]?.[0] ?? 0, c: from }));
    open.forEach(({ term }, i) => isIn[i] === true && members[guesses[i] ?? 0]?.push(term));
    open = open.filter((_, i) => isIn[i] !== true);
  }
  const chosen = new Map(members.map((part) => [part[0] ?? 0, part]));
  const mixed = yield* sortBy(from, Int32Array.from([...open.map(({ term }) => term), ...chosen.keys()]).sort());
  return mixed.map((part) => Int32Array.from([...part].flatMap((term) => chosen.get(term) ?? [term])).sort());
}

/** The same by questions about every term. */
function* sortBy(from: number, terms: Int32Array): Asking<Int32Array[]> {
  if (terms.length <= 1) return [terms];
  const pivot = terms[terms.length >> 1] ?? 0;
  const others = terms.filter((term) => term !== pivot);
  const isSame = yield [...others].map((term) => ({ a: term, b: pivot, c: from }));
  const apart = others.filter((_, i) => isSame[i] !== true);
  const isNearer = yield [...apart].map((term) => ({ a: from, b: term, c: pivot }));
  const same = Int32Array.from([pivot, ...others.filter((_, i) => isSame[i] === true)]).sort();
  const [nearer = [], farther = []] = yield* together(
    [true, false].map((side) =>
      sortBy(
        from,
        apart.filter((_, i) => (isNearer[i] === true) === side),
      ),
    ),
  );
  return [...nearer, same, ...farther].filter((part) => part.length > 0);
}

/** Runs several searches side by side: the questions of all are one batch. */
function* together<T>(searches: readonly Asking<T>[]): Asking<T[]> {
  const states = searches.map((search) => ({ search, step: search.next() }));
  for (;;) {
    const waiting = states.filter(({ step }) => step.done !== true);
    if (waiting.length === 0) return states.map(({ step }) => step.value as T);
    const batches = waiting.map(({ step }) => step.value as readonly Triple[]);
    const answers = yield batches.flat();
    let at = 0;
    waiting.forEach((state, i) => {
      const { length } = batches[i] ?? [];
      state.step = state.search.next(answers.slice(at, at + length));
      at += length;
    });
  }
}
