/** The shapes at which a kernel runs in its check image, whose every access costs about ten of the fast image's. */
import type { Shape } from '../families/tensor.ts';
import { shapeText, sizeOf } from '../families/tensor.ts';
import type { Contract } from './contract.ts';
import { edgeShapes, routeBases, sameRoutes, servedShapes, tailShapes, volume } from './shapes.ts';

/** Elements that a shape may span: about ten million accesses of a projection, some tenths of a second. */
const MOST = 1 << 20;

/**
 * For each route an edge, and the shape where most partials meet: the longest sums, then the most of them, among what is
 * served and its edges. Of shapes past `MOST` elements the smallest of the route stands in.
 */
export function checkShapes(contract: Contract, over: string | undefined): Shape[] {
  const all = [...tailShapes(contract), ...edgeShapes(contract), ...servedShapes(contract)];
  const shapes = routeBases(contract).flatMap((base) => {
    const route = all.filter((shape) => sameRoutes(contract, base, shape));
    const small = route.filter((shape) => volume(shape) <= MOST);
    const least = route.reduce((a, b) => (volume(b) < volume(a) ? b : a), base);
    const [edge = least] = small;
    const partials = (shape: Shape): number => (over === undefined ? 1 : sizeOf(shape, over));
    const most = small.toSorted((a, b) => partials(b) - partials(a) || volume(b) - volume(a))[0] ?? least;
    return [edge, most];
  });
  return [...new Map(shapes.map((shape) => [shapeText(shape), shape])).values()];
}
