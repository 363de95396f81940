import { describe, expect, test } from 'bun:test';
import { lowerCuda } from '../../../src/device/toolchain/lower/cuda.ts';
import { LoweringError } from '../../../src/device/toolchain/lower/error.ts';

/** The lowered text of a source named k.cu, without the marker that names it. */
function lowered(source: string, prelude = ''): string {
  const text = `${prelude}typedef int tf_source_begin;\n# 1 "k.cu"\n${source}`;
  return lowerCuda(text).text.split('# 1 "k.cu"\n')[1] ?? '';
}

function table(...rows: string[]): string {
  return ['', '# 1 "<kernel table>"', 'TF_KERNELS_BEGIN', ...rows, 'TF_KERNELS_END', ''].join('\n');
}

function errorOf(source: string): LoweringError {
  try {
    lowerCuda(`# 1 "k.cu"\n${source}`);
  } catch (error) {
    if (error instanceof LoweringError) return error;
    throw error;
  }
  throw new Error('the source was lowered');
}

describe('a CUDA kernel', () => {
  test('enters the table by its extern "C" name, with its bound', () => {
    const source = 'extern "C" __global__ void __launch_bounds__(256, 2) f(float* y) { y[0] = 1; }';
    const bound = 'static constexpr unsigned tf_bound_f = (unsigned)(256); ';
    expect(lowered(source)).toBe(
      `${bound}extern "C"  void  f(float* y) { y[0] = 1; }${table('TF_KERNEL("f", (f), (tf_bound_f))')}`,
    );
  });

  test('without a bound has none', () => {
    expect(lowered('__global__ void f() {}')).toBe(` void f() {}${table('TF_KERNEL("f", (f), (0))')}`);
  });

  test('in namespaces is named with them, or by its extern "C" name alone', () => {
    const source = 'namespace a::b { namespace { __global__ void f() {} } extern "C" { __global__ void g() {} } }';
    expect(lowerCuda(source).text).toEndWith(
      table('TF_KERNEL("a::b::f", (a::b::f), (0))', 'TF_KERNEL("g", (a::b::g), (0))'),
    );
  });

  test('that is a template enters once an instantiation, its bound dependent on the arguments', () => {
    const source = [
      'namespace n {',
      'template <typename T, int N = 32>',
      '__global__ void __launch_bounds__(N * (N > 4 ? 1 : 2)) f(T* y) {}',
      'template __global__ void f<float,128>(float*);',
      '}',
      'template __global__ void n::f<unsigned  int>(unsigned int*);',
    ].join('\n');
    expect(lowered(source)).toBe(
      [
        'namespace n {',
        'template <typename T, int N = 32> static constexpr unsigned tf_bound_f = (unsigned)(N * (N > 4 ? 1 : 2)); ' +
          'template <typename T, int N = 32>',
        ' void  f(T* y) {}',
        'template  void f<float,128>(float*);',
        '}',
        'template  void n::f<unsigned  int>(unsigned int*);',
      ].join('\n') +
        table(
          'TF_KERNEL("n::f<float, 128>", (n::f<float, 128>), (n::tf_bound_f<float, 128>))',
          'TF_KERNEL("n::f<unsigned int>", (n::f<unsigned int>), (n::tf_bound_f<unsigned int>))',
        ),
    );
  });

  test('takes the bound of its earlier declaration', () => {
    const source = '__global__ void __launch_bounds__(64) f(); __global__ void f() {}';
    expect(lowerCuda(source).text).toEndWith(table('TF_KERNEL("f", (f), (tf_bound_f))'));
  });

  test('that specialises a template is an entry of its own', () => {
    const source = 'template <class T> __global__ void f(T*) {} template <> __global__ void f<int>(int*) {}';
    expect(lowerCuda(source).symbols).toEqual(['f<int>']);
  });

  test('keeps its lines when its head is spread over several', () => {
    const source = 'extern "C"\n__global__ void\n__launch_bounds__(\n  256)\nf() {\n}\nint last;';
    const lines = lowered(source).split('\n');
    expect(lines.indexOf('int last;')).toBe(6);
  });
});

