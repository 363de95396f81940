/** Lines on standard output. */
export function print(lines: readonly string[]): void {
  for (const line of lines) console.log(line);
}
