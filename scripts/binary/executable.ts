/** The one executable: the program, the contracts and sources, the images. Nothing is read from the folder it is run in. */
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ownPlatform, type Platform } from '../../src/device/toolchain/target.ts';
import { bakedAuditData } from './audit-data.ts';
import { bakedHost } from './host-sources.ts';
import { bakedListing } from './listing.ts';
import { bakedTemplates } from './templates.ts';

export interface ExecutableParts {
  readonly root: string;
  /** The folder that is embedded under its own name. */
  readonly embedded: string;
  readonly outfile: string;
  readonly commit: string;
  /** Of the commit, as 2026-11-30. */
  readonly date: string;
  readonly platform: Platform;
}

/** Builds beside the final name and renames, so that a running or half-built executable is never replaced in place. */
export async function buildExecutable({
  root,
  embedded,
  outfile,
  commit,
  date,
  platform,
}: ExecutableParts): Promise<void> {
  const scratch = join(dirname(outfile), `.build-${process.pid}`);
  mkdirSync(scratch, { recursive: true });
  try {
    const built = await Bun.build({
      entrypoints: [join(root, 'src/main.ts')],
      format: 'esm',
      splitting: true, // without it, what main.ts imports late would be loaded at every start
      bytecode: true,
      sourcemap: 'linked',
      minify: { whitespace: true, syntax: true, identifiers: false }, // names stay readable in stacks
      define: { COMMIT: JSON.stringify(commit), COMMIT_DATE: JSON.stringify(date) },
      plugins: [bakedListing(join(root, 'kernels')), ...bakedHost(root), bakedTemplates(), ...(await bakedAuditData())],
      compile: {
        ...(platform !== ownPlatform() && { target: `bun-${platform}` as const }), // else this very Bun, without a network
        outfile: join(scratch, 'tf-kernel-contract'),
        assets: [embedded],
        autoloadDotenv: false,
        autoloadBunfig: false,
        autoloadTsconfig: false,
        autoloadPackageJson: false,
      },
    });
    if (!built.success) throw new AggregateError(built.logs, 'the executable does not build');
    renameSync(
      join(scratch, readdirSync(scratch).find((name) => !name.endsWith('.map')) ?? 'tf-kernel-contract'),
      outfile,
    );
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
