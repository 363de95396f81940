/** A smallest input as a fixture. */
import { sourceHasher } from '../audit/records-source.ts';
import type { Inputs } from '../families/inputs.ts';
import { fixtureInputs, statedInputs } from '../spec/fixture-inputs.ts';
import type { Expected, Fixture } from '../spec/fixture.ts';
import { FIXTURE_VERSION, FixtureError } from '../spec/fixture.ts';
import type { Cause } from '../spec/cause.ts';
import { addressText, controlAddress } from '../spec/address.ts';
import { launchesOf, sourceOf } from '../spec/registration.ts';
import type { Finding } from '../gates/finding.ts';
import type { Workshop } from '../gates/workshop.ts';
import type { Suspect, Target } from './suspect.ts';

/** What a fixture holds beside its suspect. */
export interface Shown {
  readonly inputs: Inputs;
  /** What is found of them; nothing for inputs that pass. */
  readonly finding?: Finding;
  /** The label of the gate's case that they come from. */
  readonly label: string;
}

export function fixtureOf(suspect: Suspect, { inputs, finding, label }: Shown): Fixture {
  const { target, way, settings, shop } = suspect;
  const { kernel, dialect, gate, control } = target;
  const { schedules } = settings;
  return {
    fixture: FIXTURE_VERSION,
    kernel: kernel.name,
    dialect,
    gate,
    ...way,
    ...(control && { control: control.id }),
    address: control
      ? controlAddress(kernel.name, dialect, control.id)
      : addressText({ kernel: kernel.name, dialect, gate, label }),
    device: shop.on.id,
    seed: settings.seed,
    sources: sourcesHash(shop, target),
    shape: { ...inputs.shape },
    inputs: statedInputs(inputs, kernel.contract.inputs),
    ...(schedules && { schedules: [...schedules] }),
    expect: expectedOf(finding),
  };
}

function expectedOf(finding: Finding | undefined): Expected {
  if (!finding) return { verdict: 'pass' };
  const { cause, what, worst } = finding;
  const { code, of, lines } = cause;
  return {
    verdict: 'fail',
    cause: { code, ...(of !== undefined && { of }), ...(lines && { lines: [...lines] }) },
    what: cut(what),
    ...(worst !== undefined && { worst: cut(worst) }),
  };
}

const cut = (text: string): string => text.slice(0, 2000);

/** The hash of what the target's launches are compiled from. */
export function sourcesHash({ sources }: Workshop, { kernel, dialect }: Target): string {
  const hash = sourceHasher(sources.texts);
  const own = launchesOf(kernel.contract, dialect).map((launch) =>
    hash({ dialect, source: sourceOf(kernel.folder, dialect, launch), defines: launch.defines ?? {} }),
  );
  const [only] = own;
  if (only !== undefined && own.length === 1) return only;
  return new Bun.CryptoHasher('sha256').update(own.join(' ')).digest('hex').slice(0, 16);
}

/** What a fixture is of, among the kernels that there are; throws a FixtureError where it is of none. */
export function targetOf(fixture: Fixture, { kernels }: Workshop): Target & { readonly inputs: Inputs } {
  const { kernel: name, dialect, gate, control: id } = fixture;
  const kernel = kernels.get(name);
  if (!kernel)
    throw new FixtureError([
      `it is of the kernel ${name}, which is not registered here; of a contract elsewhere, put its path before --replay`,
    ]);
  if (!kernel.dialects.includes(dialect)) throw new FixtureError([`${name} has no ${dialect} launch`]);
  const control = kernel.controls.find((planted) => planted.id === id);
  if (id !== undefined && (control?.reddens !== gate || !control.dialects.includes(dialect)))
    throw new FixtureError([`${name}@${dialect} has no control ${id} of gate ${gate}: its contract has changed since`]);
  return { kernel, dialect, gate, ...(control && { control }), inputs: fixtureInputs(fixture, kernel.contract) };
}

/** The cause that a fixture expects; undefined where it expects a pass. */
export const expectedCause = ({ expect }: Fixture): Cause | undefined =>
  expect.verdict === 'pass' ? undefined : expect.cause;
