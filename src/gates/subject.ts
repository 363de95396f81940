/** What a gate judges: a kernel in one dialect, as it is or with one control planted, its images loaded. */
import type { Device, DeviceKernel, DeviceModule } from '../device/device.ts';
import { DeviceGone } from '../device/device-gone.ts';
import { shownPath } from '../spec/shown-path.ts';
import type { ImageKind, ImageRequest, ImageResult, ImageStore } from '../device/images.ts';
import { withoutPoint } from '../families/formula/graph.ts';
import type { Dialect, MapName } from '../families/formula/functions.ts';
import type { Limit } from '../families/libraries/limit.ts';
import { LIBRARIES, limitOf } from '../families/libraries/library.ts';
import type { Arithmetic } from '../families/formula/range.ts';
import type { Problem } from '../families/problem.ts';
import { problemOf } from '../families/problem.ts';
import type { Shape } from '../families/tensor.ts';
import { shapeText } from '../families/tensor.ts';
import type { Contract, Edit, Launch } from '../spec/contract.ts';
import type { Kernel, PlantedControl } from '../spec/registration.ts';
import { launchesOf, sourceOf } from '../spec/registration.ts';
import type { ModeName } from '../spec/modes.ts';
import { WARPS, launchShape, warpsOf } from '../spec/warps.ts';
import type { LoadedKernel } from './result.ts';
import { ClaimError, claimed } from './attempt.ts';
import type { Way } from './mode.ts';
import { MODE, wayOf } from './mode.ts';
import { messageOf } from '../spec/message-of.ts';

/** A launch with its loaded kernel. */
export interface Route {
  readonly launch: Launch;
  readonly kernel: DeviceKernel;
  /** Lanes of a warp. */
  readonly warp: number;
  /** The depth that the launch declares. */
  readonly depth: (shape: Shape) => number;
  readonly grid: (shape: Shape) => readonly [number, number, number];
  readonly group: readonly [number, number, number];
  readonly localBytes: (shape: Shape) => number;
  readonly cluster: number;
  /** Subnormals are flushed. */
  readonly flush: boolean;
  /** How far off the launch's functions are. */
  readonly ulps: number;
  /** The functions that the last launch called, by name; undefined where the image does not note them. */
  readonly functions?: () => readonly string[];
}

export interface Subject {
  readonly kernel: Kernel;
  readonly contract: Contract;
  readonly dialect: Dialect;
  readonly control?: PlantedControl;
  /** The formula that is claimed: a formula control's is not the contract's. */
  readonly problem?: Problem;
  /** The mode in which it is judged. */
  readonly mode: ModeName;
  /** The width at which it is, where that is not its launches' first. */
  readonly warp?: number;
  /** The same subject in a way that it was prepared for. */
  readonly inWay: (way: Way, seed: string) => Subject;
  /** The route that takes a shape. */
  readonly route: (shape: Shape) => Route;
  /** What the arithmetic of this dialect and route may do at a shape. */
  readonly arithmetic: (shape: Shape) => Arithmetic & { readonly key: string };
  /** What a GPU's driver tells of the loaded kernels; none on the host device. */
  readonly loaded: readonly LoadedKernel[];
  readonly release: () => void;
}

/** A subject that cannot be judged, in words; a control that ends here is broken. */
export class SubjectError extends Error {}

export interface Sources {
  readonly texts: ReadonlyMap<string, string>;
  readonly images: ImageStore;
}

