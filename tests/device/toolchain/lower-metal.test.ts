import { describe, expect, test } from 'bun:test';
import { LoweringError } from '../../../src/device/toolchain/lower/error.ts';
import { lowerMetal } from '../../../src/device/toolchain/lower/metal.ts';

type Defines = Record<string, string | number>;

/** The lowered text of a source named k.metal, without the marker that names it and without the table. */
function lowered(source: string, defines: Defines = {}): string {
  const { text } = lowerMetal(`typedef int tf_source_begin;\n# 1 "k.metal"\n${source}`, { defines });
  return text.slice(text.indexOf('# 1 "k.metal"\n') + 14, text.indexOf('\n# 1 "<kernel table>"'));
}

function rowsOf(source: string): string[] {
  return lowerMetal(source)
    .text.split('\n')
    .filter((line) => line.startsWith('TF_METAL_KERNEL'));
}

function errorOf(source: string): LoweringError {
  try {
    lowerMetal(`# 1 "k.metal"\n${source}`);
  } catch (error) {
    if (error instanceof LoweringError) return error;
    throw error;
  }
  throw new Error('the source was lowered');
}

describe('a Metal kernel', () => {
  test('is lowered whole', () => {
    const source = [
      'kernel void rms(device const float4* x [[buffer(0)]], constant uint& n [[buffer(1)]],',
      '                threadgroup float* part [[threadgroup(0)]],',
      '                uint3 group [[threadgroup_position_in_grid]], uint lane [[thread_index_in_simdgroup]]) {',
      '  threadgroup float total[2];',
      '  device const float4* row = x + group.x * n;',
      '  part[lane] = 1.0 + dot(row[0], float4(row[1].xy, 0.5, 1e-3));',
      '}',
    ].join('\n');
    expect(lowered(source)).toBe(
      [
        ' void rms( const float4* x , const uint& n ,',
        '                 float* part ,',
        '                uint3 group , uint lane ) {',
        '  TF_LOCAL((float), total, ([2]), (0), 4);',
        '   const float4* row = x + group.x * n;',
        '  part[lane] = 1.0f + dot(row[0], tf_metal::make<float4>(row[1].xy, 0.5f, 1e-3f));',
        '}',
      ].join('\n'),
    );
    expect(rowsOf(source)).toEqual([
      'TF_METAL_KERNEL("rms", (rms), (0), TfBuffer<0>, TfBuffer<1>, TfThreadgroup<0>, ' +
        'TfBuiltin<tf_builtin::threadgroup_position_in_grid>, TfBuiltin<tf_builtin::thread_index_in_simdgroup>)',
    ]);
  });

  test.each([
    // Spellings of the head
    ['[[kernel]] void f() {}', 'TF_METAL_KERNEL("f", (f), (0))'],
    ['[[host_name("g" "h")]] kernel void f() {}', 'TF_METAL_KERNEL("gh", (f), (0))'],
    ['namespace n { kernel void f(void) {} }', 'TF_METAL_KERNEL("f", (n::f), (0))'],

    // Bounds, wherever the attribute stands
    ['[[max_total_threads_per_threadgroup(64)]] kernel void f() {}', 'TF_METAL_KERNEL("f", (f), (tf_bound_f))'],
    ['[[kernel, max_total_threads_per_threadgroup(64)]] void f() {}', 'TF_METAL_KERNEL("f", (f), (tf_bound_f))'],
    ['kernel void f [[max_total_threads_per_threadgroup(64)]] () {}', 'TF_METAL_KERNEL("f", (f), (tf_bound_f))'],

    // Parameters without an index take the lowest free one
    [
      'kernel void f(device int* a, device int* b [[buffer(0)]], constant S& c, threadgroup int* d) {}',
      'TF_METAL_KERNEL("f", (f), (0), TfBuffer<1>, TfBuffer<0>, TfBuffer<2>, TfThreadgroup<0>)',
    ],
    [
      'kernel void f(device int* a [[buffer(2), function_constant(has_a)]], ushort2 t [[thread_position_in_grid]]) {}',
      'TF_METAL_KERNEL("f", (f), (0), TfBuffer<2>, TfBuiltin<tf_builtin::thread_position_in_grid>)',
    ],
  ])('%s', (source, row) => {
    expect(rowsOf(source)).toEqual([row]);
  });

  test('that is a template enters by the names of its instantiations', () => {
    const source = [
      'namespace n {',
      'template <typename T, int N> [[max_total_threads_per_threadgroup(N)]] kernel void f(device T* x [[buffer(0)]]) {}',
      'template [[host_name("f_f32")]] kernel void f<float, 8>(device float* x [[buffer(0)]]);',
      '}',
      'template [[host_name("f_f16")]] [[kernel]] decltype(n::f<half, 4>) n::f<half, 4>;',
    ].join('\n');
    expect(rowsOf(source)).toEqual([
      'TF_METAL_KERNEL("f_f32", (n::f<float, 8>), (n::tf_bound_f<float, 8>), TfBuffer<0>)',
      'TF_METAL_KERNEL("f_f16", (n::f<half, 4>), (n::tf_bound_f<half, 4>), TfBuffer<0>)',
    ]);
    expect(lowered(source)).toBe(
      [
        'namespace n {',
        'template <typename T, int N> static constexpr unsigned tf_bound_f = (unsigned)(N); ' +
          'template <typename T, int N>   void f( T* x ) {}',
        '',
        '}',
        '',
      ].join('\n'),
    );
  });

  test.each([
    ['kernel void f(texture2d<float> t [[texture(0)]]) {}', 'the host device knows no [[texture]] parameter'],
    ['kernel void f(uint n) {}', 'a parameter without an attribute'],
    ['template [[host_name("f")]] kernel void f<float>(device float* x);', "no kernel template 'f' is defined here"],
    ['constant bool c [[function_constant(3)]];', "function constant 'c' has no value"],
    ['threadgroup float a[4];', 'a threadgroup variable outside a function'],
  ])('%s is refused', (source, what) => {
    expect(errorOf(`\n${source}`)).toMatchObject({ file: 'k.metal', line: 2, what });
  });
});

