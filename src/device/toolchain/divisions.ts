/**
 * The division of OpenCL C, an operator that no header can take: in LLVM's text its instruction becomes a call of a function of
 * the image, which notes it and may move its result. Instructions of the dialect's own header have no line and stay.
 */

/** The function of opencl/image/math.h. */
const FUNCTION = 'tf_cl_divide';

const OPERAND = String.raw`<[^>]*>|[^,<]+`;
const DIVISION = new RegExp(
  String.raw`^ *(%[\w.]+) = fdiv (?:[a-z]+ )*(float|<(\d+) x float>) (${OPERAND}), (${OPERAND})((?:, ![a-z]+ !\d+)+)$`,
  'gm',
);

/** The text with every division of fp32 that has a line as a call. */
export function withDivisionCalls(text: string): string {
  let serial = 0;
  const changed = text.replaceAll(DIVISION, (line, ...[name, type, lanes, a, b, notes]: string[]) => {
    const place = /, !dbg !\d+/.exec(notes ?? '')?.[0];
    if (place === undefined) return line;
    const call = (result: string, x: string, y: string): string =>
      `  ${result} = call float @${FUNCTION}(float ${x}, float ${y})${place}`;
    if (lanes === undefined) return call(name ?? '', a ?? '', b ?? '');
    return laneByLane(
      { name: name ?? '', type: type ?? '', lanes: Number(lanes), a: a ?? '', b: b ?? '' },
      serial++,
      call,
    );
  });
  return changed === text ? text : `${changed}\ndeclare float @${FUNCTION}(float, float)\n`;
}

interface VectorDivision {
  readonly name: string;
  readonly type: string;
  readonly lanes: number;
  readonly a: string;
  readonly b: string;
}

/** Names of its own, since the numbered ones of a function follow each other. */
function laneByLane(
  { name, type, lanes, a, b }: VectorDivision,
  serial: number,
  call: (result: string, x: string, y: string) => string,
): string {
  const own = (part: string, lane: number): string => `%tf.${serial}.${part}${lane}`;
  return Array.from({ length: lanes }, (_, lane) => {
    const before = lane === 0 ? 'poison' : own('v', lane - 1);
    const after = lane === lanes - 1 ? name : own('v', lane);
    return [
      `  ${own('a', lane)} = extractelement ${type} ${a}, i32 ${lane}`,
      `  ${own('b', lane)} = extractelement ${type} ${b}, i32 ${lane}`,
      call(own('q', lane), own('a', lane), own('b', lane)),
      `  ${after} = insertelement ${type} ${before}, float ${own('q', lane)}, i32 ${lane}`,
    ].join('\n');
  }).join('\n');
}
