/** Author mistakes that must not compile. `bun check` fails where one of them does, since its directive is then unused. */
import { bf16, edit, kernel, rows } from '#contract';

const base = {
  nan: 'propagate',
  accumulator: 'f32',
  controls: [],
} as const;
const launch = { symbol: 'k', threads: 1, grid: () => [1], depth: () => 1 } as const;
const one = {
  name: 'n',
  dims: { rows: {}, width: {} },
  served: [{ rows: 1, width: 8 }],
  inputs: { x: bf16('rows', 'width') },
  outputs: { y: bf16('rows', 'width') },
  scalars: { eps: 1 },
  formula: rows('width', 'y = x'),
} as const;

// A tensor over a dimension that does not exist.
// @ts-expect-error
kernel({ ...base, ...one, inputs: { x: bf16('row', 'width') }, args: ['x', 'y'], launch: { cuda: launch } });

// An argument that is no input, output, scalar or dimension.
// @ts-expect-error
kernel({ ...base, ...one, args: ['x', 'y', 'z'], launch: { cuda: launch } });

// A served shape without one of the dimensions.
// @ts-expect-error
kernel({ ...base, ...one, served: [{ rows: 1 }], args: ['x', 'y'], launch: { cuda: launch } });

// A dimension misspelt in a grid.
// @ts-expect-error
kernel({ ...base, ...one, args: ['x', 'y'], launch: { cuda: { ...launch, grid: ({ row }) => [row] } } });

// An unknown dialect.
// @ts-expect-error
kernel({ ...base, ...one, args: ['x', 'y'], launch: { vulkan: launch } });

// A launch without a depth.
// @ts-expect-error
kernel({ ...base, ...one, args: ['x', 'y'], launch: { cuda: { symbol: 'k', threads: 1, grid: () => [1] } } });

// A forgotten NaN rule.
// @ts-expect-error
kernel({ ...one, accumulator: 'f32', controls: [], args: ['x', 'y'], launch: { cuda: launch } });

// An unknown accumulator.
// @ts-expect-error
kernel({ ...base, ...one, accumulator: 'f16', args: ['x', 'y'], launch: { cuda: launch } });

const control = { fault: 'f', finding: 'value', edit: { cuda: edit('a', 'b') } } as const;

// An unknown gate.
// @ts-expect-error
kernel({ ...base, ...one, args: ['x', 'y'], launch: { cuda: launch }, controls: [{ ...control, reddens: 'shape' }] });

// A control that says nothing of what it must find.
// @ts-expect-error
kernel({ ...base, ...one, args: ['x', 'y'], launch: { cuda: launch }, controls: [{ fault: 'f', reddens: 'shapes' }] });

// An unknown fill, and a fill of an input that is not there.
// @ts-expect-error
kernel({ ...base, ...one, args: ['x', 'y'], launch: { cuda: launch }, fills: { x: 'gaussian' } });
// @ts-expect-error
kernel({ ...base, ...one, args: ['x', 'y'], launch: { cuda: launch }, fills: { w: 'normal' } });

// A row dimension that does not exist.
// @ts-expect-error
kernel({ ...base, ...one, args: ['x', 'y'], launch: { cuda: launch }, rowIndependent: 'row' });

// All of it right.
kernel({
  ...base,
  ...one,
  args: ['x', 'y', 'width', 'eps'],
  launch: { cuda: launch, everywhere: launch },
  rowIndependent: 'rows',
});
