/**
 * A construct that the host device cannot run is an error with a place, never text passed through in the hope that the
 * compiler makes something of it.
 */

/** A line of a source as the author wrote it. */
export interface Place {
  readonly file: string;
  readonly line: number;
}

/** A source that cannot be lowered: where, what is wrong, and what to do about it. */
export class LoweringError extends Error {
  readonly file: string;
  readonly line: number;

  constructor(
    place: Place,
    readonly what: string,
    readonly advice: string,
  ) {
    super(`${place.file}:${place.line}: error: ${what}\n  ${advice}`);
    this.name = 'LoweringError';
    this.file = place.file;
    this.line = place.line;
  }
}
