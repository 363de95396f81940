/**
 * Records against what the vendors' own tools say of the same sources: `nvcc -Xptxas -v`, `llvm-readelf --notes`, `ocloc disasm`.
 * Compiles all that is registered into a folder (an argument; a temporary one by default), and ends with what was compared.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { auditLaunches } from '../src/audit/launches.ts';
import { factsOf, keyText } from '../src/audit/records.ts';
import { resolveSet } from '../src/audit/records-sets.ts';
import { sourceHasher } from '../src/audit/records-source.ts';
import { servedChips } from '../src/cli/offline/jobs.ts';
import { readRecords, recordsRoot, setFor } from '../src/cli/offline/records.ts';
import type { Unit } from '../src/cli/offline/units.ts';
import { unitsOf } from '../src/cli/offline/units.ts';
import { compileOf, openWorkspace } from '../src/cli/offline/workspace.ts';
import { HOST } from '../src/device/run-device.ts';
import { findCompiler, VENDORS } from '../src/device/vendor/all.ts';
import { buildImages } from '../src/device/vendor/images.ts';
import type { Compile, Compiler } from '../src/device/vendor/vendor.ts';
import { isMissing } from '../src/device/vendor/vendor.ts';
import { run } from '../src/device/processes/process.ts';
import type { Dialect } from '../src/families/formula/functions.ts';
import { readListing } from '../src/spec/listing.ts';
import { loadKernels } from '../src/spec/load.ts';
import { oclocFacts } from './oracles/ocloc.ts';
import { ptxasFacts } from './oracles/ptxas.ts';
import { readelfFacts } from './oracles/readelf.ts';

/** Facts by `<chip> <symbol>`. */
type Told = ReadonlyMap<string, object>;
type Oracle = (compiler: Compiler, compile: Compile) => Promise<Told>;

const READELF = ['llvm-readelf-19', 'llvm-readelf-18', 'llvm-readelf'].find((name) => Bun.which(name));

/** The same compile once more, told about. */
const askPtxas: Oracle = async (compiler, { folder, source, includeDirs, defines, chips, output }) => {
  const flags = [
    ...includeDirs.map((dir) => `-I${dir}`),
    ...Object.entries(defines).map(([name, value]) => `-D${name}=${value}`),
  ];
  const codes = chips.flatMap((chip) => ['-gencode', `arch=${chip.replace('sm_', 'compute_')},code=${chip}`]);
  const command = [compiler.path, '-O3', '-std=c++17', '-fatbin', '-Xptxas', '-v', ...codes, ...flags];
  const { stdout, stderr } = await run([
    'sh',
    '-c',
    'cd "$0" && exec "$@"',
    folder,
    ...command,
    source,
    '-o',
    `${output}.told`,
  ]);
  rmSync(`${output}.told`, { force: true });
  return ptxasFacts(stdout + stderr);
};

const askReadelf: Oracle = async (_, { chips: [chip], output }) => {
  const { stdout } = await run([READELF ?? '', '--notes', `${output}.co`]);
  return new Map([...readelfFacts(stdout)].map(([symbol, facts]) => [`${chip} ${symbol}`, facts]));
};

const askOcloc: Oracle = async (compiler, { chips: [chip = ''], output }) => {
  const dump = `${output}.parts`;
  mkdirSync(dump, { recursive: true });
  await run([compiler.path, 'disasm', '-file', `${output}.zebin`, '-device', chip, '-dump', dump]);
  const told = oclocFacts(readFileSync(join(dump, '.ze_info'), 'utf8'));
  rmSync(dump, { recursive: true });
  return new Map([...told].map(([symbol, facts]) => [`${chip} ${symbol}`, facts]));
};

const ORACLES: Partial<Readonly<Record<Dialect, Oracle>>> = {
  cuda: askPtxas,
  ...(READELF && { hip: askReadelf }),
  xpu: askOcloc,
};

const counts = { images: 0, facts: 0, differ: 0, absent: 0 };

/** Compares the records of a unit's kernels with what a tool told; prints each difference. */
function compare(unit: Unit, chips: readonly string[], told: Told, records: ReadonlyMap<string, unknown>): void {
  for (const chip of chips) {
    for (const { kernel, symbol } of unit.launches) {
      const record = records.get(keyText({ kernel, chip, symbol })) as
        { readonly facts?: Parameters<typeof factsOf>[0] } | undefined;
      const facts = told.get(`${chip} ${symbol}`);
      counts.images++;
      if (!record?.facts || !facts) {
        counts.absent++;
        console.log(
          `FAIL  ${kernel}@${unit.dialect} ${chip}  no ${facts ? 'record' : 'word of the tool'} of ${symbol}`,
        );
      } else compareFacts(`${kernel}@${unit.dialect} ${chip}`, factsOf(record.facts), facts);
    }
  }
}

function compareFacts(name: string, recorded: Readonly<Record<string, unknown>>, told: object): void {
  for (const [fact, want] of Object.entries(told)) {
    counts.facts++;
    if (JSON.stringify(recorded[fact]) === JSON.stringify(want)) continue;
    counts.differ++;
    console.log(
      `FAIL  ${name}  ${fact} is ${JSON.stringify(recorded[fact])} in records/, and its tool says ${JSON.stringify(want)}`,
    );
  }
}

async function verify(folder: string): Promise<void> {
  const listing = await readListing();
  const kernels = loadKernels(listing);
  const registrations = kernels.flatMap((kernel) =>
    kernel.dialects.map((dialect) => ({
      kernel,
      dialect,
      device: HOST,
      gates: ['shapes'] as const,
      controls: [],
      cases: [],
    })),
  );
  const workspace = openWorkspace(folder, listing.sources);
  const { sets } = readRecords(recordsRoot());
  const hash = sourceHasher(listing.sources);
  const units = unitsOf(registrations, listing.sources);
  for (const dialect of new Set(kernels.flatMap(auditLaunches).map((launch) => launch.dialect))) {
    const compiler = await findCompiler(dialect, undefined);
    const ask = ORACLES[dialect];
    if (isMissing(compiler) || !ask) {
      console.log(`NOT RUN  ${dialect}  ${isMissing(compiler) ? compiler.why : 'no tool that tells its facts'}`);
      continue;
    }
    const own = sets.filter((set) => set.dialect === dialect);
    const { records } = resolveSet(setFor(dialect, compiler, own), own);
    const { known } = await servedChips(dialect, compiler);
    for (const unit of units.filter((each) => each.dialect === dialect)) {
      for (const chips of VENDORS[dialect].together ? [known] : known.map((chip) => [chip])) {
        const compile = compileOf(workspace, unit, compiler, chips);
        await buildImages({ dialect, compiler, compile, sourceHash: hash(unit) });
        compare(unit, chips, await ask(compiler, compile), records);
      }
    }
  }
}

const [given] = process.argv.slice(2);
const folder = given === undefined ? mkdtempSync(join(tmpdir(), 'tf-verify-')) : resolve(given);
try {
  await verify(folder);
} finally {
  if (given === undefined && existsSync(folder)) rmSync(folder, { recursive: true, force: true });
}
const { images, facts, differ, absent } = counts;
console.log(
  `${facts} facts of ${images} kernel images compared, ${differ} differ, ${absent} kernels without a record or a word`,
);
process.exitCode = images > 0 && differ + absent === 0 ? 0 : 1;