describe('address spaces', () => {
  test.each([
    ['device float* f(thread int& n, constant T* p);', ' float* f( int& n, const T* p);'],
    ['constant float lut[2] = {1, 2};', 'const float lut[2] = {1, 2};'],
    ['struct S { device int* p; void g() const constant { } };', 'struct S {  int* p; void g() const  { } };'],
    ['using P = threadgroup float*;', 'using P =  float*;'],
    ['void f() { x = (threadgroup float4*)p; }', 'void f() { x = ( float4*)p; }'],
    ['void f() { threadgroup float* p = q; }', 'void f() {  float* p = q; }'],
    ['void f() { mem_flags m = mem_flags::mem_device; }', 'void f() { mem_flags m = mem_flags::mem_device; }'],
  ])('%s', (source, want) => {
    expect(lowered(source)).toBe(want);
  });

  test('leave threadgroup variables in local memory, whatever the order of the words', () => {
    expect(lowered('void f() { threadgroup alignas(16) vec<T, 4> a[N][2]; float threadgroup b; }')).toBe(
      'void f() { TF_LOCAL((vec<T, 4>), a, ([N][2]), (16), 1); TF_LOCAL((float), b, (), (0), 1); }',
    );
  });
});

describe('overloads that differ only in address space', () => {
  test('are one: the later goes, its lines stay', () => {
    const source = [
      'template <typename T> inline T f(const device T* p, int i) {',
      '  return p[i];',
      '}',
      'template <typename T> inline T f(const threadgroup T* q, int i) {',
      '  return q[i];',
      '}',
      'int last;',
    ].join('\n');
    expect(lowered(source)).toBe(
      'template <typename T> inline T f(const  T* p, int i) {\n  return p[i];\n}\n\n\n\nint last;',
    );
  });

  test('may be specialisations, or members', () => {
    expect(lowered('template <> struct L<device int*> { int a; }; template <> struct L<thread int*> { int a; };')).toBe(
      'template <> struct L< int*> { int a; }; ',
    );
    expect(lowered('struct S { int f(device int* p) { return 1; } int f(thread int* p) { return 1; } };')).toBe(
      'struct S { int f( int* p) { return 1; }  };',
    );
  });

  test.each([
    'int f(device float* p) { return 1; } int f(device half* p) { return 1; }',
    'int f(device int* p) { return 1; } int f(const device int* p) { return 1; }',
    'namespace a { int f(device int* p) { return 1; } } namespace b { int f(thread int* p) { return 1; } }',
    'struct A { int f(device int* p) { return 1; } }; struct B { int f(thread int* p) { return 1; } };',
  ])('are not %s', (source) => {
    const bodies = (text: string): number => text.split('return 1').length - 1;
    expect(bodies(lowered(source))).toBe(2);
  });

  test('are refused where they do different things', () => {
    const error = errorOf('int f(device int* p) { return 1; }\nint f(thread int* p) { return 2; }');
    expect(error.line).toBe(2);
    expect(error.what).toBe('this overload differs from line 1 in its address space, and in what it does');
  });
});

