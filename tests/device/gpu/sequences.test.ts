/**
 * Random sequences of calls over the emulated drivers, some of which fail by plan: contents are a model's, each failure is what the
 * plan says, a lost device stays lost, and the driver has nothing to say of its caller.
 */
import { beforeAll, describe, expect, test } from 'bun:test';
import { type Random, random } from '../../../src/numerics/random.ts';
import { buffer, failureOf, launchOf, type LoadedRig, newLoadedRig, prepare, reported, u32 } from './kit.ts';
import { newTwiceRig } from './twice.ts';

const SEQUENCES = 40;
const CALLS = 60;
const WORDS = 32;
const PLANS = ['', '', 'oom@3', 'oom@1', 'refuse-launch@2', 'fault@3', 'removed@2', 'fault@1'];

/** A device's buffers and what they hold, by the model. */
class Model {
  readonly held = new Map<number, Uint32Array>();
  readonly failures = new Set<string>();

  constructor(
    private readonly rig: LoadedRig,
    private readonly device: number,
    private readonly kernel: number,
    private readonly chance: Random,
  ) {}

  get isLost(): boolean {
    return ['fault', 'lost'].some((failure) => this.failures.has(failure));
  }

  /** One call, and what it means to the model; where it fails, the model stays as it is. */
  step(): void {
    const [address, other] = [this.pick(), this.pick()];
    const calls = [
      () => this.alloc(),
      () => this.fill(address),
      () => this.upload(address),
      () => this.read(address),
      () => this.free(address),
      () => this.add(address, other),
      () => this.add(other, address),
    ];
    this.call((address === 0 ? undefined : this.one(calls)) ?? (() => this.alloc()));
  }

  private call(work: () => void): void {
    const before = this.isLost;
    try {
      work();
      expect(before).toBe(false);
    } catch (error) {
      const [failure] = failureOf(() => {
        throw error;
      });
      if (before) expect(failure).toBe('lost');
      this.failures.add(failure);
    }
  }

  private one<T>(list: readonly T[]): T | undefined {
    return list[this.chance.int(0, list.length - 1)];
  }

  /** A buffer's address; 0 where there is none. */
  private pick(): number {
    return this.held.size === 0 ? 0 : (this.one([...this.held.keys()]) ?? 0);
  }

  private alloc(): void {
    const address = this.rig.shim.alloc(this.device, 4 * WORDS);
    this.held.set(address, new Uint32Array(WORDS));
    this.rig.shim.fill(this.device, address, 0, 4 * WORDS);
  }

  private free(address: number): void {
    this.rig.shim.free(this.device, address);
    this.held.delete(address);
  }

  private fill(address: number): void {
    const [word, from] = [this.chance.u32(), this.chance.int(0, WORDS - 1)];
    this.rig.shim.fill(this.device, address + 4 * from, word, 4 * (WORDS - from));
    this.held.get(address)?.fill(word, from);
  }

  private upload(address: number): void {
    const words = Uint32Array.from({ length: WORDS }, () => this.chance.u32());
    this.rig.shim.upload(this.device, address, new Uint8Array(words.buffer));
    this.held.get(address)?.set(words);
  }

  private read(address: number): void {
    const words = new Uint32Array(new ArrayBuffer(4 * WORDS));
    this.rig.shim.download(this.device, address, new Uint8Array(words.buffer));
    expect<unknown>(words).toEqual(this.held.get(address));
  }

  private add(from: number, to: number): void {
    const k = this.chance.int(0, 1000);
    this.rig.shim.launch(this.device, launchOf(this.kernel, [buffer(from), buffer(to), u32(k)]), {});
    this.rig.shim.wait(this.device, 20_000);
    this.held.set(
      to,
      (this.held.get(from) ?? new Uint32Array(WORDS)).map((word) => word + k),
    );
  }
}

/** What differs from one driver to another: Level Zero has no word for a fault, Metal refuses a launch when it is run. */
const OWN: Readonly<Record<'cuda' | 'hip' | 'xpu' | 'metal', Record<string, string[]>>> = {
  cuda: {},
  hip: {},
  xpu: { 'fault@3': ['lost'], 'fault@1': ['lost'] },
  metal: { 'refuse-launch@2': ['lost'] },
};

describe.each(['cuda', 'hip', 'xpu', 'metal'] as const)('%s', (dialect) => {
  let rig: LoadedRig;
  beforeAll(async () => {
    rig = dialect === 'xpu' || dialect === 'metal' ? await newTwiceRig(dialect) : await newLoadedRig(dialect);
  }, 120_000);

  test('sequences of calls keep what they wrote, and fail as planned', () => {
    const seen = new Map<string, Set<string>>();
    for (let seed = 0; seed < SEQUENCES; seed++) {
      const plan = PLANS[seed % PLANS.length] ?? '';
      prepare(rig, { emulate: plan });
      const { shim, image } = rig;
      const device = shim.open(0);
      const module = shim.load(device, image);
      const model = new Model(rig, device, shim.kernel(device, module, 'add').handle, random(seed));
      for (let i = 0; i < CALLS; i++) model.step();
      if (!model.isLost) {
        for (const address of model.held.keys()) shim.free(device, address);
        shim.unload(device, module);
      }
      shim.close(device);
      expect([reported('violation'), reported('leak')]).toEqual([[], []]);
      seen.set(plan, new Set([...(seen.get(plan) ?? []), ...model.failures]));
    }
    const failures = Object.fromEntries([...seen].map(([plan, of]) => [plan, [...of].toSorted()]));
    expect(failures).toEqual({
      '': [],
      'oom@3': ['no-memory'],
      'oom@1': ['no-memory'],
      'refuse-launch@2': ['bad-argument'],
      'fault@3': ['fault', 'lost'],
      'fault@1': ['fault', 'lost'],
      'removed@2': ['lost'],
      ...OWN[dialect],
    });
  });
});
