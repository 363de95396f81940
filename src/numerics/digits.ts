/** Whole numbers as the output writes them. */

/** 34952 as `34,952`. Not by locale: an audit writes tens of thousands. */
export const count = (n: number): string => String(n).replace(/\B(?=(\d{3})+$)/g, ',');