describe('values', () => {
  test.each([
    // Literals
    ['1.0 .5 2. 1e5 1.5e-3', '1.0f .5f 2.f 1e5f 1.5e-3f'],
    ['1.0f 1 0x1e5 10u 0x1bf', '1.0f 1 0x1e5 10u 0x1bf'],
    ['1.0h 2h 0.5bf', '((half)1.0) ((half)2) ((bfloat)0.5)'],

    // Constructors
    ['x = float4(a, b2, c);', 'x = tf_metal::make<float4>(a, b2, c);'],
    ['return half2(float2(1, 2));', 'return tf_metal::make<half2>(tf_metal::make<float2>(1, 2));'],
    ['x = metal::uint3(1);', 'x = tf_metal::make<metal::uint3>(1);'],
    ['x = vec<T, 4>(y);', 'x = tf_metal::make<vec<T, 4>>(y);'],
    ['x = bfloat(y);', 'x = tf_metal::make<bfloat>(y);'],
    ['x = float4{1, 2, 3, 4};', 'x = tf_metal::make<float4>(1, 2, 3, 4);'],
    ['x = static_cast<float2>(y) + static_cast<int>(z);', 'x = tf_metal::make<float2>(y) + static_cast<int>(z);'],
    ['using V = vec<float, 4>; x = V(y);', 'using V = vec<float, 4>; x = tf_metal::make<V>(y);'],
    ['typedef half4 H; x = H(y);', 'typedef half4 H; x = tf_metal::make<H>(y);'],
    [
      'template <typename T> using V4 = vec<T, 4>; x = V4<int>(y);',
      'template <typename T> using V4 = vec<T, 4>; x = tf_metal::make<V4<int>>(y);',
    ],

    // Not constructors
    ['float4 f(float4 a);', 'float4 f(float4 a);'],
    ['operator float4() const;', 'operator float4() const;'],
    ['as_type<uint4>(x); sizeof(float4);', 'as_type<uint4>(x); sizeof(float4);'],
    ['auto f() -> float4 { }', 'auto f() -> float4 { }'],
  ])('%s', (source, want) => {
    expect(lowered(source)).toBe(want);
  });
});

describe('function constants', () => {
  const source = 'constant bool fast [[function_constant(0)]];\nconstant uint n [[function_constant(7)]];';

  test('take the values of the launch', () => {
    expect(lowered(source, { TF_FUNCTION_CONSTANT_0: 'true', TF_FUNCTION_CONSTANT_7: 4 })).toBe(
      'static constexpr bool fast = (bool)(true);\nstatic constexpr uint n = (uint)(4);',
    );
  });

  test('may lack one where the source asks', () => {
    const asking = 'constant int a [[function_constant(0)]]; constant int b = is_function_constant_defined(a) ? a : 2;';
    expect(lowered(asking)).toBe('static constexpr int a = (int)(0); const int b = false ? a : 2;');
    expect(lowered(asking, { TF_FUNCTION_CONSTANT_0: 5 })).toBe(
      'static constexpr int a = (int)(5); const int b = true ? a : 2;',
    );
  });
});
