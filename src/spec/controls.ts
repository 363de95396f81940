/**
 * Characters that a terminal or a log obeys and nobody reads: controls but tab, line feed and carriage return, what turns the direction
 * of writing or has no width, and halves of surrogate pairs.
 */
// oxlint-disable-next-line no-control-regex -- these are the characters that are meant
export const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

export const hasControls = (text: string): boolean => text.search(CONTROLS) >= 0;

/** The text with a sign in place of each. */
export const withoutControls = (text: string): string => text.replace(CONTROLS, '\ufffd');
