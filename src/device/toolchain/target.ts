/** What is compiled for: the processor of an image, the platform of the runtime and of an executable. */
import { ToolchainError } from './toolchain-error.ts';

export const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-arm64'] as const;
export type Platform = (typeof PLATFORMS)[number];
export type Processor = 'x64' | 'arm64';

export const isPlatform = (name: string): name is Platform => (PLATFORMS as readonly string[]).includes(name);

export const processorOf = (platform: Platform): Processor => (platform === 'linux-x64' ? 'x64' : 'arm64');

export const OWN_PROCESSOR: Processor = process.arch === 'arm64' ? 'arm64' : 'x64';

/** The platform of this process; throws a ToolchainError where the host device does not run on it. */
export function ownPlatform(): Platform {
  const name = `${process.platform}-${process.arch}`;
  if (isPlatform(name)) return name;
  throw new ToolchainError(`The host device does not run on ${name}; it runs on ${PLATFORMS.join(', ')}.`);
}
