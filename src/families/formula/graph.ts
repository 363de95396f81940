/**
 * A formula as a graph: each distinct expression is one node, so `e / sum(e)` knows that both sides share e. Every reading of
 * the formula (value, range, replay, class) walks the same nodes in the same order.
 */
import type { DType } from '../../numerics/dtype.ts';
import { formatOf, isFloat } from '../../numerics/dtype.ts';
import type { MapName, PointName, ReductionName } from './functions.ts';
import { MAPS, POINTS, REDUCTIONS } from './functions.ts';
import type { Expression, Statement } from './syntax.ts';
import { FormulaError, parse } from './syntax.ts';

/** `row`: one value a row. `element`: one value for each element of a row. */
export type Rank = 'row' | 'element';

interface Common {
  readonly id: number;
  readonly rank: Rank;
  /** The expression as written, for messages and controls. */
  readonly text: string;
  /** Significand bits that hold the value exactly; more than 24 means that fp32 has to round it. */
  readonly significand: number;
}
export type Node =
  | (Common & { readonly kind: 'input'; readonly name: string })
  | (Common & { readonly kind: 'size'; readonly name: string })
  | (Common & { readonly kind: 'scalar'; readonly name: string })
  | (Common & { readonly kind: 'constant'; readonly value: number })
  | (Common & { readonly kind: 'map'; readonly op: MapName; readonly args: readonly number[] })
  | (Common & { readonly kind: 'point'; readonly type: PointName; readonly arg: number })
  | (Common & { readonly kind: 'reduce'; readonly op: ReductionName; readonly arg: number });

export interface Graph {
  readonly text: string;
  readonly nodes: readonly Node[];
  /** The node of every name that the formula assigns. */
  readonly names: ReadonlyMap<string, number>;
}

/** What a formula's names may refer to. */
export interface Names {
  readonly inputs: Readonly<Record<string, { readonly rank: Rank; readonly dtype: DType; readonly bits?: number }>>;
  readonly sizes: readonly string[];
  readonly scalars: readonly string[];
}

type Draft<T> = T extends Node ? Omit<T, 'id'> : never;
type NodeDraft = Draft<Node>;

/** Parses a formula and resolves its names; throws a FormulaError that names the place. */
export function buildGraph(text: string, names: Names): Graph {
  return new Builder(text, names).build(parse(text));
}

class Builder {
  private readonly nodes: Node[] = [];
  private readonly known = new Map<string, number>();
  private readonly assigned = new Map<string, number>();
  private readonly definitions = new Map<string, Statement>();

  constructor(
    private readonly text: string,
    private readonly names: Names,
  ) {}

  build(statements: readonly Statement[]): Graph {
    for (const statement of statements) {
      this.refuseTakenName(statement);
      if (statement.parameters) this.definitions.set(statement.name, statement);
      else this.assigned.set(statement.name, this.visit(statement.body, new Map()));
    }
    return { text: this.text, nodes: this.nodes, names: this.assigned };
  }

  private refuseTakenName({ name, at }: Statement): void {
    const { inputs, sizes, scalars } = this.names;
    const taken = Object.hasOwn(inputs, name) || sizes.includes(name) || scalars.includes(name);
    if (taken)
      throw new FormulaError(this.text, at, `'${name}' is an input, size or scalar: give the result another name`);
    if (this.assigned.has(name) || this.definitions.has(name) || isFunction(name)) {
      throw new FormulaError(this.text, at, `'${name}' already has a meaning: give it another name`);
    }
  }

  private visit(expression: Expression, local: ReadonlyMap<string, number>): number {
    switch (expression.kind) {
      case 'number':
        return this.add({
          kind: 'constant',
          value: expression.value,
          rank: 'row',
          text: String(expression.value),
          significand: Math.fround(expression.value) === expression.value ? 24 : 53,
        });
      case 'name':
        return local.get(expression.name) ?? this.name(expression);
      case 'call':
        return this.call(expression, local);
    }
  }

  private name({ name, at }: Expression & { kind: 'name' }): number {
    const assigned = this.assigned.get(name);
    if (assigned !== undefined) return assigned;
    const input = this.names.inputs[name];
    if (input) {
      const significand = input.bits ?? (isFloat(input.dtype) ? formatOf(input.dtype).significandBits : 32);
      return this.add({ kind: 'input', name, rank: input.rank, text: name, significand });
    }
    if (this.names.sizes.includes(name))
      return this.add({ kind: 'size', name, rank: 'row', text: name, significand: 24 });
    if (this.names.scalars.includes(name))
      return this.add({ kind: 'scalar', name, rank: 'row', text: name, significand: 24 });
    const all = [
      ...Object.keys(this.names.inputs),
      ...this.names.sizes,
      ...this.names.scalars,
      ...this.assigned.keys(),
    ];
    throw new FormulaError(this.text, at, `'${name}' is not known here. Known: ${all.join(', ')}`);
  }

  private call(expression: Expression & { kind: 'call' }, local: ReadonlyMap<string, number>): number {
    const { name, at } = expression;
    const args = expression.args.map((arg) => this.visit(arg, local));
    const definition = this.definitions.get(name);
    if (definition?.parameters) {
      const parameters = definition.parameters;
      this.checkArity(name, at, args.length, parameters.length);
      return this.visit(definition.body, new Map(parameters.map((parameter, i) => [parameter, args[i] ?? 0])));
    }
    const reduces = (REDUCTIONS as readonly string[]).includes(name) && args.length === 1;
    if (reduces) return this.reduce(name as ReductionName, args[0] ?? 0, at);
    if ((POINTS as readonly string[]).includes(name)) {
      this.checkArity(name, at, args.length, 1);
      return this.point(name as PointName, args[0] ?? 0);
    }
    if (!Object.hasOwn(MAPS, name)) {
      const all = [...Object.keys(MAPS), ...REDUCTIONS, ...POINTS, ...this.definitions.keys()];
      throw new FormulaError(this.text, at, `'${name}' is no function here. Known: ${[...new Set(all)].join(', ')}`);
    }
    this.checkArity(name, at, args.length, MAPS[name as MapName]);
    return this.map(name as MapName, args);
  }

