/** The known word that a mistyped one most likely means. */

/** The nearest of the known words, where at most two letters, or a third of them, are wrong; undefined where none is that near. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const ranked = known.map((candidate) => ({ candidate, edits: distance(word, candidate) }));
  const [best] = ranked.toSorted((a, b) => a.edits - b.edits);
  if (!best) return undefined;
  const isPart = word.length > 4 && best.candidate.startsWith(word);
  return isPart || best.edits <= Math.max(2, Math.floor(best.candidate.length / 3)) ? best.candidate : undefined;
}

/** Insertions, deletions and substitutions between two words. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substituted, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
