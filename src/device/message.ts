/** What a device's message holds for programs: the one place that reads its words. */

const LINE = /[\w./-]+\.[a-z]\w*:\d+/g;

/** The lines of sources that a message names, `scores.cu:14`, each once and in its order: where something was done, then declared. */
export function sourceLines(message: string): string[] {
  const declared = [...message.matchAll(/declared at (\S+:\d+)/g)].map(([, line = '']) => line);
  const lines = message.match(LINE) ?? [];
  return [...new Set([...lines.filter((line) => !declared.includes(line)), ...declared])];
}
