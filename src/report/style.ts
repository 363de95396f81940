/** What colours a line may have. A style only wraps words, so a plain line and a coloured one say the same. */

export interface Style {
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly warn: (text: string) => string;
  readonly faint: (text: string) => string;
}

const same = (text: string): string => text;

export const PLAIN: Style = { good: same, bad: same, warn: same, faint: same };