/** Plants the control, gets the images that the ways need, loads them. Throws a SubjectError that says what failed. */
export async function prepareSubject(
  device: Device,
  sources: Sources,
  kernel: Kernel,
  dialect: Dialect,
  ways: readonly Way[],
  control?: PlantedControl,
): Promise<Subject> {
  const { contract } = kernel;
  const routes: LoadedRoute[] = [];
  const release = (): void => routes.splice(0).forEach(({ loading }) => loading.unload());
  let problem: Problem | undefined;
  try {
    requireEdit(sources, kernel, dialect, control);
    problem = claimOf(kernel, control);
    for (const launch of launchesOf(contract, dialect)) {
      const planted = control?.launch?.(launch) ?? launch;
      for (const { kind, warp } of imagesOf(ways, dialect, launch)) {
        const asked = device.kind === 'host' ? hostImage(dialect, { kind, warp }) : { kind };
        const loading = new Loading(
          device,
          await imageOf(sources, kernel, dialect, asked, planted, control),
          planted.symbol,
        );
        const noted = kind === 'ulps' && { functions: () => namesOfUsed(dialect, loading.find().functions ?? []) };
        const own = widthOf(loading.kernel(), device, dialect, planted, warp); // an image that does not load is told before any case
        if (own === undefined) loading.unload();
        else
          routes.push({
            kind,
            launch,
            isFirst: warp === warpsOf(dialect, launch)[0],
            route: { ...routeFor(planted, own), ...noted },
            loading,
          });
      }
    }
  } catch (error) {
    release();
    throw error instanceof SubjectError || error instanceof DeviceGone ? error : new SubjectError(messageOf(error));
  }
  const loaded = routes.flatMap(({ launch: { symbol, defines = {} }, loading }): LoadedKernel[] => {
    const { loaded: attributes } = loading.kernel();
    const { set } = loading.image;
    return attributes ? [{ symbol, defines, attributes, ...(set !== undefined && { set }) }] : [];
  });
  const same = { kernel, contract, loaded, dialect, ...(control && { control }), ...(problem && { problem }), release };
  const inWay = (way: Way, seed: string): Subject => {
    const { flush, ulps } = MODE[way.mode];
    const route = (shape: Shape): Route => {
      const { route: own, loading } = routeAt(routes, way, dialect, shape);
      return { ...own, kernel: loading.kernel(), flush, ulps: ulps(seed) };
    };
    const arithmetic = (shape: Shape): ReturnType<Subject['arithmetic']> =>
      arithmeticOf(contract, problem, dialect, route(shape), shape, flush);
    return { ...same, ...wayOf(way), inWay, route, arithmetic };
  };
  return inWay({ mode: 'plain' }, '');
}

/** A launch's kernel in an image of a kind. */
interface LoadedRoute {
  readonly kind: ImageKind;
  readonly launch: Launch;
  /** At the launch's first width. */
  readonly isFirst: boolean;
  readonly route: Omit<Route, 'flush' | 'ulps' | 'kernel'>;
  readonly loading: Loading;
}

type MadeImage = Extract<ImageResult, { readonly image: Uint8Array }>;

/** An image on a device, which is loaded again where the device was opened anew. */
class Loading {
  private module: DeviceModule | undefined;
  private found: DeviceKernel | undefined;
  private generation = -1;

  constructor(
    private readonly device: Device,
    readonly image: MadeImage,
    private readonly symbol: string,
  ) {}

  kernel(): DeviceKernel {
    if (this.found && this.generation === this.device.generation) return this.found;
    this.generation = this.device.generation;
    this.module = this.device.load(this.image.image);
    return (this.found = this.find());
  }

  /** The kernel as the device tells of it now. */
  find(): DeviceKernel {
    if (!this.module) throw new Error(`${this.symbol} is not loaded`);
    return this.device.kernel(this.module, this.symbol);
  }

  unload(): void {
    if (this.module) this.device.unload(this.module);
    this.module = undefined;
  }
}

const namesOfUsed = (dialect: Dialect, ids: readonly number[]): string[] =>
  ids.map((id) => LIBRARIES[dialect].functions[id]?.name ?? `function ${id}`);

/** What is asked of the host device's compiler: the first width of a dialect is its own. */
export const hostImage = (
  dialect: Dialect,
  { kind, warp }: { readonly kind: ImageKind; readonly warp: number },
): AskedImage => ({
  kind,
  ...(warp !== WARPS[dialect][0] && { warp }),
});

