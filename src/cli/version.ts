/** What this program is: the build writes the commit in. */
import manifest from '../../package.json' with { type: 'json' };

declare const COMMIT: string;

export const PROGRAM = 'tf-kernel-contract';
export const VERSION = manifest.version;
export const BUILD_COMMIT = typeof COMMIT === 'string' ? COMMIT : 'source';
/** How a person calls this program: from source there is no executable to name. */
export const COMMAND = BUILD_COMMIT === 'source' ? 'npm start --' : 'tf-kernel-contract';
export const PLATFORM = `${process.platform}-${process.arch}`;

/** `tf-kernel-contract 0.1.0 (abc1234, bun 1.4.5, linux-x64)`. */
export const versionText = (): string =>
  `tf-kernel-contract ${VERSION} (${BUILD_COMMIT}, bun ${Bun.version}, ${PLATFORM})`;
