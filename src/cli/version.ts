/** What this program is: the build writes the commit and its day in. */
import manifest from '../../package.json' with { type: 'json' };

declare const COMMIT: string;
declare const COMMIT_DATE: string;

export const PROGRAM = 'tf-kernel-contract';
export const VERSION = manifest.version;
export const BUILD_COMMIT = typeof COMMIT === 'string' ? COMMIT : 'source';
/** The day of that commit, as 2026-11-30; '' from source. */
export const BUILD_DATE = typeof COMMIT_DATE === 'string' ? COMMIT_DATE : '';
/** How a person calls this program: from source there is no executable to name. */
export const COMMAND = BUILD_COMMIT === 'source' ? 'npm start --' : 'tf-kernel-contract';
export const PLATFORM = `${process.platform}-${process.arch}`;

/** `tf-kernel-contract 0.1.0 (abc1234, bun 1.4.5, linux-x64)`. */
export const versionText = (): string =>
  `tf-kernel-contract ${VERSION} (${BUILD_COMMIT}, bun ${Bun.version}, ${PLATFORM})`;
