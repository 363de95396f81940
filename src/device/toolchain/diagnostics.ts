/** A compiler's messages about lowered text, shown against the source as the author wrote it. */

/**
 * The compiler's own text, and under each message about the source the line it names. The compiler sees that line after
 * its lowering, so its own excerpts are turned off.
 */
export function explain(messages: string, path: string, source: string): string {
  const lines = source.split('\n');
  return messages
    .trimEnd()
    .split('\n')
    .filter((message) => !/^\d+ errors? generated\.$/.test(message))
    .map((message) => {
      const excerpt = lines[lineNamed(message, path) - 1];
      return excerpt === undefined ? message : `${message}\n    ${excerpt.trim()}`;
    })
    .join('\n');
}

/** The line of `path` that a message starts with, 0 for another file's message. */
function lineNamed(message: string, path: string): number {
  if (!message.startsWith(`${path}:`)) return 0;
  return Number.parseInt(message.slice(path.length + 1)) || 0;
}
