import { describe, expect, test } from 'bun:test';
import { LoweringError } from '../../../src/device/toolchain/lower/error.ts';
import { lowerOpencl } from '../../../src/device/toolchain/lower/opencl.ts';

const lower = (source: string): ReturnType<typeof lowerOpencl> =>
  lowerOpencl(`typedef int tf_source_begin;\n# 1 "k.cl"\n${source}`, { path: 'k.cl' });

/** The lowered text, without the marker that names it and without the bodies. */
function lowered(source: string): string {
  const { text } = lower(source);
  return text.slice(text.indexOf('# 1 "k.cl"\n') + 11, text.indexOf('\n# 1 "<kernel table>"'));
}

function errorOf(source: string): LoweringError {
  try {
    lower(source);
  } catch (error) {
    if (error instanceof LoweringError) return error;
    throw error;
  }
  throw new Error('the source was lowered');
}

describe('an OpenCL kernel', () => {
  const source = [
    '__attribute__((reqd_work_group_size(256, 1, 1))) __attribute__((intel_reqd_sub_group_size(16)))',
    'kernel void f(global const float* restrict x, __local float4* part, const uint n, struct P p) { }',
    '__kernel __attribute__((reqd_work_group_size(32*8, 2, 1))) void g(void) { }',
    'kernel void declared(global float* x);',
  ].join('\n');

  test('keeps its text and gets a body that runs threads', () => {
    const { text } = lower(source);
    expect(text.slice(text.indexOf(source))).toBe(
      [
        source,
        '# 1 "<kernel table>"',
        '__attribute__((no_sanitize("kernel-address"))) void tf_body_f(ulong thread, ulong* arguments) { while (tf_cl_next(thread)) f(' +
          '*(global const float * __private*)arguments[0], (__local float4 *)tf_cl_local_argument(arguments[1]), ' +
          '*(const uint __private*)arguments[2], *(struct P __private*)arguments[3]); }',
        '__attribute__((no_sanitize("kernel-address"))) void tf_body_g(ulong thread, ulong* arguments) { while (tf_cl_next(thread)) g(); }',
        '',
      ].join('\n'),
    );
  });

  test('enters the table with its bound and sub-group size', () => {
    expect(lower(source).table).toBe(
      [
        'TF_CL_LOCALS_BEGIN("k.cl")',
        'TF_CL_LOCALS_END',
        'TF_CL_BODY(tf_body_f)',
        'TF_CL_BODY(tf_body_g)',
        'TF_KERNELS_BEGIN',
        'TF_CL_KERNEL("f", tf_body_f, (256), (1), (1), (16), TF_CL_BUFFER, TF_CL_LOCAL_POINTER, TF_CL_BYTES(4), ' +
          'TF_CL_BYTES(0))',
        'TF_CL_KERNEL("g", tf_body_g, (32*8), (2), (1), (0))',
        'TF_KERNELS_END',
        '',
      ].join('\n'),
    );
  });

  test.each([
    ['uchar', 1],
    ['half4', 8],
    ['float3', 16],
    ['unsigned int', 4],
    ['const ulong', 8],
    ['uint16', 64],
    ['my_type', 0],
  ])('takes a %s of %d bytes', (type, bytes) => {
    expect(lower(`kernel void f(${type} x) { }`).table).toContain(`TF_CL_BYTES(${bytes})`);
  });

  test.each([
    ['kernel void f(read_only image2d_t x) { }', 'a kernel parameter that is an image, a sampler or a pipe'],
    ['kernel void f(global float x[]) { }', 'a parameter that is an array'],
    ['kernel __attribute__((reqd_work_group_size(256))) void f() { }', 'reqd_work_group_size of 1 sizes'],
    ['kernel void f() { local float a[2]; { float a = 1; } }', "'a' hides a local variable of that name"],
    ['kernel void f() { local float a = 1; }', 'local memory cannot be initialised where it is declared'],
  ])('%s is refused', (text, what) => {
    expect(errorOf(`\n${text}`)).toMatchObject({ file: 'k.cl', line: 2, what });
  });
});

describe('local variables', () => {
  const source = [
    'kernel void f() {',
    '  local float a[4][8], n;',
    '  __local uint b[2] __attribute__((aligned(16)));',
    '  a[0][1] = s.a + n; b[0] = sizeof n;',
    '}',
    'kernel void g(local float* a) { a[0] = n; local int c; c = 1; }',
  ].join('\n');

  test('become pointers, and their uses go through them', () => {
    expect(lowered(source)).toBe(
      [
        'kernel void f() {',
        '  __local float (*const tf_local_a)[4][8] = (__local float (*)[4][8])tf_cl_local(0, sizeof(float [4][8]), 0, 2);' +
          ' __local float (*const tf_local_n) = (__local float (*))tf_cl_local(1, sizeof(float), 0, 2);',
        '  __local uint (*const tf_local_b)[2] = (__local uint (*)[2])tf_cl_local(2, sizeof(uint [2]), 16, 3);',
        '  (*tf_local_a)[0][1] = s.a + (*tf_local_n); (*tf_local_b)[0] = sizeof (*tf_local_n);',
        '}',
        'kernel void g(local float* a) { a[0] = n; __local int (*const tf_local_c) = ' +
          '(__local int (*))tf_cl_local(3, sizeof(int), 0, 6); (*tf_local_c) = 1; }',
      ].join('\n'),
    );
  });

  test('are named in the table, in the order of their ids', () => {
    expect(lower(source).table).toStartWith(
      'TF_CL_LOCALS_BEGIN("k.cl")\nTF_CL_LOCAL("a", 2)\nTF_CL_LOCAL("n", 2)\nTF_CL_LOCAL("b", 3)\nTF_CL_LOCAL("c", 6)\n',
    );
  });

  test('are not pointers to local memory', () => {
    const pointers = 'void f(local float* p) { local float* q = p; x = (local int*)p; }';
    expect(lowered(pointers)).toBe(pointers);
  });
});
