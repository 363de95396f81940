/** The fixtures that a contract names, read when it is loaded. */
import { shownPath } from './shown-path.ts';
import type { Contract } from './contract.ts';
import { FixtureError, readFixture } from './fixture.ts';
import { fixtureInputs } from './fixture-inputs.ts';
import type { Regression } from './registration.ts';

export interface ReadRegressions {
  readonly regressions: readonly Regression[];
  readonly problems: readonly string[];
}

/** Reads a contract's regressions from the texts of its folder. */
export function readRegressions(
  folder: string,
  contract: Contract,
  texts: ReadonlyMap<string, string>,
): ReadRegressions {
  const regressions: Regression[] = [];
  const problems: string[] = [];
  const names = contract.regressions ?? [];
  for (const [i, file] of names.entries()) {
    if (names.indexOf(file) !== i) problems.push(`regressions name ${file} twice`);
    try {
      regressions.push(readOne(folder, file, contract, texts));
    } catch (error) {
      if (!(error instanceof FixtureError)) throw error;
      problems.push(...error.problems.map((problem) => `regressions: ${file}: ${problem}`));
    }
  }
  return { regressions, problems };
}

function readOne(folder: string, file: string, contract: Contract, texts: ReadonlyMap<string, string>): Regression {
  const text = texts.get(`${folder}/${file}`);
  if (text === undefined)
    throw new FixtureError([`${shownPath(`${folder}/${file}`)} is not there: write it with --repro, or drop its name`]);
  const fixture = readFixture(text);
  if (fixture.kernel !== contract.name) throw new FixtureError([`it is of ${fixture.kernel}, not of ${contract.name}`]);
  return { name: file.replace(/\.json$/, ''), fixture, inputs: fixtureInputs(fixture, contract) };
}
