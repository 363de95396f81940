/**
 * Where an output is far from its want: the worst error of each cell of a grid over the output, as a share of its bound. A map is
 * small whatever the output is, so that a report may hold it.
 */
import type { Shape, Tensor } from '../families/tensor.ts';
import { rowCount, rowLength } from '../families/tensor.ts';
import type { Contract } from '../spec/contract.ts';

/** Cells along a side. */
export const SIDE = 32;

export interface ErrorMap {
  readonly output: string;
  /** Elements: all dimensions but the last, and the last. */
  readonly rows: number;
  readonly columns: number;
  /** Elements of a cell along each; cells end where tiles end. */
  readonly cell: readonly [rows: number, columns: number];
  /** Elements of a tile along each, where the contract states one. */
  readonly tile: readonly [rows: number | null, columns: number | null];
  /** A text for each row of cells, a character for each cell: see `levelOf`. */
  readonly cells: readonly string[];
}

/** Not one element of the cell was judged. */
export const UNJUDGED = '-';
export const LEVELS = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
/** Levels from 0 to the bound. */
export const WITHIN = 50;

/**
 * A share as one of 62 characters. Level 0 is no error, level n up to 50 a share of n/50 at most; past the bound levels are powers
 * of two, 51 to 60 up to 2 to 1,024 bounds, and 61 is all that is more or no number.
 */
export function levelOf(share: number): string {
  const within = Math.ceil(share * WITHIN);
  const past = WITHIN + Math.max(1, Math.ceil(Math.log2(share)));
  const level = share <= 1 ? within : past < LEVELS.length ? past : LEVELS.length - 1;
  return LEVELS[level] ?? UNJUDGED;
}

/** Gathers the errors of an output's elements, in any order. */
export class ErrorGrid {
  private readonly rows: number;
  private readonly columns: number;
  private readonly cell: readonly [number, number];
  private readonly tile: ErrorMap['tile'];
  private readonly worst: Float64Array;
  private readonly across: number;
  private readonly cellOfColumn: Uint8Array;
  /** The row that was taken last: its first element, and the first of its cells. */
  private from = 0;
  private start = 0;

  constructor(
    private readonly output: string,
    tensor: Tensor,
    shape: Shape,
    dims: Contract['dims'],
  ) {
    const [first, last] = tensor.dims.length === 2 ? tensor.dims : [undefined, tensor.dims.at(-1)];
    const tileOf = (dim: string | undefined): number | null => dims[dim ?? '']?.tile ?? null;
    this.rows = rowCount(tensor, shape);
    this.columns = rowLength(tensor, shape);
    this.tile = [tileOf(first), tensor.group === undefined ? tileOf(last) : null];
    this.cell = [cellOf(this.rows, this.tile[0]), cellOf(this.columns, this.tile[1])];
    this.across = Math.ceil(this.columns / this.cell[1]);
    this.cellOfColumn = Uint8Array.from({ length: this.columns }, (_, i) => Math.floor(i / this.cell[1]));
    this.worst = new Float64Array(this.across * Math.ceil(this.rows / this.cell[0])).fill(-1);
  }

  /** @param share An error as a share of its bound; past 1 where the element is wrong, and Infinity where it is no number. */
  take(index: number, share: number): void {
    if (index < this.from || index >= this.from + this.columns) this.turn(index);
    const at = this.start + (this.cellOfColumn[index - this.from] ?? 0);
    if (share > (this.worst[at] ?? Infinity)) this.worst[at] = share;
  }

  /** Elements come in their order for the most part, so that what is known of a row serves all of it. */
  private turn(index: number): void {
    const row = Math.floor(index / this.columns);
    this.from = row * this.columns;
    this.start = Math.floor(row / this.cell[0]) * this.across;
  }

  /** Whether any element was taken. */
  get isSeen(): boolean {
    return this.worst.some((share) => share >= 0);
  }

  map(): ErrorMap {
    const { output, rows, columns, cell, tile, across } = this;
    const levels = [...this.worst].map((share) => (share < 0 ? UNJUDGED : levelOf(share))).join('');
    const cells = Array.from({ length: levels.length / across }, (_, i) => levels.slice(i * across, (i + 1) * across));
    return { output, rows, columns, cell, tile, cells };
  }
}

/** The fewest elements that leave at most SIDE cells, so that a tile is a whole number of cells, or a cell of tiles. */
function cellOf(size: number, tile: number | null): number {
  const least = Math.max(1, Math.ceil(size / SIDE));
  if (tile === null || tile < 1) return least;
  if (least > tile) return Math.ceil(least / tile) * tile;
  let cell = least;
  while (tile % cell !== 0) cell++;
  return cell;
}
