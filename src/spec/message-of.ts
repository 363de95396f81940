/** What whoever throws says, whatever it is that is thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The same with where it was thrown, for faults of ours. */
export const traceOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);