describe('shared memory', () => {
  const inKernel = (body: string): string => {
    const text = lowered(`__global__ void f() { ${body} }`);
    return text.slice(text.indexOf('{ ') + 2, text.indexOf(' }'));
  };

  test.each([
    // Common
    ['__shared__ float a[8];', 'TF_LOCAL((float), a, ([8]), (0), 1);'],
    ['__shared__ int n;', 'TF_LOCAL((int), n, (), (0), 1);'],
    ['__shared__ float a[8], b;', 'TF_LOCAL((float), a, ([8]), (0), 1); TF_LOCAL((float), b, (), (0), 1);'],
    ['__shared__ float a[4][N + 1];', 'TF_LOCAL((float), a, ([4][N + 1]), (0), 1);'],

    // Types
    ['__shared__ unsigned int a[8];', 'TF_LOCAL((unsigned int), a, ([8]), (0), 1);'],
    ['__shared__ Tile<float, N / 32> t;', 'TF_LOCAL((Tile<float, N / 32>), t, (), (0), 1);'],
    ['__shared__ typename A<T>::B t;', 'TF_LOCAL((typename A<T>::B), t, (), (0), 1);'],
    ['volatile __shared__ float a[2];', 'TF_LOCAL((volatile float), a, ([2]), (0), 1);'],
    ['float __shared__ a[2];', 'TF_LOCAL((float), a, ([2]), (0), 1);'],
    ['static __shared__ ::ns::T a;', 'TF_LOCAL((::ns::T), a, (), (0), 1);'],

    // A pointer that lies in shared memory
    ['__shared__ float* p;', 'TF_LOCAL((float *), p, (), (0), 1);'],
    ['__shared__ float *p, q;', 'TF_LOCAL((float *), p, (), (0), 1); TF_LOCAL((float), q, (), (0), 1);'],

    // Alignment
    ['__shared__ __align__(16) float a[8];', 'TF_LOCAL((float), a, ([8]), (16), 1);'],
    ['alignas(sizeof(T)) __shared__ float a[8];', 'TF_LOCAL((float), a, ([8]), (sizeof(T)), 1);'],
    ['__shared__ __attribute__((aligned(32))) float a[8];', 'TF_LOCAL((float), a, ([8]), (32), 1);'],
    ['__shared__ float a[8] __attribute__((aligned(8)));', 'TF_LOCAL((float), a, ([8]), (8), 1);'],

    // Dynamic
    ['extern __shared__ float a[];', 'TF_LOCAL_DYNAMIC((float), a, 1);'],
    ['extern __shared__ __align__(16) unsigned char a[];', 'TF_LOCAL_DYNAMIC((unsigned char), a, 1);'],
  ])('%s', (source, want) => {
    expect(inKernel(source)).toBe(want);
  });

  test('that is dynamic and declared outside functions is declared in each that names it', () => {
    const source = 'extern __shared__ float s[];\n__device__ int g() { return 1; }\n__global__ void f() { s[0] = 1; }';
    expect(lowered(source)).toStartWith(
      '\n__device__ int g() { return 1; }\n void f() { TF_LOCAL_DYNAMIC((float), s, 1); s[0] = 1; }',
    );
  });

  test.each([
    ['__shared__ float a[2] = {1, 2};', 'local memory cannot be initialised where it is declared'],
    ['__shared__ struct { int a; } s;', 'local memory of a type that is declared in place'],
    ['__shared__ float (*p)[3];', 'this declaration of local memory cannot be read'],
    ['extern __shared__ float a[][4];', "dynamic local memory 'a' has more than one dimension"],
  ])('%s is refused', (source, what) => {
    const error = errorOf(`__global__ void f() {\n  ${source}\n}`);
    expect(error).toMatchObject({ file: 'k.cu', line: 2, what });
    expect(error.message).toStartWith(`k.cu:2: error: ${what}\n  `);
  });

  test('outside a function with a size is refused', () => {
    expect(errorOf('\n__shared__ float a[4];')).toMatchObject({ line: 2, what: "__shared__ 'a' outside a function" });
  });
});

