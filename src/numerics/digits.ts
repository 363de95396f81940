/** Whole numbers as the output writes them. */

/** 34952 as `34,952`. Not by locale: an audit writes tens of thousands. */
export const count = (n: number): string => (n < 1000 ? String(n) : String(n).replace(/\B(?=(\d{3})+$)/g, ','));
