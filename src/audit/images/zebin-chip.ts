/**
 * Which Intel chip an image is for, from what an archive or a note says. Source: compute-runtime's AOT configurations
 * and product families.
 */
import { readerOf, u32 } from './bytes.ts';

/** By device IP version, `architecture.release`: steppings of one chip run one image. */
const CHIP_OF_IP: Readonly<Record<string, string>> = {
  '12.0': 'tgllp',
  '12.1': 'rkl',
  '12.2': 'adl-s',
  '12.3': 'adl-p',
  '12.4': 'adl-n',
  '12.10': 'dg1',
  '12.55': 'acm-g10',
  '12.56': 'acm-g11',
  '12.57': 'acm-g12',
  '12.60': 'pvc',
  '12.61': 'pvc-vg',
  '12.70': 'mtl-u',
  '12.71': 'mtl-h',
  '12.74': 'arl-h',
  '20.1': 'bmg',
  '20.2': 'bmg-g31',
  '20.4': 'lnl',
  '30.0': 'ptl-h',
  '30.1': 'ptl-u',
};

/**
 * By product family, where a note has no IP version. The three dies of DG2 share 1270, and Meteor Lake's two share
 * 1272: the first of each stands for all.
 */
const CHIP_OF_PRODUCT: Readonly<Record<number, string>> = {
  1210: 'dg1',
  1270: 'acm-g10',
  1271: 'pvc',
  1272: 'mtl-u',
  1273: 'arl-h',
  1274: 'bmg',
  1275: 'lnl',
  1300: 'ptl-h',
};

/** The chip of an archive member such as `64.12.55.8`: pointer bits and the IP version. Undefined for other members. */
export function chipOfMember(name: string): string | undefined {
  const [, architecture, release, revision] = /^(?:32|64)\.(\d{1,4})\.(\d{1,3})\.(\d{1,2})$/.exec(name) ?? [];
  if (architecture === undefined || release === undefined || revision === undefined) return undefined;
  return chipOfIp(Number(architecture), Number(release), Number(revision));
}

/** The chip of a product family; one that is not known keeps its number. */
export function chipOfProduct(content: Uint8Array): string {
  const product = u32(readerOf(content), 0);
  return CHIP_OF_PRODUCT[product] ?? `product-${product}`;
}

/** The chip of a packed IP version: architecture from bit 22 on, release from bit 14 on, revision in bits 0 to 5. */
export function chipOfConfiguration(content: Uint8Array): string {
  const version = u32(readerOf(content), 0);
  return chipOfIp(version >>> 22, (version >>> 14) & 255, version & 63);
}

// --- details ---

/** One that is not known keeps its numbers. */
function chipOfIp(architecture: number, release: number, revision: number): string {
  return CHIP_OF_IP[`${architecture}.${release}`] ?? `ip-${architecture}.${release}.${revision}`;
}