describe('inline assembly', () => {
  const prelude = 'void tf_ptx_ex2_approx_ftz_f32(float&, float, int);\nvoid tf_ptx_cp_async_cg_shared_global(...);\n';
  const asm = (source: string): string => {
    const text = lowered(`void g() { ${source}; }`, prelude);
    return text.slice(text.indexOf('{ ') + 2, text.indexOf('; }\n'));
  };

  test.each([
    ['asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x + 1))', 'tf_ptx_ex2_approx_ftz_f32(y, x + 1, 1)'],
    [
      'asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\\n" :: "r"(f(a, b)), "l"(p) : "memory")',
      'tf_ptx_cp_async_cg_shared_global(f(a, b), p, 16, 1)',
    ],
    ['asm("ex2.approx.ftz.f32 %[out], %[in];" : [out] "=f"(y) : [in] "f"(x))', 'tf_ptx_ex2_approx_ftz_f32(y, x, 1)'],
    [
      'asm("ex2.approx.ftz.f32 %0, %1; ex2.approx.ftz.f32 %0, %0;" : "=f"(y) : "f"(x))',
      '(tf_ptx_ex2_approx_ftz_f32(y, x, 1), tf_ptx_ex2_approx_ftz_f32(y, y, 1))',
    ],
    ['asm("ex2.approx.ftz.f32\\n" "%0, // y\\n%1;" : "=f"(y) : "f"(x))', 'tf_ptx_ex2_approx_ftz_f32(y, x, 1)'],
    ['asm("{ ex2.approx.ftz.f32 %0, %1; }" : "=f"(y) : "f"(x))', 'tf_ptx_ex2_approx_ftz_f32(y, x, 1)'],
    ['asm volatile("" ::: "memory")', '((void)0)'],

    // What the header does not define faults by name when it is reached
    ['asm("bar.sync 0;")', 'tf_unsupported("inline asm bar.sync", 1)'],
    ['asm("ex2.approx.ftz.f32 %0, %1; bar.sync 0;" : "=f"(y) : "f"(x))', 'tf_unsupported("inline asm bar.sync", 1)'],
    ['asm("{ .reg .b32 r; mov.b32 r, 1; }")', 'tf_unsupported("inline asm mov.b32", 1)'],
    ['asm("s_nop 0\\ns_waitcnt vmcnt(0)")', 'tf_unsupported("inline asm s_nop", 1)'],
    [
      'asm("cp.async.cg.shared.global [%0 + 8], [%1], 16;" :: "r"(a), "l"(p))',
      'tf_unsupported("inline asm cp.async.cg.shared.global", 1)',
    ],
  ])('%s', (source, want) => {
    expect(asm(source)).toBe(want);
  });

  test('of a header is left alone', () => {
    const text = '__asm__("mov %%rsp,%0" : "=r"(sp));\ntypedef int tf_source_begin;\n# 1 "k.cu"\n';
    expect(lowerCuda(text).text).toStartWith(text);
  });
});

describe('a source', () => {
  test('may include header text, which is final', () => {
    const stub = '# 1 "/host/dialect/include/cuda/cuda_fp16.h" 1\ninline void h() { asm("bar.sync 0;"); }\n';
    const text = `typedef int tf_source_begin;\n# 1 "k.cu"\n${stub}# 2 "k.cu" 2\n__global__ void f() {}`;
    expect(lowerCuda(text, '/host').text).toContain('asm("bar.sync 0;")');
    expect(lowerCuda(text, '/elsewhere').text).toContain('tf_unsupported("inline asm bar.sync", 1)');
  });

  test.each([
    ['void g() {\n  f<<<1, 2>>>();\n}', 2, 'a kernel launch <<<...>>> is host code'],
    ['__global__ void f() {\n  (;\n}', 3, "'}' closes nothing"],
    ['__global__ void f() {\n', 1, "'{' is never closed"],
    [
      'template <class T> __global__ void f(T) {}\ntemplate __global__ void f(int);',
      2,
      'an explicit instantiation without template arguments',
    ],
  ])('%p is refused at line %d', (source, line, what) => {
    expect(errorOf(source)).toMatchObject({ file: 'k.cu', line, what });
  });
});
