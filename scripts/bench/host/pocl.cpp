// PoCL through the OpenCL loader, both found at run time: the header gives types alone.
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "driver.h"
#if __has_include(<CL/cl.h>)
#include <CL/cl.h>
#include <cstdlib>
#include <dlfcn.h>

namespace {

struct Pocl {
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  std::string name = "absent";
  void* library = dlopen("libOpenCL.so.1", RTLD_NOW);

  template <class F> F* function(const char* symbol) {
    F* found = (F*)dlsym(library, symbol);
    if (!found) fail(std::string("no ") + symbol);
    return found;
  }
#define CALL(f) function<decltype(f)>(#f)

  Pocl() {
    if (!library) return;
    cl_platform_id platforms[16];
    cl_uint count = 0;
    if (CALL(clGetPlatformIDs)(16, platforms, &count)) return;
    for (cl_uint i = 0; i < count && i < 16; i++) use_if_pocl(platforms[i]);
  }
  void use_if_pocl(cl_platform_id platform) {
    char text[256] = "", version[256] = "";
    CALL(clGetPlatformInfo)(platform, CL_PLATFORM_NAME, sizeof text, text, nullptr);
    CALL(clGetPlatformInfo)(platform, CL_PLATFORM_VERSION, sizeof version, version, nullptr);
    if (std::string(text) != "Portable Computing Language") return;
    if (CALL(clGetDeviceIDs)(platform, CL_DEVICE_TYPE_CPU, 1, &device, nullptr)) return;
    CALL(clGetDeviceInfo)(device, CL_DEVICE_NAME, sizeof text, text, nullptr);
    cl_int status;
    context = CALL(clCreateContext)(nullptr, 1, &device, nullptr, nullptr, &status);
    queue = CALL(clCreateCommandQueue)(context, device, 0, &status);
    if (!status) name = std::string(version) + ", " + text;
  }
};

Pocl& pocl() {
  static Pocl one;
  return one;
}

class PoclKernel : public Subject {
  Pocl& p = pocl();
  cl_kernel kernel = nullptr;
  size_t global[2], local[2] = { 256, 1 };
  cl_mem out_buffer = nullptr;
  size_t out_bytes = 0;

  void check(cl_int status) {
    if (status) fail("OpenCL status " + std::to_string(status));
  }

public:
  PoclKernel(const Fields& f, const std::vector<Argument>& given) {
    std::string source = read_file(f[2]);
    const char* text = source.c_str();
    cl_int status;
    cl_program program = p.CALL(clCreateProgramWithSource)(p.context, 1, &text, nullptr, &status);
    if (p.CALL(clBuildProgram)(program, 1, &p.device, "", nullptr, nullptr)) {
      std::string log(65536, 0);
      p.CALL(clGetProgramBuildInfo)(program, p.device, CL_PROGRAM_BUILD_LOG, log.size(), log.data(), nullptr);
      fail(log);
    }
    kernel = p.CALL(clCreateKernel)(program, f[3].c_str(), &status);
    check(status);
    for (cl_uint i = 0; i < given.size(); i++) set(i, given[i]);
    global[0] = 256 * (size_t)atoi(f[4].c_str()), global[1] = (size_t)atoi(f[5].c_str());
  }
  void run() override {
    check(p.CALL(clEnqueueNDRangeKernel)(p.queue, kernel, 2, nullptr, global, local, 0, nullptr, nullptr));
    check(p.CALL(clFinish)(p.queue));
  }
  std::string output() override {
    std::string bytes(out_bytes, 0);
    check(p.CALL(clEnqueueReadBuffer)(p.queue, out_buffer, CL_TRUE, 0, out_bytes, bytes.data(), 0, nullptr, nullptr));
    return bytes;
  }

private:
  void set(cl_uint i, const Argument& a) {
    if (a.kind == Argument::SCALAR) return check(p.CALL(clSetKernelArg)(kernel, i, 4, a.data.data()));
    cl_int status;
    void* memory = aligned_alloc(4096, (a.bytes + 4095) / 4096 * 4096);
    a.data.copy((char*)memory, a.data.size());
    cl_mem buffer = p.CALL(clCreateBuffer)(p.context, CL_MEM_USE_HOST_PTR, a.bytes, memory, &status);
    check(status);
    if (a.kind == Argument::OUT) out_buffer = buffer, out_bytes = a.bytes;
    check(p.CALL(clSetKernelArg)(kernel, i, sizeof buffer, &buffer));
  }
};

} // namespace

Subject* open_pocl(const Fields& asked, const std::vector<Argument>& arguments) {
  return pocl().queue ? new PoclKernel(asked, arguments) : nullptr;
}
std::string pocl_name() { return pocl().name; }

#else
Subject* open_pocl(const Fields&, const std::vector<Argument>&) { return nullptr; }
std::string pocl_name() { return "absent"; }
#endif
