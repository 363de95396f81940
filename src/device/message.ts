/** What a device's message holds for programs: the one place that reads its words. */

/** The lines of sources that a message names, `scores.cu:14`, each once and in its order. */
export const sourceLines = (message: string): string[] => [...new Set(message.match(/[\w./-]+\.[a-z]\w*:\d+/g) ?? [])];
