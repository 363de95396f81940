/**
 * Random kernels whose loops step through memory, judged twice by check images: as ever, by the short ways that settle a loop or an
 * access at once, and with a switch of threads after accesses, where every one takes the long way. Both must find a fault, or none:
 * `bun scripts/fuzz-check.ts [SOURCES] [SEED]`. Prints each kernel of which they differ, and exits 1 on any.
 */
import { Checked } from '../tests/device/check/kit.ts';
import { type Random, random } from '../src/numerics/random.ts';

const [SOURCES = 10, SEED = 1] = process.argv.slice(2).map(Number);
const KERNELS = 24;
const SCHEDULES = [0, 1, 3];
/** Words of a kernel's local memory; its buffers have 1024, of which each of 4 groups of 256 threads has its own 256. */
const WORDS = 320;

const pick = <T>(source: Random, from: readonly [T, ...T[]]): T => from[source.int(0, from.length - 1)] ?? from[0];

/** A place in memory by the counter `k` and the thread `T`: mostly inside `words`, with a fault in some. */
function placeIn(source: Random, words: number, turns: string): string {
  const thread = pick(source, ['T', 'T', 'T % 32', '4 * (T % 64)', '(255 - T)', '33 * (T % 8)', 'T / 32']);
  const step = pick(source, ['k', 'k', '32 * k', '8 * k', '2 * k', `(${turns} - 1 - k)`, '33 * k']);
  const start = pick(source, ['', '', '', ' + 1', ' - 1', ' + 7']);
  const place = `${thread} + ${step}${start}`;
  return pick(source, [`(${place}) % ${words}u`, `(${place}) % ${words}u`, place, `(${place}) & ${words - 1}`]);
}

/** A loop of `turns` turns over `k`, in one of the ways in which they are written. */
function loop(source: Random, body: (turns: string) => string): string {
  const turns = pick(source, ['FOUR', 'FOUR', 'EIGHT', 'EIGHT + T % 2', 'FOUR - (T == 9)', 'ROWS / 4']);
  const head = pick(source, [
    `for (unsigned k = 0; k < ${turns}; k++)`,
    `for (int k = 0; k < int(${turns}); k++)`,
    `for (size_t k = 0; k != ${turns}; k++)`,
    `for (int k = int(${turns}) - 1; k >= 0; k--)`,
    `for (unsigned k = T % 4; k < ${turns}; k += 4)`,
    `for (unsigned k = 0; k < ${turns}; k += 2)`,
    `if (T < 64) for (unsigned k = 0; k < ${turns}; k++)`,
  ]);
  return `  ${head} ${body(`(${turns})`)}\n`;
}

const SET = '  s[T] = 1; if (T < 64) s[256 + T] = 2;\n  __syncthreads();\n';

const element = (source: Random): string => pick(source, ['float', 'float', 'u16', 'u8', 'double']);

/** A statement of a loop: a write of local memory or of the output, or a read of either or of the input. */
function access(source: Random): string {
  const type = element(source);
  const of = (memory: string): string => `((${memory === 'x' ? 'const ' : ''}${type}*)${memory})`;
  const group = '(y + blockIdx.x * 256)';
  return loop(source, (turns) => {
    const at = (words: number): string => `[${placeIn(source, words, turns)}]`;
    return pick(source, [
      `${of('s')}${at(WORDS)} = ${type}(T + k);`,
      `s[T] = x[T + 4 * (k % 8)];`,
      `sum += float(${of('s')}${at(WORDS)});`,
      `sum += x${at(1024)};`,
      `${of(group)}${at(256)} = ${type}(k);`,
      `${group}[T * 4 % 256 + k % 4] = x${at(1024)};`,
      `sum += float(${of(group)}${at(256)});`,
      `{ ${group}[T] = sum; sum += s${at(WORDS)}; }`,
    ]);
  });
}

const BARRIER = '  __syncthreads();\n';

/** A loop with no fault, where a barrier stands before and behind it and local memory is set. */
function rightAccess(source: Random): string {
  const group = '(y + blockIdx.x * 256)';
  const at = `[(${pick(source, ['T', 'T % 32', '7 * T', '255 - T'])} + ${pick(source, ['k', '32 * k', '33 * k', '5 * k'])}) % 256]`;
  return pick(source, [
    `  for (unsigned k = 0; k < EIGHT; k++) sum += s${at};\n`,
    `  for (unsigned k = 0; k < FOUR; k++) sum += x${at};\n`,
    `  for (unsigned k = T / 64; k < EIGHT; k += 4) s[T] = sum + k;\n`,
    `  if (T < 64) for (unsigned k = 0; k < FOUR; k++) ${group}[T * 4 + k] = x[T + k];\n`,
    `  if (T < 64) for (unsigned k = 0; k < FOUR; k++) s[T + 64 * k] = x[T + 64 * k];\n`,
    `  if (T < 32) for (unsigned k = 0; k < EIGHT; k++) ((u16*)s)[T * 16 + 2 * k] = u16(k);\n`,
    `  for (int k = int(FOUR) - 1; k >= 0; k--) ((u8*)s)[T * 4 + k] = u8(k);\n`,
  ]);
}

function kernel(source: Random, index: number): string {
  const isRight = source.unit() < 0.7;
  const steps = Array.from({ length: source.int(2, 5) }, () => [
    isRight || source.unit() < 0.5 ? rightAccess(source) : access(source),
    isRight ? BARRIER : pick(source, [BARRIER, BARRIER, '  __syncwarp();\n', '']),
  ]);
  const set = isRight ? SET : pick(source, [SET, '']);
  const body = steps.flat().join('');
  return `KERNEL k${index}(const float* x, float* y, unsigned* count) {\n  __shared__ double store[${WORDS / 2}];\n  float* const s = (float*)store;\n  float sum = 0;\n${set}${body}  y[blockIdx.x * 256 + T] = sum;\n}\n`;
}

const HEAD = `#define KERNEL extern "C" __global__ void
typedef unsigned short u16;
typedef unsigned char u8;
#define T threadIdx.x
#define FOUR unsigned(x[3])
#define EIGHT unsigned(x[7])
#define ROWS unsigned(x[31])
`;

let differ = 0;
const tally = { right: 0, wrong: 0 };
for (let number = 0; number < SOURCES; number++) {
  const source = random(`${SEED}:${number}`);
  const kernels = Array.from({ length: KERNELS }, (_, index) => kernel(source, index));
  const form = number % 3 === 2 ? 'fibers' : '';
  const checked = await Checked.of('cuda', HEAD + kernels.join(''), `fuzz${number}.cu`, form);
  for (const [index, text] of kernels.entries()) {
    const verdicts = SCHEDULES.flatMap((schedule) =>
      [false, true].map((preempt) => checked.run(`k${index}`, { schedule, check: { preempt } })),
    );
    const isRight = verdicts.map(({ failure }) => failure === 'right');
    tally[isRight[0] === true ? 'right' : 'wrong']++;
    if (new Set(isRight).size === 1) continue;
    differ++;
    console.log(`source ${number}${form}, seed ${SEED}: ${verdicts.map(({ failure }) => failure).join(', ')}\n${text}`);
    console.log(verdicts.map(({ text: told }) => told).join('\n'));
  }
  checked.device.close();
}
console.log(
  `${tally.right} right, ${tally.wrong} with a fault, ${differ} told apart by the short ways or by the order`,
);
process.exitCode = differ > 0 ? 1 : 0;