/** The images of a launch that some ways need, each once. */
export function imagesOf(ways: readonly Way[], dialect: Dialect, launch: Launch): { kind: ImageKind; warp: number }[] {
  const warps = warpsOf(dialect, launch);
  const all = ways.flatMap(({ mode, warp = warps[0] ?? 0 }) =>
    warps.includes(warp) ? [{ kind: MODE[mode].image, warp }] : [],
  );
  return [...new Map(all.map((one) => [`${one.kind} ${one.warp}`, one])).values()];
}

/** The width of a loaded kernel: the host device's as asked, a GPU's own; undefined where the launch is for chips of another one. */
function widthOf(
  kernel: DeviceKernel,
  device: Device,
  dialect: Dialect,
  launch: Launch,
  asked: number,
): number | undefined {
  if (device.kind !== 'host') {
    const { warp = asked, required_warp: required } = kernel.loaded ?? {};
    requireWidth(kernel.symbol, dialect, launch, required);
    return launch.warp?.[dialect] === undefined || warpsOf(dialect, launch).includes(warp) ? warp : undefined;
  }
  const { warp = asked, symbol, requiredWarp } = kernel;
  requireWidth(symbol, dialect, launch, requiredWarp);
  if (warp === asked) return warp;
  throw new SubjectError(
    `${symbol} requires sub-groups of ${warp} lanes and does not run at ${asked}: state \`warp: { ${dialect}: ${warp} }\` in its launch`,
  );
}

/** A compiler of OpenCL C takes the sub-group size that it likes, but where the source requires one. */
function requireWidth(symbol: string, dialect: Dialect, launch: Launch, required: number | undefined): void {
  const widths = warpsOf(dialect, launch);
  const others = WARPS[dialect].filter((width) => !widths.includes(width));
  if (dialect !== 'xpu' || required !== 0 || others.length === 0) return;
  const stated = widths.join(' or ');
  throw new SubjectError(
    `the launch of ${symbol} states sub-groups of ${stated} lanes, and its source requires none, so that a compiler may take ${others.join(' or ')}: add \`__attribute__((intel_reqd_sub_group_size(${widths[0]})))\` to the kernel, or take \`warp\` out of its launch`,
  );
}

function routeAt(routes: readonly LoadedRoute[], { mode, warp }: Way, dialect: Dialect, shape: Shape): LoadedRoute {
  const found = routes.find(
    ({ kind, launch, isFirst, route }) =>
      kind === MODE[mode].image &&
      (warp === undefined ? isFirst : route.warp === warp) &&
      (launch.when?.(shape) ?? true),
  );
  if (found) return found;
  const at = warp === undefined ? '' : ` at ${warp} lanes a warp`;
  throw new SubjectError(`no ${dialect} launch takes ${shapeText(shape)}${at}`);
}

async function imageOf(
  sources: Sources,
  kernel: Kernel,
  dialect: Dialect,
  asked: AskedImage,
  launch: Launch,
  control?: PlantedControl,
): Promise<MadeImage> {
  const request = requestFor(sources, kernel, dialect, asked, launch, control);
  const result = await sources.images.get(request);
  if ('error' in result) throw new SubjectError(`${shownPath(request.path)} does not compile:\n${result.error}`);
  return result;
}

type AskedImage = Pick<ImageRequest, 'kind' | 'warp'>;

/** What is compiled for a launch, as it is or planted. */
export function requestFor(
  sources: Pick<Sources, 'texts'>,
  kernel: Kernel,
  dialect: Dialect,
  asked: AskedImage,
  launch: Launch,
  control?: PlantedControl,
): ImageRequest {
  const path = sourceOf(kernel.folder, dialect, launch);
  return { ...asked, dialect, path, text: plantedText(sources, path, dialect, control), defines: launch.defines ?? {} };
}