  private checkArity(name: string, at: number, given: number, wanted: number): void {
    if (given === wanted) return;
    throw new FormulaError(this.text, at, `${name} takes ${wanted} argument${wanted === 1 ? '' : 's'}, not ${given}`);
  }

  private reduce(op: ReductionName, arg: number, at: number): number {
    const node = this.node(arg);
    if (node.rank !== 'element') {
      throw new FormulaError(
        this.text,
        at,
        `${op}(${node.text}) reduces over a row, but ${node.text} is one value a row`,
      );
    }
    const significand = op === 'max' || op === 'min' ? node.significand : 53;
    return this.add({ kind: 'reduce', op, arg, rank: 'row', text: `${op}(${node.text})`, significand });
  }

  private point(type: PointName, arg: number): number {
    const { rank, text } = this.node(arg);
    return this.add({
      kind: 'point',
      type,
      arg,
      rank,
      text: `${type}(${text})`,
      significand: formatOf(type).significandBits,
    });
  }

  private map(op: MapName, args: readonly number[]): number {
    const nodes = args.map((arg) => this.node(arg));
    const rank = nodes.some((node) => node.rank === 'element') ? 'element' : 'row';
    return this.add({ kind: 'map', op, args, rank, text: mapText(op, nodes), significand: significandOf(op, nodes) });
  }

  private node(id: number): Node {
    const node = this.nodes[id];
    if (!node) throw new Error(`formula node ${id} does not exist`);
    return node;
  }

  private add(draft: NodeDraft): number {
    const known = this.known.get(draft.text);
    if (known !== undefined) return known;
    const id = this.nodes.length;
    this.nodes.push({ ...draft, id });
    this.known.set(draft.text, id);
    return id;
  }
}

function isFunction(name: string): boolean {
  return Object.hasOwn(MAPS, name) || [...REDUCTIONS, ...POINTS].some((known) => known === name);
}

const SIGNS: Readonly<Partial<Record<MapName, string>>> = { add: '+', sub: '-', mul: '*', div: '/' };

function mapText(op: MapName, args: readonly Node[]): string {
  const sign = SIGNS[op];
  if (!sign) return `${op}(${args.map((arg) => arg.text).join(', ')})`;
  return args.map((arg) => (arg.kind === 'map' && SIGNS[arg.op] ? `(${arg.text})` : arg.text)).join(` ${sign} `);
}

/** A product of short significands is exact in fp32 (bf16 · bf16 has 16 bits); sums are taken as never exact. */
function significandOf(op: MapName, args: readonly Node[]): number {
  const bits = args.map((arg) => arg.significand);
  if (op === 'mul') return bits.reduce((a, b) => a + b, 0);
  return op === 'neg' || op === 'abs' || op === 'max' || op === 'min' || op === 'relu' ? Math.max(...bits) : 53;
}

type PointNode = Extract<Node, { kind: 'point' }>;

/** Rounding points that an output depends on: each of them changes bits when it is dropped. */
export function interiorPoints(graph: Graph, outputs: readonly string[]): PointNode[] {
  const reached = new Set(outputs.flatMap((name) => [...ancestors(graph, graph.names.get(name) ?? -1)]));
  return graph.nodes.filter((node): node is PointNode => node.kind === 'point' && reached.has(node.id));
}

/** A node and everything that it is made from. */
export function ancestors(graph: Graph, root: number): Set<number> {
  const seen = new Set<number>();
  const visit = (id: number): void => {
    const node = graph.nodes[id];
    if (!node || seen.has(id)) return;
    seen.add(id);
    if (node.kind === 'map') node.args.forEach(visit);
    if (node.kind === 'point' || node.kind === 'reduce') visit(node.arg);
  };
  visit(root);
  return seen;
}

/** The name that the formula gives a node, or its text. */
export function nameOf(graph: Graph, node: Node): string {
  return [...graph.names].find(([, id]) => id === node.id)?.[0] ?? node.text;
}

/** The same graph without one rounding point: the claim that a formula control makes. */
export function withoutPoint(graph: Graph, pointId: number): Graph {
  const point = graph.nodes[pointId];
  if (point?.kind !== 'point') throw new Error(`formula node ${pointId} is no rounding point`);
  const redirect = (id: number): number => (id === pointId ? point.arg : id);
  const nodes = graph.nodes.map((node): Node => {
    if (node.kind === 'map') return { ...node, args: node.args.map(redirect) };
    return node.kind === 'point' || node.kind === 'reduce' ? { ...node, arg: redirect(node.arg) } : node;
  });
  return {
    text: `${graph.text} without ${point.text}`,
    nodes: withSignificands(nodes),
    names: new Map([...graph.names].map(([name, id]) => [name, redirect(id)])),
  };
}

/** Significands follow their arguments: recompute them in order after an edit. */
function withSignificands(nodes: readonly Node[]): Node[] {
  const out: Node[] = [];
  for (const node of nodes) {
    const args = node.kind === 'map' ? node.args.map((id) => out[id]).filter((arg) => arg !== undefined) : [];
    out.push(node.kind === 'map' ? { ...node, significand: significandOf(node.op, args) } : node);
  }
  return out;
}