/** A source with a control's edit in it. The edit's one match may be in another source of the kernel. */
export function plantedText(
  sources: { readonly texts: ReadonlyMap<string, string> },
  path: string,
  dialect: Dialect,
  control?: PlantedControl,
): string {
  const text = sources.texts.get(path);
  if (text === undefined) throw new SubjectError(`${shownPath(path)} is not there`);
  const edit = control?.edit?.[dialect];
  return edit && text.includes(edit.from) ? text.replace(edit.from, () => edit.to) : text;
}

/** An edit is counted over all sources of the kernel's launches: nowhere, or in two places, it plants nothing certain. */
function requireEdit(sources: Sources, kernel: Kernel, dialect: Dialect, control?: PlantedControl): void {
  const edit = control?.edit?.[dialect];
  if (!edit) return;
  const paths = new Set(launchesOf(kernel.contract, dialect).map((launch) => sourceOf(kernel.folder, dialect, launch)));
  const texts = [...paths].map((path) => sources.texts.get(path) ?? '');
  requireOnePlace(`${dialect} edit`, edit, texts);
}

function requireOnePlace(what: string, { from }: Edit, texts: readonly string[]): void {
  const count = texts.reduce((sum, text) => sum + text.split(from).length - 1, 0);
  if (count !== 1) throw new SubjectError(`its ${what} matches ${count} places, not 1: ${from}`);
}

function claimOf(kernel: Kernel, control?: PlantedControl): Problem | undefined {
  const { problem, contract } = kernel;
  if (control?.formula) requireOnePlace('formula edit', control.formula, [problem?.formula.text ?? '']);
  if (!problem || !control) return problem;
  if (control.withoutPoint !== undefined)
    return { ...problem, graph: withoutPoint(problem.graph, control.withoutPoint) };
  if (!control.formula) return problem;
  const text = problem.formula.text.replace(control.formula.from, () => control.formula?.to ?? '');
  const { inputs, outputs, scalars = {}, dims } = contract;
  return problemOf({ ...problem.formula, text }, inputs, outputs, scalars, Object.keys(dims));
}

function routeFor(launch: Launch, warp: number): LoadedRoute['route'] {
  const [x = 1, y = 1, z = 1] = [launch.threads].flat();
  return {
    launch,
    warp,
    depth: (shape) => launch.depth(launchShape(shape, warp)),
    group: [x, y, z],
    grid: (shape) => {
      const [gx = 1, gy = 1, gz = 1] = claimed('grid', () => launch.grid(launchShape(shape, warp))).map(wholeGroups);
      return [gx, gy, gz];
    },
    localBytes: (shape) => claimed('localBytes', () => launch.localBytes?.(launchShape(shape, warp)) ?? 0),
    cluster: launch.cluster ?? 0,
  };
}

/** A launch takes 32 bits of each side: another number would be cut to them. */
function wholeGroups(size: number): number {
  if (Number.isInteger(size) && size >= 0 && size < 2 ** 31) return size;
  throw new ClaimError(`the contract's grid has a side of ${size} groups`);
}

function arithmeticOf(
  contract: Contract,
  problem: Problem | undefined,
  dialect: Dialect,
  { launch, depth: depthAt }: Pick<Route, 'launch' | 'depth'>,
  shape: Shape,
  flushed: boolean,
): Arithmetic & { key: string } {
  const flush = flushed || contract.denormals === 'flush';
  const used = new Set(
    problem?.graph.nodes.flatMap((node) =>
      node.kind === 'map' ? [node.op] : node.kind === 'reduce' ? ['div' as const] : [],
    ),
  );
  const depth = depthAt(shape);
  const error = (op: MapName): Limit => limitOf(op, dialect, launch.ops);
  const errors = [...used].map((op) => `${op}=${JSON.stringify(error(op))}`).toSorted();
  return { depth, flush, error, key: `${depth} ${flush} ${errors.join(' ')}` };
}
